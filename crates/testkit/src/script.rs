//! Scripts from outside: a program in another language says over HTTP what the models are to
//! answer, and asks what they were asked.

use crate::fault::NetFault;
use crate::http::{ParsedRequest, response};
use crate::reply::{ScriptedReply, ScriptedUsage};
use crate::server::MockState;
use serde_json::{Value, json};

/// Answers requests to the server itself: `POST /__script` adds replies, `GET /__asked` tells what
/// was asked, `POST /__reset` forgets both.
pub(crate) fn control(request: &ParsedRequest, state: &MockState) -> Option<Vec<u8>> {
    let told = match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/__script") => {
            let replies: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            match replies_of(&replies) {
                Ok(replies) => {
                    state.add(replies);
                    json!({ "ok": true })
                }
                Err(problem) => {
                    return Some(response(
                        400,
                        "application/json",
                        "",
                        &json!({ "error": problem }).to_string(),
                    ));
                }
            }
        }
        ("GET", "/__asked") => state.asked_as_json(),
        ("POST", "/__reset") => {
            state.reset();
            json!({ "ok": true })
        }
        _ => return None,
    };
    Some(response(200, "application/json", "", &told.to_string()))
}

/// The replies of a script that is a file.
pub fn replies_from_json(text: &str) -> Result<Vec<ScriptedReply>, String> {
    replies_of(&serde_json::from_str(text).map_err(|error| error.to_string())?)
}

/// Replies as JSON: `{ "text", "calls": [{ "name", "arguments" }], "stop", "usage": { "input",
/// "output" }, "fault" }`, one or a list.
fn replies_of(value: &Value) -> Result<Vec<ScriptedReply>, String> {
    match value {
        Value::Array(replies) => replies.iter().map(reply_of).collect(),
        Value::Object(_) => Ok(vec![reply_of(value)?]),
        _ => Err("a reply is an object".to_owned()),
    }
}

fn reply_of(value: &Value) -> Result<ScriptedReply, String> {
    let mut reply = ScriptedReply::text(value["text"].as_str().unwrap_or_default());
    for call in value["calls"].as_array().into_iter().flatten() {
        reply = reply
            .and_call(call["name"].as_str().ok_or("a call has a name")?, call["arguments"].clone());
        if let (Some(id), Some(last)) = (call["id"].as_str(), reply.calls.last_mut()) {
            id.clone_into(&mut last.id);
        }
    }
    reply.stop = value["stop"].as_str().map(str::to_owned);
    if let (Some(input), Some(output)) =
        (value["usage"]["input"].as_i64(), value["usage"]["output"].as_i64())
    {
        reply.usage = ScriptedUsage::Of { input, output };
    }
    match value["fault"].as_str() {
        None => Ok(reply),
        Some(name) => Ok(reply.with_fault(
            NetFault::named(name).ok_or_else(|| format!("there is no fault '{name}'"))?,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read_and_what_is_none_is_told() {
        let script = r#"[{ "text": "a", "usage": { "input": 1, "output": 2 } }, { "calls": [{ "id": "x", "name": "t", "arguments": {} }], "fault": "tooMany:anHour" }]"#;
        let replies = replies_from_json(script).unwrap();
        assert_eq!(
            (replies[0].text.as_str(), replies[0].usage),
            ("a", ScriptedUsage::Of { input: 1, output: 2 })
        );
        assert_eq!(
            (replies[1].calls[0].id.as_str(), replies[1].fault),
            ("x", NetFault::named("tooMany:anHour"))
        );
        for wrong in ["", "1", r#"{ "fault": "none such" }"#, r#"{ "calls": [{}] }"#] {
            assert!(replies_from_json(wrong).is_err(), "{wrong}");
        }
    }
}
