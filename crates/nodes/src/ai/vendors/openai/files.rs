//! Files that are kept at OpenAI.

use super::api;
use crate::ai::vendors::api::CallEffect;
use crate::ai::vendors::chosen;
use bytes::Bytes;
use node_api::http::MultipartPart;
use node_api::prelude::*;

pub(super) async fn upload(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
) -> Result<Vec<Item>, NodeError> {
    let property = ctx.text("binaryPropertyName", index)?;
    let file = ctx.binary(item, index, &property)?;
    let purpose = ctx.param("options.purpose", index)?;
    let parts = vec![
        MultipartPart {
            name: "purpose".to_owned(),
            data: Bytes::from(purpose.as_str().unwrap_or("assistants").to_owned()),
            file_name: None,
            mime_type: None,
        },
        MultipartPart {
            name: "file".to_owned(),
            data: file.data.clone(),
            file_name: Some(file.file_name.as_deref().unwrap_or(&property).to_owned()),
            mime_type: Some(file.mime_type.to_string()),
        },
    ];
    let answer = api(ctx, index)?
        .call(ctx, index, CallEffect::Changes, "POST", "/files", HttpBody::Multipart(parts))
        .await?;
    Ok(vec![Item::new(model::json::parse(&String::from_utf8_lossy(&answer)).unwrap_or_default())])
}

pub(super) async fn list(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let purpose = ctx.param("options.purpose", index)?;
    let path = match purpose.as_str().filter(|purpose| !purpose.is_empty() && *purpose != "any") {
        Some(purpose) => format!(
            "/files?purpose={}",
            url::form_urlencoded::byte_serialize(purpose.as_bytes()).collect::<String>()
        ),
        None => "/files".to_owned(),
    };
    let answer = api(ctx, index)?.json(ctx, index, CallEffect::None, "GET", &path, None).await?;
    Ok(answer
        .get("data")
        .and_then(Value::as_array)
        .unwrap_or_default()
        .iter()
        .cloned()
        .map(Item::new)
        .collect())
}

pub(super) async fn delete(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let id = chosen(ctx, "fileId", index)?;
    if id.is_empty() {
        return Err(NodeError::parameter("fileId", "No file is chosen"));
    }
    let path = format!(
        "/files/{}",
        url::form_urlencoded::byte_serialize(id.as_bytes()).collect::<String>()
    );
    Ok(vec![Item::new(
        api(ctx, index)?.json(ctx, index, CallEffect::Changes, "DELETE", &path, None).await?,
    )])
}
