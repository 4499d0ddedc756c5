//! Images: what is on them, new ones, and changed ones.

use super::api;
use super::text::{model, response_message};
use crate::ai::vendors::api::CallEffect;
use crate::ai::vendors::{chosen_model, converse, file_item, files};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use node_api::addresses;
use node_api::ai::{ChatRole, Media, MediaData, Message, MessagePart, ModelOptions};
use node_api::http::MultipartPart as FormPart;
use node_api::prelude::*;
use providers::models::openai::OpenAiApi;

/// Tokens of a description if nothing else is said.
const DESCRIPTION_TOKENS: f64 = 300.0;

/// The versions since which the model is chosen from a list.
const GENERATES_BY_LIST_SINCE: f64 = 2.2;
const EDITS_BY_LIST_SINCE: f64 = 2.3;

pub(super) async fn analyze(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
) -> Result<Vec<Item>, NodeError> {
    let mut parts = vec![MessagePart::Text(ctx.text("text", index)?)];
    match ctx.text("inputType", index)?.as_str() {
        "base64" => parts.extend(files(ctx, index, item)?),
        _ => {
            let url = |url: &str| {
                MessagePart::Image(Media {
                    mime_type: "image/jpeg".into(),
                    name: None,
                    data: MediaData::Url(url.into()),
                })
            };
            parts.extend(addresses(&ctx.text("imageUrls", index)?).map(url));
        }
    }
    let longest = ctx
        .param("options.maxTokens", index)?
        .as_f64()
        .filter(|tokens| *tokens >= 1.0)
        .unwrap_or(DESCRIPTION_TOKENS);
    let options = ModelOptions { max_tokens: Some(longest as u64), ..ModelOptions::default() };
    let is_new = ctx.version() >= 2.0;
    let surface = if is_new { OpenAiApi::Responses } else { OpenAiApi::ChatCompletions };
    let outcome = converse(
        ctx,
        index,
        model(ctx, index, surface, options)?,
        vec![Message::new(ChatRole::User, parts)],
    )
    .await?;
    let shown = match (is_new, ctx.flag("simplify", index)?) {
        // n8n puts out a list here, whose first entry expressions ask for.
        (true, true) => Object::from_iter([("0", response_message(&outcome, false))]),
        (true, false) => {
            Object::from_iter([("output", Value::array(vec![response_message(&outcome, false)]))])
        }
        (false, true) => Object::from_iter([("content", outcome.answer)]),
        (false, false) => {
            let message = Object::from_iter([
                ("role", Value::from("assistant")),
                ("content", outcome.answer.into()),
            ]);
            Object::from_iter([(
                "choices",
                Value::array(vec![Object::from_iter([("message", message)]).into()]),
            )])
        }
    };
    Ok(vec![Item::new(shown)])
}

pub(super) async fn generate(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let options = ctx.param("options", index)?;
    let model = image_model(ctx, index, GENERATES_BY_LIST_SINCE)?;
    let wants_urls = options.get("returnImageUrls").is_some_and(Value::is_truthy);
    let mut body = Object::from_iter([
        ("prompt", Value::from(ctx.text("prompt", index)?)),
        ("model", model.clone().into()),
    ]);
    // Newer models give files only, and refuse to be asked for the form.
    if model.starts_with("dall-e") {
        body.insert("response_format", if wants_urls { "url" } else { "b64_json" });
    }
    for (name, key) in [
        ("n", "n"),
        ("size", "size"),
        ("style", "style"),
        ("dalleQuality", "quality"),
        ("quality", "quality"),
    ] {
        if let Some(value) =
            options.get(name).filter(|value| !value.is_nullish() && value.as_str() != Some(""))
        {
            body.insert(key, value.clone());
        }
    }
    let answer = api(ctx, index)?
        .json(ctx, index, CallEffect::None, "POST", "/images/generations", Some(body.into()))
        .await?;
    let made = answer.get("data").and_then(Value::as_array).unwrap_or_default();
    let property = options
        .get("binaryPropertyOutput")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty())
        .unwrap_or("data");
    made.iter().map(|entry| image(entry, property)).collect()
}

/// New images from those of the item.
pub(super) async fn edit(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Vec<Item>, NodeError> {
    let model = image_model(ctx, index, EDITS_BY_LIST_SINCE)?;
    let is_old = model.starts_with("dall-e");
    let option = |name: &str| ctx.param(&format!("options.{name}"), index);
    let listed = ctx.param("images.values", index)?;
    let of_list = listed
        .as_array()
        .unwrap_or_default()
        .iter()
        .filter_map(|entry| entry.get("binaryPropertyName"));
    let mut properties: Vec<Str> =
        of_list.map(Value::to_js_string).filter(|name| !name.trim().is_empty()).collect();
    if is_old || properties.is_empty() {
        properties = vec![ctx.text("binaryPropertyName", index)?];
    }
    let mut parts = Vec::new();
    for property in &properties {
        parts.push(file_part(
            if is_old { "image" } else { "image[]" },
            ctx.binary(item, index, property)?,
        ));
    }
    if let Some(mask) = option("imageMask")?.as_str().filter(|name| !name.is_empty()) {
        parts.push(file_part("mask", ctx.binary(item, index, mask)?));
    }
    let mut say = |name: &str, value: Value| {
        if !value.is_nullish() && value.as_str() != Some("") {
            parts.push(text_part(name, &value.to_js_string()));
        }
    };
    say("prompt", ctx.text("prompt", index)?.into());
    say("model", model.clone().into());
    say("n", ctx.param("n", index)?);
    say("size", ctx.param("size", index)?);
    say("user", option("user")?);
    // Either kind of model refuses what only the other one takes.
    if is_old {
        say("response_format", ctx.param("responseFormat", index)?);
    } else {
        say("quality", ctx.param("quality", index)?);
        say("background", option("background")?);
        say("input_fidelity", option("inputFidelity")?);
        let format = ctx.param("outputFormat", index)?;
        if format.as_str() != Some("png") {
            say("output_compression", ctx.param("outputCompression", index)?);
        }
        say("output_format", format);
    }
    let answer = api(ctx, index)?
        .call(ctx, index, CallEffect::None, "POST", "/images/edits", HttpBody::Multipart(parts))
        .await?;
    let answer = model::json::parse(&String::from_utf8_lossy(&answer)).unwrap_or_default();
    answer
        .get("data")
        .and_then(Value::as_array)
        .unwrap_or_default()
        .iter()
        .map(|entry| image(entry, "data"))
        .collect()
}

/// The model that the node names: in a field of its own before the version given, chosen like those
/// for text since then.
fn image_model(ctx: &Ctx<'_>, index: usize, listed_since: f64) -> Result<Str, NodeError> {
    let is_listed = ctx.version() >= listed_since;
    let model = if is_listed { chosen_model(ctx, index)? } else { ctx.text("model", index)? };
    Ok(model.trim().into())
}

fn text_part(name: &str, value: &str) -> FormPart {
    FormPart {
        name: name.to_owned(),
        data: Bytes::from(value.to_owned()),
        file_name: None,
        mime_type: None,
    }
}

fn file_part(name: &str, file: &Binary) -> FormPart {
    FormPart {
        name: name.to_owned(),
        data: file.data.clone(),
        file_name: Some(file.file_name.as_deref().unwrap_or("image.png").to_owned()),
        mime_type: Some(file.mime_type.to_string()),
    }
}

/// A file where there is one, an address otherwise.
fn image(entry: &Value, property: &str) -> Result<Item, NodeError> {
    let Some(encoded) = entry.get("b64_json").and_then(Value::as_str) else {
        return Ok(Item::new(entry.clone()));
    };
    let data = STANDARD.decode(encoded).map_err(|error| {
        NodeError::new(Code::MODEL_ERROR, format!("The image cannot be read: {error}"))
    })?;
    let kind = infer::get(&data).map_or("image/png", |kind| kind.mime_type());
    Ok(file_item(property, Binary::new(data, kind, Some("data".into()))))
}
