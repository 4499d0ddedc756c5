//! Bytes of a body as text: the character set that the type names, without a byte order mark.

use crate::error::ApiError;
use encoding_rs::{Encoding, UTF_8};
use model::Code;
use std::borrow::Cow;

/// A body as text, and whether all of it could be read.
pub(super) struct DecodedText<'b> {
    text: Cow<'b, str>,
    used: &'static Encoding,
    has_errors: bool,
}

pub(super) fn decode<'b>(bytes: &'b [u8], content_type: &str) -> Result<DecodedText<'b>, ApiError> {
    let (text, used, has_errors) = charset(content_type)?.decode(bytes);
    Ok(DecodedText { text, used, has_errors })
}

impl DecodedText<'_> {
    /// Text for a person or a field: what cannot be read is a replacement character.
    pub(super) fn lossy(&self) -> &str {
        &self.text
    }

    /// Text of a format that a program wrote: what cannot be read is a mistake.
    pub(super) fn strict(&self) -> Result<&str, ApiError> {
        match self.has_errors {
            true => Err(ApiError::new(
                Code::REQUEST_BODY,
                format!("The body is not {}", self.used.name()),
            )),
            false => Ok(&self.text),
        }
    }

    pub(super) fn into_owned(self) -> String {
        self.text.into_owned()
    }
}

/// A byte order mark goes before what is found here.
fn charset(content_type: &str) -> Result<&'static Encoding, ApiError> {
    let parameters =
        content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let named = parameters
        .into_iter()
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
        .map(|(_, value)| value);
    let Some(label) =
        named.map(|label| label.trim().trim_matches(['"', '\''])).filter(|label| !label.is_empty())
    else {
        return Ok(UTF_8);
    };
    let label: String = label.chars().take(50).collect();
    Encoding::for_label_no_replacement(label.as_bytes()).ok_or_else(|| {
        ApiError::new(Code::REQUEST_ENCODING, format!("The character set '{label}' is not known"))
            .hint("Send the body as UTF-8.")
    })
}
