//! Writes multipart/form-data bodies.

use bytes::Bytes;
use node_api::http::MultipartPart;
use std::hash::{BuildHasher, Hasher, RandomState};

/// The body and its `Content-Type`.
pub(super) fn encode(parts: &[MultipartPart]) -> (Bytes, String) {
    let boundary = boundary(parts);
    let mut body = Vec::with_capacity(parts.iter().map(|part| part.data.len() + 200).sum());
    for part in parts {
        let mut head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
            escape(&part.name)
        );
        if let Some(file_name) = &part.file_name {
            head.push_str(&format!("; filename=\"{}\"", escape(file_name)));
        }
        if let Some(mime_type) = &part.mime_type {
            head.push_str(&format!("\r\nContent-Type: {}", mime_type.replace(['\r', '\n'], "")));
        }
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(b"\r\n\r\n");
        body.extend_from_slice(&part.data);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    (body.into(), format!("multipart/form-data; boundary={boundary}"))
}

/// Names cannot end their quotes or their line, as browsers do it.
fn escape(name: &str) -> String {
    name.replace('\r', "%0D").replace('\n', "%0A").replace('"', "%22")
}

/// A line that no part contains.
fn boundary(parts: &[MultipartPart]) -> String {
    loop {
        // Each RandomState has keys of its own, which is all the chance that is needed here.
        let number = || RandomState::new().build_hasher().finish();
        let boundary = format!("--------------------------{:016x}{:016x}", number(), number());
        let found = parts.iter().any(|part| {
            part.data.windows(boundary.len()).any(|window| window == boundary.as_bytes())
        });
        if !found {
            return boundary;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_written_with_their_names_and_types() {
        let part = |name: &str, file_name: Option<&str>, mime_type: Option<&str>| MultipartPart {
            name: name.into(),
            data: Bytes::from_static(b"data"),
            file_name: file_name.map(str::to_owned),
            mime_type: mime_type.map(str::to_owned),
        };
        let (body, content_type) = encode(&[
            part("a", None, None),
            part("f\"\r\nX: y", Some("n\".txt"), Some("text/plain\r\nX: y")),
        ]);
        let boundary = content_type.strip_prefix("multipart/form-data; boundary=").unwrap();
        let expected = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\ndata\r\n\
             --{boundary}\r\nContent-Disposition: form-data; name=\"f%22%0D%0AX: y\"; filename=\"n%22.txt\"\r\nContent-Type: text/plainX: y\r\n\r\ndata\r\n\
             --{boundary}--\r\n"
        );
        assert_eq!(body, expected.as_bytes());
    }
}
