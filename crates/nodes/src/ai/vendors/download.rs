//! Files for a provider: from an item, or from an address.

use bytes::Bytes;
use node_api::hosts::SecretBinding;
use node_api::http::HttpResponse;
use node_api::prelude::*;

/// A file and what is known of it.
pub(super) struct VendorFile {
    pub(super) name: Str,
    pub(super) mime_type: Str,
    pub(super) data: Bytes,
}

/// The file of the item, or from an address, as `inputType` says.
pub(super) async fn chosen_file(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    max_bytes: usize,
) -> Result<VendorFile, NodeError> {
    if ctx.text("inputType", index)? == "binary" {
        let property = ctx.text("binaryPropertyName", index)?;
        let file = ctx.binary(item, index, &property)?;
        return Ok(VendorFile {
            name: file.file_name.clone().unwrap_or(property),
            mime_type: file.mime_type.clone(),
            data: file.data.clone(),
        });
    }
    let address = ctx.text("fileUrl", index)?;
    let name = address.rsplit('/').next().and_then(|name| name.split(['?', '#']).next());
    let name = name.filter(|name| !name.is_empty()).unwrap_or("file").into();
    let (told, data) = download(ctx, address.trim(), max_bytes).await?;
    Ok(VendorFile {
        name,
        mime_type: told.unwrap_or_else(|| "application/octet-stream".into()),
        data,
    })
}

/// What is at an address, and of which kind it is said to be.
pub(super) async fn download(
    ctx: &Ctx<'_>,
    url: &str,
    max_bytes: usize,
) -> Result<(Option<Str>, Bytes), NodeError> {
    let mut request = HttpRequest::new("GET", url);
    request.max_response_bytes = max_bytes;
    let answer = send_without_secrets(ctx, request).await?;
    if !answer.is_success() {
        return Err(NodeError::api(
            answer.status,
            format!("Could not download the file at {url}: {}", answer.status_text),
        ));
    }
    Ok((told_kind(&answer), answer.body))
}

/// Somebody's address gets the question and nothing of a credential.
pub(super) async fn send_without_secrets(
    ctx: &Ctx<'_>,
    mut request: HttpRequest,
) -> Result<HttpResponse, NodeError> {
    request.bound = Some(SecretBinding::deny_all());
    let sent = ctx.host().http().send(request).await;
    sent.map_err(|error| NodeError::new(error.code(), error.to_string()))
}

/// The media type of the answer, without what follows it.
pub(super) fn told_kind(answer: &HttpResponse) -> Option<Str> {
    let told = answer.header("content-type").and_then(|kind| kind.split(';').next());
    told.map(str::trim).filter(|kind| !kind.is_empty()).map(Str::from)
}
