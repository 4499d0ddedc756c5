//! Files that are kept at Anthropic.

use super::{FILES_BETA, api};
use crate::ai::vendors::api::CallEffect;
use crate::ai::vendors::download::{VendorFile, chosen_file};
use node_api::http::MultipartPart;
use node_api::prelude::*;

/// The largest file that the provider keeps.
const MAX_FILE_BYTES: usize = 500 << 20;

/// How many files come with one answer, and how many answers are asked for at most.
const PAGE: usize = 1_000;
const MAX_PAGES: usize = 1_000;

pub(super) async fn upload(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
) -> Result<Vec<Item>, NodeError> {
    let VendorFile { name, mime_type, data } =
        chosen_file(ctx, index, item, MAX_FILE_BYTES).await?;
    let named = ctx.text("options.fileName", index)?;
    let parts = vec![MultipartPart {
        name: "file".to_owned(),
        data,
        file_name: Some(if named.is_empty() { name } else { named }.to_string()),
        mime_type: Some(mime_type.to_string()),
    }];
    let api = api(ctx, index, FILES_BETA)?;
    let answer = api
        .call(ctx, index, CallEffect::Changes, "POST", "/v1/files", HttpBody::Multipart(parts))
        .await?;
    let file = model::json::parse(&String::from_utf8_lossy(&answer)).unwrap_or_default();
    Ok(vec![with_url(&api, file)])
}

pub(super) async fn get(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let (api, path) = (api(ctx, index, FILES_BETA)?, path_of(ctx, index)?);
    let file = api.json(ctx, index, CallEffect::None, "GET", &path, None).await?;
    Ok(vec![with_url(&api, file)])
}

pub(super) async fn delete(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let (api, path) = (api(ctx, index, FILES_BETA)?, path_of(ctx, index)?);
    Ok(vec![Item::new(api.json(ctx, index, CallEffect::Changes, "DELETE", &path, None).await?)])
}

pub(super) async fn list(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let api = api(ctx, index, FILES_BETA)?;
    let wanted = match ctx.flag("returnAll", index)? {
        true => usize::MAX,
        false => ctx.number("limit", index)?.max(1.0) as usize,
    };
    let (mut found, mut after) = (Vec::new(), String::new());
    for _ in 0..MAX_PAGES {
        let path = format!("/v1/files?limit={}{after}", wanted.min(PAGE));
        let page = api.json(ctx, index, CallEffect::None, "GET", &path, None).await?;
        let files = page.get("data").and_then(Value::as_array).unwrap_or_default();
        found.extend(files.iter().cloned().map(|file| with_url(&api, file)));
        let last = page.get("last_id").and_then(Value::as_str).unwrap_or_default();
        let next = format!("&after_id={}", encoded(last));
        // A page that leads to itself is the last one, whatever it says.
        let has_more = page.get("has_more").is_some_and(Value::is_truthy);
        if !has_more
            || files.is_empty()
            || last.is_empty()
            || next == after
            || found.len() >= wanted
        {
            break;
        }
        after = next;
    }
    found.truncate(wanted);
    Ok(found)
}

fn path_of(ctx: &Ctx<'_>, index: usize) -> Result<String, NodeError> {
    match ctx.text("fileId", index)?.trim() {
        "" => Err(NodeError::parameter("fileId", "No file is chosen")),
        id => Ok(format!("/v1/files/{}", encoded(id))),
    }
}

fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// What is told about a file, with the address by which other operations take it.
fn with_url(api: &super::VendorApi, mut file: Value) -> Item {
    if let Some(id) = file.get("id").and_then(Value::as_str) {
        let address = api.address(&format!("/v1/files/{id}"));
        file.make_object().insert("url", address);
    }
    Item::new(file)
}
