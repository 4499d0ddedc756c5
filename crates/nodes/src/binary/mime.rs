//! MIME types by extension, extensions by MIME type, and types by content, as the libraries that
//! n8n uses have them.

/// The MIME type that a path's extension stands for. A bare word counts as an extension: `html` is
/// `text/html`.
pub(crate) fn mime_of_path(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next()?;
    let is_bare = !path.contains(['/', '\\']);
    let extension = match name.rfind('.') {
        Some(at) if at > 0 || is_bare => &name[at + 1..],
        None if is_bare => name,
        _ => return None,
    }
    .to_ascii_lowercase();
    if extension.is_empty() {
        return None;
    }
    if let Some((_, mime_type)) = EXTENSION_OVERRIDES.iter().find(|(known, _)| *known == extension)
    {
        return *mime_type;
    }
    mime_guess::from_ext(&extension).first_raw()
}

/// The extension that n8n gives to a MIME type.
pub(crate) fn extension_of_mime(mime_type: &str) -> Option<&'static str> {
    let bare = mime_type.trim_start().split([';', ' ', '\t']).next()?.to_ascii_lowercase();
    if let Some((_, extension)) = EXTENSIONS.iter().find(|(known, _)| *known == bare) {
        return *extension;
    }
    let (top, sub) = bare.split_once('/')?;
    let known = mime_guess::get_mime_extensions_str(&bare)?;
    // Of several, the one that the type itself is named after is the usual one.
    let plain = sub.trim_start_matches("x-").trim_start_matches("vnd.");
    known
        .iter()
        .find(|extension| **extension == plain)
        .or_else(|| known.first())
        .copied()
        .filter(|_| top != "*")
}

/// The MIME type and extension that the first bytes of a file tell. Text, HTML and the like tell
/// nothing.
pub(super) fn sniff(data: &[u8]) -> Option<(&'static str, &'static str)> {
    let found = infer::get(data)?;
    match found.mime_type() {
        "text/html" | "text/x-shellscript" => None,
        "text/xml" => Some(("application/xml", "xml")),
        "audio/x-wav" => Some(("audio/vnd.wave", "wav")),
        "audio/m4a" => Some(("audio/x-m4a", "m4a")),
        "audio/aac" => Some(("audio/aac", "aac")),
        "application/vnd.rar" => Some(("application/x-rar-compressed", "rar")),
        "application/vnd.microsoft.portable-executable" => {
            Some(("application/x-msdownload", "exe"))
        }
        "image/vnd.microsoft.icon" => Some(("image/x-icon", "ico")),
        "application/msword" | "application/vnd.ms-excel" | "application/vnd.ms-powerpoint" => {
            Some(("application/x-cfb", "cfb"))
        }
        mime_type => Some((mime_type, found.extension())),
    }
}

/// Extensions that n8n's table has otherwise than ours, or not at all.
static EXTENSION_OVERRIDES: &[(&str, Option<&str>)] = &[
    ("js", Some("application/javascript")),
    ("mjs", Some("application/javascript")),
    ("jsx", Some("text/jsx")),
    ("xml", Some("application/xml")),
    ("xsl", Some("application/xml")),
    ("xsd", Some("application/xml")),
    ("ts", Some("video/mp2t")),
    ("yaml", Some("text/yaml")),
    ("yml", Some("text/yaml")),
    ("toml", Some("application/toml")),
    ("md", Some("text/markdown")),
    ("markdown", Some("text/markdown")),
    ("wav", Some("audio/wave")),
    ("m4a", Some("audio/mp4")),
    ("m4b", None),
    ("aac", Some("audio/x-aac")),
    ("flac", Some("audio/x-flac")),
    ("mid", Some("audio/midi")),
    ("midi", Some("audio/midi")),
    ("amr", Some("audio/amr")),
    ("ico", Some("image/vnd.microsoft.icon")),
    ("jfif", None),
    ("psd", Some("image/vnd.adobe.photoshop")),
    ("heic", Some("image/heic")),
    ("heif", Some("image/heif")),
    ("rar", Some("application/vnd.rar")),
    ("tgz", Some("application/x-gzip")),
    ("gzip", None),
    ("docx", Some("application/vnd.openxmlformats-officedocument.wordprocessingml.document")),
    ("xlsx", Some("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")),
    ("pptx", Some("application/vnd.openxmlformats-officedocument.presentationml.presentation")),
    ("xlsb", Some("application/vnd.ms-excel.sheet.binary.macroenabled.12")),
    ("xlsm", Some("application/vnd.ms-excel.sheet.macroenabled.12")),
    ("map", Some("application/json")),
    ("jsonl", None),
    ("ndjson", None),
    ("parquet", None),
    ("py", None),
    ("rs", Some("application/rls-services+xml")),
    ("c", Some("text/x-c")),
    ("h", Some("text/x-c")),
    ("cpp", Some("text/x-c")),
    ("java", Some("text/x-java-source")),
    ("vcf", Some("text/x-vcard")),
    ("pem", Some("application/x-x509-ca-cert")),
    ("exe", Some("application/x-msdos-program")),
    ("dmg", Some("application/octet-stream")),
    ("csh", Some("application/x-csh")),
    ("rtf", Some("application/rtf")),
];

/// The usual extension of a type that has several, and types that have none.
static EXTENSIONS: &[(&str, Option<&str>)] = &[
    ("text/plain", Some("txt")),
    ("text/html", Some("html")),
    ("text/css", Some("css")),
    ("text/csv", Some("csv")),
    ("text/markdown", Some("markdown")),
    ("text/calendar", Some("ics")),
    ("text/xml", Some("xml")),
    ("text/yaml", Some("yaml")),
    ("text/vcard", Some("vcard")),
    ("text/tab-separated-values", Some("tsv")),
    ("text/javascript", None),
    ("application/javascript", Some("js")),
    ("application/json", Some("json")),
    ("application/ld+json", Some("jsonld")),
    ("application/xml", Some("xml")),
    ("application/xhtml+xml", Some("xhtml")),
    ("application/rss+xml", Some("rss")),
    ("application/atom+xml", Some("atom")),
    ("application/pdf", Some("pdf")),
    ("application/rtf", Some("rtf")),
    ("application/zip", Some("zip")),
    ("application/gzip", Some("gz")),
    ("application/x-gzip", None),
    ("application/x-tar", Some("tar")),
    ("application/vnd.rar", Some("rar")),
    ("application/x-7z-compressed", Some("7z")),
    ("application/octet-stream", Some("bin")),
    ("application/x-www-form-urlencoded", None),
    ("multipart/form-data", None),
    ("application/msword", Some("doc")),
    ("application/vnd.ms-excel", Some("xls")),
    ("application/vnd.ms-powerpoint", Some("ppt")),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", Some("docx")),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", Some("xlsx")),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", Some("pptx")),
    ("application/vnd.oasis.opendocument.spreadsheet", Some("ods")),
    ("application/vnd.oasis.opendocument.text", Some("odt")),
    ("application/postscript", Some("ai")),
    ("image/jpeg", Some("jpeg")),
    ("image/png", Some("png")),
    ("image/gif", Some("gif")),
    ("image/webp", Some("webp")),
    ("image/svg+xml", Some("svg")),
    ("image/tiff", Some("tif")),
    ("image/bmp", Some("bmp")),
    ("image/avif", Some("avif")),
    ("image/heic", Some("heic")),
    ("image/vnd.microsoft.icon", Some("ico")),
    ("image/x-icon", Some("ico")),
    ("audio/mpeg", Some("mpga")),
    ("audio/mp3", Some("mp3")),
    ("audio/mp4", Some("m4a")),
    ("audio/x-m4a", Some("m4a")),
    ("audio/ogg", Some("oga")),
    ("audio/wav", Some("wav")),
    ("audio/wave", Some("wav")),
    ("audio/x-wav", Some("wav")),
    ("audio/webm", Some("weba")),
    ("audio/midi", Some("mid")),
    ("audio/x-aac", Some("aac")),
    ("audio/x-flac", Some("flac")),
    ("video/mp4", Some("mp4")),
    ("video/mpeg", Some("mpeg")),
    ("video/ogg", Some("ogv")),
    ("video/webm", Some("webm")),
    ("video/quicktime", Some("qt")),
    ("video/x-msvideo", Some("avi")),
    ("video/x-matroska", Some("mkv")),
    ("video/3gpp", Some("3gp")),
    ("message/rfc822", Some("eml")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_tell_types() {
        for (path, expected) in [
            ("a.PDF", Some("application/pdf")),
            ("html", Some("text/html")),
            ("folder/html", None),
            ("folder.zip/name", None),
            ("a.unknown", None),
            (".json", Some("application/json")),
            ("a.js", Some("application/javascript")),
            (
                "spreadsheet.xlsx",
                Some("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            ),
            ("a.", None),
            ("", None),
        ] {
            assert_eq!(mime_of_path(path), expected, "{path}");
        }
    }

    #[test]
    fn types_tell_extensions() {
        for (mime_type, expected) in [
            ("image/jpeg", Some("jpeg")),
            ("TEXT/HTML; charset=x", Some("html")),
            ("text", None),
            ("no/such", None),
            ("application/x-sh", Some("sh")),
            ("application/wasm", Some("wasm")),
        ] {
            assert_eq!(extension_of_mime(mime_type), expected, "{mime_type}");
        }
    }
}
