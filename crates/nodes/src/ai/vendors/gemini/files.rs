//! Files that are kept at Google for two days, for questions about them.

use super::media::api;
use crate::ai::agent_host::NodeAgentHost;
use crate::ai::vendors::api::VendorApi;
use crate::ai::vendors::download::{VendorFile, chosen_file};
use agent::AgentHost as _;
use node_api::prelude::*;

/// The largest file that the provider keeps.
const MAX_FILE_BYTES: usize = 2 << 30;

/// How long it is waited between two looks whether a file can be used, and how long that may take.
const POLL_INTERVAL_MS: u64 = 1_000;
const PROCESSING_TIMEOUT_MS: i64 = 5 * 60 * 1000;

/// The note of what became of the file.
const UPLOAD_NOTE: &str = "uploaded";

pub(super) async fn upload(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
) -> Result<Vec<Item>, NodeError> {
    let api = api(ctx, index)?;
    let world = NodeAgentHost::silent(ctx, index);
    let file = match world.recorded_step(UPLOAD_NOTE) {
        Some(kept) => kept,
        None => {
            let sent = upload_file(ctx, index, item, &api).await?;
            world.record_step(UPLOAD_NOTE, sent.clone()).await?;
            sent
        }
    };
    let file = wait_until_active(ctx, &api, file).await?;
    let field = |name: &str| file.get(name).cloned().unwrap_or_default();
    Ok(vec![Item::new(Object::from_iter([
        ("fileUri", field("uri")),
        ("mimeType", field("mimeType")),
    ]))])
}

/// Sends a file in the provider's two steps: where it may go, then all of it at once.
async fn upload_file(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    api: &VendorApi,
) -> Result<Value, NodeError> {
    let VendorFile { name, mime_type, data } =
        chosen_file(ctx, index, item, MAX_FILE_BYTES).await?;
    let mut request = HttpRequest::new("POST", api.address("/upload/v1beta/files"));
    request.set_header("content-type", "application/json");
    request.set_header("x-goog-upload-protocol", "resumable");
    request.set_header("x-goog-upload-command", "start");
    request.set_header("x-goog-upload-header-content-length", data.len().to_string());
    request.set_header("x-goog-upload-header-content-type", &mime_type);
    let about = json!({ "file": Object::from_iter([("display_name", name)]) });
    request.body = HttpBody::Bytes(model::json::to_string(&about).into());
    let answer = api.exchange(ctx, request).await?;
    let Some(place) = answer.header("x-goog-upload-url").map(str::to_owned) else {
        return Err(NodeError::new(Code::MODEL_ERROR, "The provider did not return an upload URL"));
    };
    let mut request = HttpRequest::new("POST", place);
    request.set_header("content-type", &mime_type);
    request.set_header("x-goog-upload-offset", "0");
    request.set_header("x-goog-upload-command", "upload, finalize");
    request.body = HttpBody::Bytes(data);
    let answer = api.exchange(ctx, request).await?;
    let read = model::json::parse(&String::from_utf8_lossy(&answer.body)).unwrap_or_default();
    read.get("file").cloned().ok_or_else(|| {
        NodeError::new(Code::MODEL_ERROR, "The provider did not return the status of the file")
    })
}

/// The provider reads a file before it can be asked about.
async fn wait_until_active(
    ctx: &Ctx<'_>,
    api: &VendorApi,
    mut file: Value,
) -> Result<Value, NodeError> {
    let since = ctx.host().now_ms();
    while file.get("state").and_then(Value::as_str) == Some("PROCESSING") {
        if ctx.host().now_ms() - since > PROCESSING_TIMEOUT_MS {
            let minutes = PROCESSING_TIMEOUT_MS / 60_000;
            return Err(NodeError::new(
                Code::MODEL_TIMEOUT,
                format!("The provider did not process the file within {minutes} minutes"),
            ));
        }
        ctx.host().sleep(POLL_INTERVAL_MS).await?;
        let name = file.get("name").map(Value::to_js_string).unwrap_or_default();
        file = api.poll(ctx, &format!("/v1beta/{name}")).await?;
    }
    match file.get("state").and_then(Value::as_str) {
        Some("FAILED") => {
            Err(NodeError::new(Code::MODEL_ERROR, "The provider could not process the file"))
        }
        _ => Ok(file),
    }
}
