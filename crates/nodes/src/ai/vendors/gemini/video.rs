//! Videos: made from words, and fetched from where the provider keeps them.

use super::media::{api, output_property, path_of};
use crate::ai::vendors::api::{CallEffect, VendorApi};
use crate::ai::vendors::{chosen_model, file_item};
use node_api::prelude::*;

/// How long it is waited between two looks whether a video is ready.
const POLL_INTERVAL_MS: u64 = 5_000;

/// How long a video may take.
const GENERATION_TIMEOUT_MS: i64 = 20 * 60 * 1000;

/// The largest video that is fetched.
const MAX_VIDEO_BYTES: usize = 200 << 20;

pub(super) async fn generate(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let model = chosen_model(ctx, index)?;
    if !model.contains("veo") {
        return Err(NodeError::parameter(
            "modelId",
            format!("The model '{model}' does not generate videos"),
        )
        .hint("Choose a Veo model."));
    }
    let mut parameters = Object::new();
    for name in ["aspectRatio", "personGeneration", "sampleCount", "durationSeconds"] {
        let value = ctx.param(&format!("options.{name}"), index)?;
        if !value.is_nullish() && value.as_str() != Some("") {
            parameters.insert(name, value);
        }
    }
    let body = Object::from_iter([
        (
            "instances",
            Value::array(vec![Object::from_iter([("prompt", ctx.text("prompt", index)?)]).into()]),
        ),
        ("parameters", parameters.into()),
    ]);
    let api = api(ctx, index)?;
    let path = path_of(ctx, index, "predictLongRunning")?;
    // Once it is begun it is paid for, so that nobody begins it twice without a word.
    let begun = api.json(ctx, index, CallEffect::Changes, "POST", &path, Some(body.into())).await?;
    let made = wait_until_done(ctx, &api, begun).await?;
    let samples = made
        .get_path("response.generateVideoResponse.generatedSamples")
        .and_then(Value::as_array)
        .unwrap_or_default();
    let addresses: Vec<&str> =
        samples.iter().filter_map(|sample| sample.get_path("video.uri")?.as_str()).collect();
    if addresses.is_empty() {
        let why = made
            .get_path("response.generateVideoResponse.raiMediaFilteredReasons[0]")
            .map(Value::to_js_string);
        let error = NodeError::new(Code::MODEL_REFUSED, "The provider returned no video");
        return Err(why.map_or(error.clone(), |why| error.describe(why)));
    }
    if ctx.text("returnAs", index)? == "url" {
        return Ok(addresses
            .into_iter()
            .map(|address| Item::new(Object::from_iter([("url", address)])))
            .collect());
    }
    let mut items = Vec::with_capacity(addresses.len());
    for address in addresses {
        items.push(download_video(ctx, index, &api, address).await?);
    }
    Ok(items)
}

pub(super) async fn download(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let address = ctx.text("url", index)?;
    if address.trim().is_empty() {
        return Err(NodeError::parameter("url", "The URL is required")
            .hint("Use the URL returned by the operation that generates videos."));
    }
    Ok(vec![download_video(ctx, index, &api(ctx, index)?, address.trim()).await?])
}

/// Waits until what the provider has begun is done.
async fn wait_until_done(ctx: &Ctx<'_>, api: &VendorApi, begun: Value) -> Result<Value, NodeError> {
    let since = ctx.host().now_ms();
    let mut stands = begun;
    loop {
        if let Some(error) = stands.get("error").filter(|error| !error.is_nullish()) {
            let message = error.get("message").map(Value::to_js_string).unwrap_or_default();
            return Err(NodeError::new(
                Code::MODEL_ERROR,
                format!("The video could not be generated: {message}"),
            ));
        }
        if stands.get("done").is_some_and(Value::is_truthy) {
            return Ok(stands);
        }
        let Some(name) = stands.get("name").and_then(Value::as_str) else {
            return Err(NodeError::new(
                Code::MODEL_ERROR,
                "The provider did not return a URL to check the progress",
            ));
        };
        if ctx.host().now_ms() - since > GENERATION_TIMEOUT_MS {
            let minutes = GENERATION_TIMEOUT_MS / 60_000;
            return Err(NodeError::new(
                Code::MODEL_TIMEOUT,
                format!("The video was not ready within {minutes} minutes"),
            ));
        }
        ctx.host().sleep(POLL_INTERVAL_MS).await?;
        let name = name.to_owned();
        stands = api.poll(ctx, &format!("/v1beta/{name}")).await?;
        if stands.get("name").is_none() {
            stands.make_object().insert("name", name);
        }
    }
}

async fn download_video(
    ctx: &Ctx<'_>,
    index: usize,
    api: &VendorApi,
    address: &str,
) -> Result<Item, NodeError> {
    let mut request = HttpRequest::new("GET", address);
    request.max_response_bytes = MAX_VIDEO_BYTES;
    let answer = api.exchange(ctx, request).await?;
    let told = answer.header("content-type").and_then(|kind| kind.split(';').next()).map(str::trim);
    let kind = told.filter(|kind| kind.starts_with("video/")).unwrap_or("video/mp4").to_owned();
    Ok(file_item(
        &output_property(ctx, index)?,
        Binary::new(answer.body, kind.as_str(), Some("video.mp4".into())),
    ))
}
