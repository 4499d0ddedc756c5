//! Speech from texts, and texts from speech.

use super::api;
use crate::ai::vendors::api::CallEffect;
use crate::ai::vendors::file_item;
use bytes::Bytes;
use node_api::http::MultipartPart;
use node_api::prelude::*;

const WHISPER: &str = "whisper-1";

pub(super) async fn synthesize_speech(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let options = ctx.param("options", index)?;
    let format = options
        .get("response_format")
        .and_then(Value::as_str)
        .filter(|format| !format.is_empty())
        .unwrap_or("mp3");
    let body = Object::from_iter([
        ("model", Value::from(ctx.text("model", index)?)),
        ("input", ctx.text("input", index)?.into()),
        ("voice", ctx.text("voice", index)?.into()),
        ("response_format", format.into()),
        (
            "speed",
            options.get("speed").cloned().filter(Value::is_truthy).unwrap_or_else(|| 1.into()),
        ),
    ]);
    let body = HttpBody::Bytes(model::json::to_string(&body.into()).into());
    let spoken =
        api(ctx, index)?.call(ctx, index, CallEffect::None, "POST", "/audio/speech", body).await?;
    let property = options
        .get("binaryPropertyOutput")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty())
        .unwrap_or("data");
    let file =
        Binary::new(spoken, format!("audio/{format}"), Some(format!("audio.{format}").into()));
    Ok(vec![file_item(property, file)])
}

/// What is said in a recording, in its language or in English.
pub(super) async fn transcribe(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    operation: &str,
) -> Result<Vec<Item>, NodeError> {
    let options = ctx.param("options", index)?;
    let recording = ctx.binary(item, index, &ctx.text("binaryPropertyName", index)?)?;
    let field = |name: &str, value: Str| MultipartPart {
        name: name.to_owned(),
        data: Bytes::from(value.to_string()),
        file_name: None,
        mime_type: None,
    };
    let mut parts = vec![field("model", WHISPER.into())];
    for name in ["language", "temperature"]
        .into_iter()
        .filter(|name| operation == "transcribe" || *name == "temperature")
    {
        parts.extend(
            options
                .get(name)
                .filter(|value| value.is_truthy())
                .map(|value| field(name, value.to_js_string())),
        );
    }
    parts.push(MultipartPart {
        name: "file".to_owned(),
        data: recording.data.clone(),
        file_name: Some(recording.file_name.as_deref().unwrap_or("audio.mp3").to_owned()),
        mime_type: Some(recording.mime_type.to_string()),
    });
    let path =
        if operation == "translate" { "/audio/translations" } else { "/audio/transcriptions" };
    let answer = api(ctx, index)?
        .call(ctx, index, CallEffect::None, "POST", path, HttpBody::Multipart(parts))
        .await?;
    let answer = String::from_utf8_lossy(&answer);
    let read = model::json::parse(&answer)
        .unwrap_or_else(|_| Object::from_iter([("text", answer.as_ref())]).into());
    Ok(vec![Item::new(read)])
}
