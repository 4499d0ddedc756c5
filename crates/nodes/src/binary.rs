//! Files for items: MIME type, extension and name, guessed as n8n guesses them.

mod mime;

pub(crate) use mime::{extension_of_mime, mime_of_path};

use bytes::Bytes;
use formats::names::sanitize_file_name;
use model::{Binary, Str};

/// A file whose bytes are at hand: without a MIME type it is told by the path's extension, then by
/// the content.
pub(crate) fn prepare(
    data: impl Into<Bytes>,
    path: Option<&str>,
    mime_type: Option<&str>,
) -> Binary {
    describe(data.into(), path, mime_type, ContentSniffing::Sniff)
}

/// A file that n8n reads as a stream: its content plays no part in the guess.
pub(crate) fn prepare_stream(data: impl Into<Bytes>, path: &str) -> Binary {
    describe(data.into(), Some(path), None, ContentSniffing::Skip)
}

/// Gives a file without a name n8n's usual one: `file.json`.
pub(crate) fn name_if_missing(file: &mut Binary) {
    if file.file_name.as_deref().unwrap_or_default().is_empty() {
        file.file_name = Some(match file.file_extension.as_deref() {
            Some(extension) if !extension.is_empty() => format!("file.{extension}").into(),
            _ => "file".into(),
        });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ContentSniffing {
    Sniff,
    Skip,
}

fn describe(
    data: Bytes,
    path: Option<&str>,
    mime_type: Option<&str>,
    content: ContentSniffing,
) -> Binary {
    let path = path.filter(|path| !path.is_empty());
    let mut found: Option<Str> = mime_type.filter(|given| !given.is_empty()).map(Str::from);
    let mut extension: Option<Str> = None;
    if found.is_none() {
        found = path.and_then(mime_of_path).map(Str::from);
    }
    if found.is_none()
        && content == ContentSniffing::Sniff
        && let Some((mime_type, by_content)) = mime::sniff(&data)
    {
        found = Some(mime_type.into());
        extension = Some(by_content.into());
    }
    if extension.is_none() {
        extension = found.as_deref().and_then(extension_of_mime).map(Str::from);
    }
    let mut file = Binary::new(data, found.unwrap_or_else(|| "text/plain".into()), None);
    file.file_extension = extension;
    if let Some(path) = path {
        let (folder, name) = split_path(path);
        let name = sanitize_file_name(name);
        file.directory = (!folder.is_empty()).then(|| folder.into());
        if let Some(extension) = extension_of_name(&name) {
            file.file_extension = Some(extension.into());
        }
        file.file_name = Some(name);
    }
    file
}

/// The folder and the last name of a path. A path that ends in a slash is named by its last folder.
fn split_path(path: &str) -> (&str, &str) {
    let trimmed = path.trim_end_matches('/');
    match trimmed.rfind('/') {
        Some(0) => ("/", &trimmed[1..]),
        Some(at) => (&trimmed[..at], &trimmed[at + 1..]),
        None => ("", trimmed),
    }
}

/// What stands behind the last dot of a name; a leading dot does not count.
fn extension_of_name(name: &str) -> Option<&str> {
    let at = name.rfind('.').filter(|at| *at > 0)?;
    Some(&name[at + 1..]).filter(|extension| !extension.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(file: &Binary) -> [&str; 5] {
        let text = |text: &'_ Option<Str>| -> &'static str {
            text.as_deref().unwrap_or("-").to_owned().leak()
        };
        [
            file.mime_type.as_str(),
            text(&file.file_name),
            text(&file.file_extension),
            text(&file.file_type),
            text(&file.directory),
        ]
    }

    #[test]
    fn the_extension_of_a_path_tells_the_type_and_the_folder_is_kept() {
        assert_eq!(
            told(&prepare("{}", Some("/data/a.b.JSON"), None)),
            ["application/json", "a.b.JSON", "JSON", "json", "/data"]
        );
        assert_eq!(
            told(&prepare("x", Some("/top.html"), None)),
            ["text/html", "top.html", "html", "html", "/"]
        );
        assert_eq!(
            told(&prepare("x", Some(".hidden"), None)),
            ["text/plain", ".hidden", "-", "text", "-"]
        );
        assert_eq!(told(&prepare("x", Some("a/b/"), None)), ["text/plain", "b", "-", "text", "a"]);
    }

    #[test]
    fn without_a_telling_name_the_content_is_looked_at() {
        let png: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        assert_eq!(told(&prepare(png, None, None)), ["image/png", "-", "png", "image", "-"]);
        assert_eq!(
            told(&prepare(png, Some("picture"), None)),
            ["image/png", "picture", "png", "image", "-"]
        );
        assert_eq!(
            told(&prepare_stream(png, "picture")),
            ["text/plain", "picture", "-", "text", "-"]
        );
        assert_eq!(
            told(&prepare("<html><body>", None, None)),
            ["text/plain", "-", "-", "text", "-"]
        );
    }

    #[test]
    fn a_given_type_wins_and_names_the_extension() {
        assert_eq!(
            told(&prepare("x", None, Some("image/jpeg"))),
            ["image/jpeg", "-", "jpeg", "image", "-"]
        );
        assert_eq!(
            told(&prepare("x", Some("testFile"), Some("text"))),
            ["text", "testFile", "-", "-", "-"]
        );
        assert_eq!(
            told(&prepare("x", None, Some("application/json; charset=utf-8"))),
            ["application/json; charset=utf-8", "-", "json", "json", "-"]
        );
    }

    #[test]
    fn names_from_outside_are_made_harmless() {
        assert_eq!(prepare("x", Some("a\\..\\b\0.txt"), None).file_name.as_deref(), Some("b.txt"));
        assert_eq!(
            prepare("x", Some("sub/con.json"), None).file_name.as_deref(),
            Some("_con.json")
        );
        assert!(prepare("x", Some(&"n".repeat(4000)), None).file_name.unwrap().len() <= 255);
    }

    #[test]
    fn a_file_without_a_name_gets_the_usual_one() {
        let mut file = prepare("{}", None, Some("application/json"));
        name_if_missing(&mut file);
        assert_eq!(file.file_name.as_deref(), Some("file.json"));
        let mut file = prepare("x", None, None);
        name_if_missing(&mut file);
        assert_eq!(file.file_name.as_deref(), Some("file"));
    }
}
