//! An answer as a file: its name, type and extension.

use super::super::draft::RequestDraft;
use super::super::secrets::Secrets;
use formats::names::{sanitize_file_name, sanitize_path};
use node_api::prelude::*;

/// Content types that are files even when nobody asked for one.
const FILE_TYPES: &[&str] = &[
    "image/",
    "audio/",
    "video/",
    "font/",
    "application/octet-stream",
    "application/gzip",
    "application/zip",
    "application/vnd.rar",
    "application/epub+zip",
    "application/x-bzip",
    "application/x-bzip2",
    "application/x-cdf",
    "application/vnd.amazon.ebook",
    "application/msword",
    "application/vnd.openxmlformats-officedocument",
    "application/vnd.ms-fontobject",
    "application/vnd.oasis.opendocument",
    "application/pdf",
    "application/x-tar",
    "application/vnd.visio",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/x-7z-compressed",
];

pub(super) fn is_file_type(content_type: &str) -> bool {
    // Most answers.
    if matches!(content_type, "application/json" | "application/json; charset=utf-8") {
        return false;
    }
    let content_type = content_type.to_ascii_lowercase();
    // An SVG is an image and text; n8n takes it for a file, too.
    FILE_TYPES.iter().any(|kind| content_type.contains(kind))
}

/// The file that an answer is, without the secrets that it was asked for with. `fallback` names it
/// where neither the answer nor the URL does.
pub(super) fn to_file(
    response: &HttpResponse,
    draft: &RequestDraft,
    fallback: &str,
    secrets: &Secrets,
) -> Binary {
    let path = response
        .header("content-disposition")
        .and_then(disposition_name)
        .or_else(|| url_path(&response.url));
    let path = path.map(|path| secrets.hide(&path));
    let declared = response
        .header("content-type")
        .and_then(|kind| kind.split(';').next())
        .map(|kind| kind.trim().to_ascii_lowercase());
    let (directory, name) =
        match path.as_deref().map(|path| path.rsplit_once('/').unwrap_or(("", path))) {
            Some((directory, name)) if !name.is_empty() => {
                (Some(directory).filter(|text| !text.is_empty()), Some(name.to_owned()))
            }
            _ => (None, None),
        };
    let mime_type = declared
        .filter(|kind| !kind.is_empty())
        .or_else(|| {
            name.as_deref()
                .and_then(|name| mime_guess::from_path(name).first_raw().map(str::to_owned))
        })
        .or_else(|| infer::get(&response.body).map(|kind| kind.mime_type().to_owned()))
        .unwrap_or_else(|| "text/plain".to_owned());
    let own_extension = name
        .as_deref()
        .and_then(|name| name.rsplit_once('.'))
        .map(|(_, extension)| extension.to_owned())
        .filter(|text| !text.is_empty());
    let extension = own_extension.or_else(|| extension_of(&mime_type).map(str::to_owned));
    let name = name.or_else(|| {
        let extension = extension.as_deref()?;
        let from_url = url_path(&draft.url)
            .filter(|path| path.ends_with(extension))
            .and_then(|path| path.rsplit('/').next().map(str::to_owned));
        from_url.or_else(|| Some(format!("{fallback}.{extension}")))
    });
    let mut file = Binary::new(
        secrets.hide_in_bytes(&response.body),
        secrets.hide(&mime_type),
        name.as_deref().map(sanitize_file_name),
    );
    file.file_extension = extension.map(Str::from);
    file.directory = directory.map(|directory| sanitize_path(directory).into());
    file
}

/// The file name in `attachment; filename="a.txt"` or `filename*=UTF-8''a%20b.txt`, without any
/// folders.
fn disposition_name(header: &str) -> Option<String> {
    let value = |wanted: &str| {
        let parts = split_outside_quotes(header);
        parts.into_iter().find_map(|part| {
            let (key, value) = part.split_once('=')?;
            key.trim()
                .eq_ignore_ascii_case(wanted)
                .then(|| value.trim().trim_matches('"').replace("\\\"", "\""))
        })
    };
    let extended = value("filename*").and_then(|value| {
        let mut pieces = value.splitn(3, '\'');
        let _charset = pieces.next()?;
        let _language = pieces.next()?;
        Some(percent_decode(pieces.next()?))
    });
    let name = extended.or_else(|| value("filename"))?;
    // Without any folders; one that is nothing but a way elsewhere is no name.
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    (!matches!(last, "" | "." | "..")).then(|| last.to_owned())
}

fn split_outside_quotes(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            ';' if !quoted => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The path of a URL without its leading slash.
fn url_path(url: &str) -> Option<String> {
    let url = url::Url::parse(url).ok()?;
    let path = percent_decode(url.path().trim_start_matches('/'));
    (!path.is_empty()).then_some(path)
}

fn percent_decode(text: &str) -> String {
    let kept = text.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    url::form_urlencoded::parse(kept.as_bytes())
        .next()
        .map(|(key, _)| key.into_owned())
        .unwrap_or_default()
}

/// The usual extension of a type; the first in the alphabet is not always the one people use.
fn extension_of(mime_type: &str) -> Option<&'static str> {
    match mime_type {
        "image/jpeg" => Some("jpeg"),
        "text/plain" => Some("txt"),
        "text/html" => Some("html"),
        "audio/mpeg" => Some("mpga"),
        "video/mp4" => Some("mp4"),
        "application/json" => Some("json"),
        "application/octet-stream" => Some("bin"),
        "application/xml" | "text/xml" => Some("xml"),
        other => mime_guess::get_mime_extensions_str(other)?.first().copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(url: &str, content_type: &str, disposition: &str) -> Binary {
        let headers = [("content-type", content_type), ("content-disposition", disposition)];
        let headers = headers
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let response = HttpResponse {
            status: 200,
            status_text: "".into(),
            headers: headers.collect(),
            body: "x".into(),
            url: url.to_owned(),
            reservation: Default::default(),
        };
        to_file(&response, &RequestDraft::new("GET", url), "data", &Secrets::default())
    }

    #[test]
    fn the_name_comes_from_the_answer_or_the_url() {
        for (url, content_type, disposition, name, extension, directory) in [
            ("https://x.test/img/pic.png?w=1", "image/png", "", "pic.png", "png", Some("img")),
            (
                "https://x.test/download",
                "application/pdf",
                "attachment; filename=\"a;b.pdf\"",
                "a;b.pdf",
                "pdf",
                None,
            ),
            (
                "https://x.test/d",
                "text/csv",
                "attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.csv; filename=x.csv",
                "résumé.csv",
                "csv",
                None,
            ),
            ("https://x.test/", "image/jpeg", "", "data.jpeg", "jpeg", None),
            (
                "https://x.test/d",
                "application/pdf",
                "attachment; filename=\"../../etc/passwd\"",
                "passwd",
                "pdf",
                None,
            ),
            ("https://x.test/a%2f..%2f..%2fb/nul", "text/plain", "", "_nul", "txt", Some("a/b")),
            ("https://x.test/files/42", "application/zip", "", "42", "zip", Some("files")),
        ] {
            let made = file(url, content_type, disposition);
            assert_eq!(made.file_name.as_deref(), Some(name), "{url} {disposition}");
            assert_eq!(made.file_extension.as_deref(), Some(extension), "{url}");
            assert_eq!(made.directory.as_deref(), directory, "{url}");
        }
    }

    #[test]
    fn files_are_known_by_their_type() {
        assert!(is_file_type("image/png") && is_file_type("Application/PDF; x=y"));
        assert!(
            !is_file_type("text/html") && !is_file_type("application/json") && !is_file_type("")
        );
    }
}
