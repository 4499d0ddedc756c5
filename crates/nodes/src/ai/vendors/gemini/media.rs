//! What is in files, and new or changed images.

use super::text::{model, output_value};
use crate::ai::models::options::read;
use crate::ai::models::{field, secret};
use crate::ai::vendors::api::{CallEffect, VendorApi};
use crate::ai::vendors::download::download;
use crate::ai::vendors::{chosen_model, converse, file_item, files};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use node_api::addresses;
use node_api::ai::{ChatRole, Media, MediaData, Message, MessagePart};
use node_api::prelude::*;
use providers::models::gemini::BASE_URL;

/// What the provider takes together with a question: all files of it.
const MAX_FILES_BYTES: usize = 20 << 20;

pub(super) async fn analyze(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    resource: &str,
) -> Result<Vec<Item>, NodeError> {
    ask_about(ctx, index, item, resource, ctx.text("text", index)?).await
}

pub(super) async fn transcribe(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
) -> Result<Vec<Item>, NodeError> {
    let time = |name: &str| ctx.text(&format!("options.{name}"), index);
    let (start, end) = (time("startTime")?, time("endTime")?);
    let range = match (start.is_empty(), end.is_empty()) {
        (true, true) => String::new(),
        (false, true) => format!(" from {start} on"),
        (true, false) => format!(" up to {end}"),
        (false, false) => format!(" from {start} to {end}"),
    };
    ask_about(
        ctx,
        index,
        item,
        "audio",
        format!("Write down word for word what is said{range}, and nothing else.").into(),
    )
    .await
}

async fn ask_about(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    resource: &str,
    words: Str,
) -> Result<Vec<Item>, NodeError> {
    let mut parts = match ctx.text("inputType", index)?.as_str() {
        "binary" => files(ctx, index, item)?,
        _ => download_parts(ctx, index, resource).await?,
    };
    parts.push(MessagePart::Text(words));
    let options = read(&ctx.param("options", index)?);
    let outcome = converse(
        ctx,
        index,
        model(ctx, index, options)?,
        vec![Message::new(ChatRole::User, parts)],
    )
    .await?;
    output_value(ctx, index, &outcome)
}

/// Files from their addresses: the provider is sent the files themselves.
async fn download_parts(
    ctx: &Ctx<'_>,
    index: usize,
    resource: &str,
) -> Result<Vec<MessagePart>, NodeError> {
    let usual_type = match resource {
        "audio" => "audio/mpeg",
        "document" => "application/pdf",
        "video" => "video/mp4",
        _ => "image/jpeg",
    };
    let (mut parts, mut left) = (Vec::new(), MAX_FILES_BYTES);
    for url in addresses(&ctx.text(&format!("{resource}Urls"), index)?) {
        let (told, data) = download(ctx, url, left).await?;
        left = left.saturating_sub(data.len());
        let media = Media {
            mime_type: told.unwrap_or_else(|| usual_type.into()),
            name: None,
            data: MediaData::Bytes(data),
        };
        parts.push(if media.mime_type.starts_with("image/") {
            MessagePart::Image(media)
        } else {
            MessagePart::File(media)
        });
    }
    Ok(parts)
}

pub(super) async fn generate(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let (model, prompt) = (chosen_model(ctx, index)?, ctx.text("prompt", index)?);
    if model.contains("imagen") {
        let (path, property) = (path_of(ctx, index, "predict")?, output_property(ctx, index)?);
        let count = Some(ctx.param("options.sampleCount", index)?)
            .filter(Value::is_truthy)
            .unwrap_or_else(|| 1.into());
        let body = Object::from_iter([
            ("instances", Value::array(vec![Object::from_iter([("prompt", prompt)]).into()])),
            ("parameters", Object::from_iter([("sampleCount", count)]).into()),
        ]);
        let answer = api(ctx, index)?
            .json(ctx, index, CallEffect::None, "POST", &path, Some(body.into()))
            .await?;
        let made = answer.get("predictions").and_then(Value::as_array).unwrap_or_default();
        return made
            .iter()
            .map(|entry| image(entry.get("bytesBase64Encoded"), entry.get("mimeType"), &property))
            .collect();
    }
    let part = Object::from_iter([("text", prompt)]);
    generate_images(ctx, index, vec![part.into()]).await
}

/// New images from those of the item.
pub(super) async fn edit(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Vec<Item>, NodeError> {
    let listed = ctx.param("images.values", index)?;
    let of_list = listed
        .as_array()
        .unwrap_or_default()
        .iter()
        .filter_map(|entry| entry.get("binaryPropertyName"));
    let mut properties: Vec<Str> =
        of_list.map(Value::to_js_string).filter(|name| !name.trim().is_empty()).collect();
    if properties.is_empty() {
        properties.push("data".into());
    }
    let mut parts = Vec::new();
    for property in &properties {
        let file = ctx.binary(item, index, property)?;
        let data = Object::from_iter([
            ("mimeType", Value::from(file.mime_type.clone())),
            ("data", STANDARD.encode(&file.data).into()),
        ]);
        parts.push(Object::from_iter([("inlineData", data)]).into());
    }
    parts.push(Object::from_iter([("text", ctx.text("prompt", index)?)]).into());
    generate_images(ctx, index, parts).await
}

async fn generate_images(
    ctx: &Ctx<'_>,
    index: usize,
    parts: Vec<Value>,
) -> Result<Vec<Item>, NodeError> {
    let (path, property) = (path_of(ctx, index, "generateContent")?, output_property(ctx, index)?);
    let content =
        Object::from_iter([("role", Value::from("user")), ("parts", Value::array(parts))]);
    let body = Object::from_iter([
        ("contents", Value::array(vec![content.into()])),
        ("generationConfig", json!({ "responseModalities": ["IMAGE", "TEXT"] })),
    ]);
    let answer = api(ctx, index)?
        .json(ctx, index, CallEffect::None, "POST", &path, Some(body.into()))
        .await?;
    let candidates = answer.get("candidates").and_then(Value::as_array).unwrap_or_default();
    let parts = candidates
        .iter()
        .filter_map(|candidate| candidate.get_path("content.parts")?.as_array())
        .flatten();
    let made: Result<Vec<Item>, NodeError> = parts
        .filter_map(|part| part.get("inlineData"))
        .map(|made| image(made.get("data"), made.get("mimeType"), &property))
        .collect();
    match made {
        Ok(made) if made.is_empty() => {
            Err(NodeError::new(Code::MODEL_ERROR, "The model returned no image")
                .hint("Choose a model that generates images, such as gemini-2.5-flash-image."))
        }
        made => made,
    }
}

fn image(encoded: Option<&Value>, kind: Option<&Value>, property: &str) -> Result<Item, NodeError> {
    let encoded = encoded.and_then(Value::as_str).unwrap_or_default();
    let data = STANDARD.decode(encoded).map_err(|error| {
        NodeError::new(Code::MODEL_ERROR, format!("The image cannot be read: {error}"))
    })?;
    let kind = kind.and_then(Value::as_str).unwrap_or("image/png");
    Ok(file_item(property, Binary::new(data, kind, Some("image.png".into()))))
}

/// Where the chosen model does something.
pub(super) fn path_of(ctx: &Ctx<'_>, index: usize, action: &str) -> Result<String, NodeError> {
    let model = chosen_model(ctx, index)?;
    Ok(format!("/v1beta/models/{}:{action}", model.strip_prefix("models/").unwrap_or(&model)))
}

/// The field for the file that is put out.
pub(super) fn output_property(ctx: &Ctx<'_>, index: usize) -> Result<Str, NodeError> {
    let given = ctx.param("options.binaryPropertyOutput", index)?;
    Ok(given.as_str().filter(|name| !name.is_empty()).unwrap_or("data").into())
}

pub(super) fn api(ctx: &Ctx<'_>, index: usize) -> Result<VendorApi, NodeError> {
    let credential = ctx.host().credential("googlePalmApi", index)?;
    let host = field(&credential, "host");
    let headers = vec![("x-goog-api-key".to_owned(), secret(&credential, "apiKey"))];
    Ok(VendorApi::new(if host.trim().is_empty() { BASE_URL } else { &host }, headers))
}
