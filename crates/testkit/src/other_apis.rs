//! What a provider offers beside conversations: images, speech, judgements and files, each always
//! the same.

use crate::http::response;
use serde_json::{Value, json};

/// A picture of one dot.
const DOT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// `host` is where whoever asks has found the server, and finds what it names.
pub(crate) fn respond(path: &str, host: &str) -> Option<Vec<u8>> {
    let path = path.split('?').next().unwrap_or_default();
    if path.ends_with("/audio/speech") {
        return Some(response(200, "audio/mpeg", "", "sound"));
    }
    if path.ends_with(":download") {
        return Some(response(200, "video/mp4", "", "film"));
    }
    Some(response(200, "application/json", "", &response_json(path, host)?.to_string()))
}

fn response_json(path: &str, host: &str) -> Option<Value> {
    let ends = [
        ("/images/generations", json!({ "data": [{ "b64_json": DOT }] })),
        ("/images/edits", json!({ "data": [{ "b64_json": DOT }] })),
        (
            "/moderations",
            json!({ "results": [{ "flagged": false, "categories": {}, "category_scores": {} }] }),
        ),
        ("/audio/transcriptions", json!({ "text": "Words from the mock model." })),
        ("/audio/translations", json!({ "text": "Words from the mock model." })),
        ("/files", json!({ "id": "file-1", "object": "file", "data": [] })),
        (":predictLongRunning", json!({ "name": "operations/1", "done": false })),
        ("/operations/1", video_ready(host)),
        (
            ":predict",
            json!({ "predictions": [{ "mimeType": "image/png", "bytesBase64Encoded": DOT }] }),
        ),
    ];
    ends.into_iter().find(|(end, _)| path.ends_with(end)).map(|(_, told)| told)
}

fn video_ready(host: &str) -> Value {
    let address = format!("http://{host}/v1beta/files/video-1:download?alt=media");
    json!({ "done": true, "response": { "generateVideoResponse": { "generatedSamples": [{ "video": { "uri": address } }] } } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_paths_are_nobodys() {
        let is_known = |path: &str| respond(path, "localhost").is_some();
        assert!(
            is_known("/v1/images/generations")
                && is_known("/v1/audio/speech")
                && !is_known("/v1/none")
        );
    }
}
