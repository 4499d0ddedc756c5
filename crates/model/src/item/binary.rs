//! A file that travels with an item.

use crate::{Object, Str, Value};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;

/// A file in memory; its bytes are shared between all items that carry it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Binary {
    pub data: Bytes,
    pub mime_type: Str,
    pub file_name: Option<Str>,
    /// Without the dot.
    pub file_extension: Option<Str>,
    /// n8n's coarse kind: `text`, `json`, `image`, `audio`, `video`, `pdf`, `html`.
    pub file_type: Option<Str>,
    pub directory: Option<Str>,
    /// Fields of n8n's that we carry along, such as `id`.
    pub extra: Object,
}

impl Binary {
    /// A file with the kind and extension that follow from its MIME type and name.
    pub fn new(data: impl Into<Bytes>, mime_type: impl Into<Str>, file_name: Option<Str>) -> Self {
        let mime_type = mime_type.into();
        let file_extension = file_name
            .as_deref()
            .and_then(|name| name.rsplit_once('.'))
            .map(|(_, extension)| extension.into());
        Self {
            data: data.into(),
            file_type: file_type_of(&mime_type).map(Str::from),
            mime_type,
            file_name,
            file_extension,
            ..Self::default()
        }
    }

    /// The size in words, as n8n prints it: `12.3 kB`.
    pub fn size_text(&self) -> String {
        Self::size_in_words(self.data.len())
    }

    /// A size in words, for files whose bytes are elsewhere.
    pub fn size_in_words(bytes: usize) -> String {
        pretty_bytes(bytes)
    }

    pub fn to_value(&self) -> Value {
        let mut object = Object::new();
        object.insert("mimeType", self.mime_type.clone());
        object.insert("fileType", self.file_type.clone());
        object.insert("fileExtension", self.file_extension.clone());
        object.insert("data", STANDARD.encode(&self.data));
        object.insert("directory", self.directory.clone());
        object.insert("fileName", self.file_name.clone());
        object.insert("fileSize", self.size_text());
        object.extend(self.extra.clone());
        Value::object(object)
    }

    /// Reads n8n's form; `None` unless it is an object with base64 data.
    pub fn from_value(value: &Value) -> Option<Self> {
        let object = value.as_object()?;
        let text = |key: &str| object.get(key).and_then(Value::as_str).map(Str::from);
        let data = object.get("data").and_then(Value::as_str).unwrap_or_default();
        let data = STANDARD
            .decode(data.trim())
            .or_else(|_| base64::engine::general_purpose::STANDARD_NO_PAD.decode(data.trim()))
            .ok()?;
        let known =
            ["data", "mimeType", "fileName", "fileExtension", "fileType", "directory", "fileSize"];
        let mut extra = object.clone();
        extra.retain(|key, _| !known.contains(&key));
        Some(Self {
            data: data.into(),
            mime_type: text("mimeType").unwrap_or_else(|| "text/plain".into()),
            file_name: text("fileName"),
            file_extension: text("fileExtension"),
            file_type: text("fileType"),
            directory: text("directory"),
            extra,
        })
    }
}

/// n8n's coarse kind of a MIME type.
pub(crate) fn file_type_of(mime_type: &str) -> Option<&'static str> {
    // By their beginnings, because a type may carry parameters: `application/json; charset=utf-8`.
    let kinds = [
        ("application/json", "json"),
        ("text/html", "html"),
        ("image/", "image"),
        ("audio/", "audio"),
        ("video/", "video"),
        ("text/", "text"),
        ("application/javascript", "text"),
        ("application/pdf", "pdf"),
    ];
    kinds.into_iter().find(|(start, _)| mime_type.starts_with(start)).map(|(_, kind)| kind)
}

/// Bytes in decimal units with three significant digits.
fn pretty_bytes(bytes: usize) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let exponent = ((bytes as f64).log10() / 3.0).floor().min(4.0) as usize;
    let scaled = bytes as f64 / 1000f64.powi(exponent as i32);
    let digits = 2 - scaled.log10().floor() as usize;
    let rounded: f64 = format!("{scaled:.digits$}").parse().unwrap_or(scaled);
    format!("{} {}", crate::number_to_string(rounded), UNITS[exponent])
}

#[cfg(test)]
mod tests {
    use super::pretty_bytes;

    #[test]
    fn sizes_have_three_digits() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1 kB"),
            (1337, "1.34 kB"),
            (33_000, "33 kB"),
            (1_234_567, "1.23 MB"),
        ] {
            assert_eq!(pretty_bytes(bytes), text);
        }
    }
}
