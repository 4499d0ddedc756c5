//! Files for a model of Anthropic: by their address, kept at the provider, or of an item.

use super::{FILES_BETA, api, base_url};
use crate::ai::vendors::download::{send_without_secrets, told_kind};
use node_api::ai::{Media, MediaData, MessagePart};
use node_api::prelude::*;
use providers::models::anthropic::STORED_FILE;

const PDF: &str = "application/pdf";

/// A file by its address. One that is kept at the provider goes by its id.
pub(super) fn at_address(base_url: &str, url: &str, is_document: bool) -> MessagePart {
    let stored = stored_id(base_url, url);
    let media = Media {
        mime_type: if is_document { PDF.into() } else { "image/jpeg".into() },
        name: None,
        data: MediaData::Url(
            stored.map_or_else(|| url.into(), |id| format!("{STORED_FILE}{id}").into()),
        ),
    };
    if is_document { MessagePart::File(media) } else { MessagePart::Image(media) }
}

fn stored_id<'u>(base_url: &str, url: &'u str) -> Option<&'u str> {
    let id = url.strip_prefix(base_url)?.strip_prefix("/v1/files/")?;
    (!id.is_empty() && !id.contains(['/', '?', '#'])).then_some(id)
}

/// Whether what is at an address is a document; an image otherwise.
pub(super) async fn kind_at(ctx: &Ctx<'_>, index: usize, url: &str) -> Result<bool, NodeError> {
    let base = base_url(&ctx.host().credential("anthropicApi", index)?);
    let kind = match stored_id(&base, url) {
        Some(id) => {
            let about = api(ctx, index, FILES_BETA)?.poll(ctx, &format!("/v1/files/{id}")).await?;
            about.get("mime_type").map(Value::to_js_string).unwrap_or_default()
        }
        None => match of_name(url) {
            Some(kind) => kind.into(),
            None => asked_for(ctx, url).await?,
        },
    };
    if kind == PDF {
        return Ok(true);
    }
    if kind.starts_with("image/") { Ok(false) } else { Err(unsupported(&kind)) }
}

/// The kind that the end of an address tells.
fn of_name(url: &str) -> Option<&'static str> {
    let path = url::Url::parse(url).ok()?;
    let kind = mime_guess::from_path(path.path()).first_raw()?;
    (kind == PDF || kind.starts_with("image/")).then_some(kind)
}

/// The kind that the server tells, which is sent nothing but the question.
async fn asked_for(ctx: &Ctx<'_>, url: &str) -> Result<Str, NodeError> {
    let answer = send_without_secrets(ctx, HttpRequest::new("HEAD", url)).await?;
    Ok(told_kind(&answer).unwrap_or_default().to_lowercase())
}

/// What cannot be read is told before anybody is paid for it.
pub(super) fn check_kind(part: &MessagePart) -> Result<(), NodeError> {
    let MessagePart::File(media) = part else { return Ok(()) };
    let kind = media.mime_type.as_str();
    let is_read = kind == PDF || kind.starts_with("text/") || kind == "application/json";
    if is_read { Ok(()) } else { Err(unsupported(kind)) }
}

fn unsupported(kind: &str) -> NodeError {
    let kind: String = kind.chars().take(100).collect();
    let kind = if kind.is_empty() { "unknown".to_owned() } else { kind };
    NodeError::input(format!("The provider cannot read files of type {kind}"))
        .hint("Use images, PDF files or text.")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "https://api.anthropic.com";

    #[test]
    fn a_file_at_the_provider_goes_by_its_id() {
        let url = |part: MessagePart| match part {
            MessagePart::File(Media { data: MediaData::Url(url), .. })
            | MessagePart::Image(Media { data: MediaData::Url(url), .. }) => url,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            url(at_address(BASE, "https://api.anthropic.com/v1/files/file_1", true)),
            "anthropic-file:file_1"
        );
        for elsewhere in [
            "https://api.anthropic.com.evil.test/v1/files/file_1",
            "https://api.anthropic.com/v1/files/",
            "https://api.anthropic.com/v1/files/a/../../keys",
        ] {
            assert_eq!(url(at_address(BASE, elsewhere, false)), elsewhere);
        }
    }

    #[test]
    fn the_kind_is_told_by_the_name_or_refused() {
        assert_eq!(of_name("https://a.test/x/y.PDF?z=1"), Some(PDF));
        assert_eq!(of_name("https://a.test/cat.png"), Some("image/png"));
        assert_eq!(of_name("https://a.test/archive.zip"), None);
        assert_eq!(of_name("https://a.test/"), None);
        let file = |kind: &str| {
            MessagePart::File(Media {
                mime_type: kind.into(),
                name: None,
                data: MediaData::Bytes(Default::default()),
            })
        };
        assert!(check_kind(&file(PDF)).is_ok() && check_kind(&file("text/csv")).is_ok());
        assert!(check_kind(&file("application/zip")).is_err());
    }
}
