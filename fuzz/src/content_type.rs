//! Any text as the `Content-Type` of a workflow's answer: what is shown without the sandbox is, as
//! browsers read the header, of a type that they do not run.

use heddle_server::probe_response_headers;

/// Types that no browser makes a document of its origin of.
const INERT: &[&str] = &[
    "application/json",
    "application/jsonl",
    "application/x-ndjson",
    "application/octet-stream",
    "application/pdf",
    "application/gzip",
    "application/zip",
    "text/plain",
    "text/csv",
    "text/event-stream",
];

#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(text: &str) {
    check(&[text]);
    check(&["text/plain", text]);
    check(&[text, "image/png"]);
    check(&[&format!("application/json{text}")]);
    check(&[&format!("text/plain;{text}")]);
    check(&[&format!("image/png;a=\"{text}\"")]);
}

fn check(given: &[&str]) {
    let headers = probe_response_headers(
        given.iter().map(|value| ("Content-Type".into(), (*value).into())).collect(),
    );
    let all = |wanted: &str| {
        headers
            .iter()
            .filter(|(name, _)| name == wanted)
            .map(|(_, value)| value.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(all("x-content-type-options"), [b"nosniff"], "{given:?}");
    let policies = all("content-security-policy");
    let is_sandboxed = policies
        .iter()
        .any(|policy| policy.starts_with(b"sandbox ") && !contains(policy, b"allow-same-origin"));
    let kinds = all("content-type");
    // A part of it says of itself what it is.
    let mut pieces = kinds.iter().flat_map(|kind| kind.split(|byte| *byte == b','));
    assert!(
        !pieces.any(|piece| parsed(piece).is_some_and(|kind| kind == "multipart/x-mixed-replace")),
        "{given:?}"
    );
    if is_sandboxed {
        return;
    }
    let combined = kinds.join(&b", "[..]);
    let essence =
        extracted(&combined).unwrap_or_else(|| panic!("{given:?} has no type and no sandbox"));
    let is_media = ["image/", "audio/", "video/"].iter().any(|start| essence.starts_with(start))
        && !essence.contains("xml");
    assert!(is_media || INERT.contains(&essence.as_str()), "{given:?} is shown as {essence}");
    // A browser that knows no quotes finds the same.
    for piece in combined.split(|byte| *byte == b',') {
        assert_eq!(parsed(piece).as_deref(), Some(essence.as_str()), "{given:?}");
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// "Extract a MIME type" of the Fetch standard: the last one that can be read counts.
fn extracted(combined: &[u8]) -> Option<String> {
    let (mut pieces, mut start, mut is_quoted, mut place) = (Vec::new(), 0, false, 0);
    while let Some(byte) = combined.get(place) {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\\' if is_quoted => place += 1,
            b',' if !is_quoted => {
                pieces.push(&combined[start..place]);
                start = place + 1;
            }
            _ => {}
        }
        place += 1;
    }
    pieces.push(&combined[start.min(combined.len())..]);
    pieces.into_iter().filter_map(parsed).rfind(|essence| essence != "*/*")
}

/// "Parse a MIME type" of the MIME Sniffing standard, without the parameters.
fn parsed(piece: &[u8]) -> Option<String> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    let is_token = |part: &[u8]| {
        !part.is_empty()
            && part
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte))
    };
    let begin = piece.iter().position(|byte| !is_space(byte))?;
    let piece = &piece[begin..];
    let slash = piece.iter().position(|byte| *byte == b'/')?;
    let (kind, rest) = (&piece[..slash], &piece[slash + 1..]);
    let mut subtype = &rest[..rest.iter().position(|byte| *byte == b';').unwrap_or(rest.len())];
    while let Some((last, before)) = subtype.split_last().filter(|(last, _)| is_space(last)) {
        let _ = last;
        subtype = before;
    }
    (is_token(kind) && is_token(subtype)).then(|| {
        format!("{}/{}", String::from_utf8_lossy(kind), String::from_utf8_lossy(subtype))
            .to_ascii_lowercase()
    })
}
