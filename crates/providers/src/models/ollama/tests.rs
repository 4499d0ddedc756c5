//! Conversations with Ollama, there and back.

use super::*;
use crate::models::catalog::Catalog;
use crate::models::failure::RetryHint;
use model::{Code, Object, json};
use node_api::ai::{
    ChatEvent, ChatRequest, ChatRole, Media, MediaData, Message, MessagePart, ModelInfo,
    ModelReply, OutputFormat, StopReason, TokenUsage, ToolArguments, ToolCall, ToolChoice,
    ToolDefinition, ToolEffect, ToolResult,
};

fn info() -> ModelInfo {
    Catalog::shipped().find("ollama", "qwen3:4b").info
}

fn sent(request: &ChatRequest) -> Value {
    body(request, &info(), &OllamaSettings::default())
}

fn asking(text: &str) -> ChatRequest {
    ChatRequest {
        messages: vec![Message::system("Be brief."), Message::user(text)],
        ..ChatRequest::default()
    }
}

fn tool(name: &str) -> ToolDefinition {
    let parameters = json!({ "type": "object", "properties": {} });
    ToolDefinition {
        name: name.into(),
        description: "Does it.".into(),
        parameters,
        effect: ToolEffect::None,
        flow: node_api::ai::DataFlow::default(),
    }
}

fn streamed(lines: &[Value]) -> (Vec<ChatEvent>, ModelReply) {
    let mut decoder = OllamaDecoder::new(&info());
    let mut seen: Vec<_> = lines
        .iter()
        .flat_map(|line| decoder.line(&model::json::to_string(line)).unwrap())
        .collect();
    assert!(decoder.end().unwrap().is_empty());
    match seen.pop() {
        Some(ChatEvent::Done(turn)) => (seen, *turn),
        other => panic!("the answer does not end: {other:?}"),
    }
}

#[test]
fn a_request_always_says_how_much_context_there_is() {
    let mut request = asking("Hi");
    request.options = ModelOptions {
        temperature: Some(0.5),
        max_tokens: Some(99),
        seed: Some(3),
        stop: vec!["END".into()],
        ..Default::default()
    };
    let wanted = json!({
        "model": "qwen3:4b", "stream": true,
        "messages": [{ "role": "system", "content": "Be brief." }, { "role": "user", "content": "Hi" }],
        "options": { "num_ctx": 8192, "num_predict": 99, "temperature": 0.5, "seed": 3, "stop": ["END"] }
    });
    assert_eq!(sent(&request), wanted);
    let settings = OllamaSettings {
        delivery: Delivery::Whole,
        context: Some(32_768),
        think: Some("low".into()),
        keep_alive: Some("1h".into()),
        ..OllamaSettings::default()
    };
    let body = body(&asking("Hi"), &info(), &settings);
    assert_eq!(
        (body.get("stream"), body.get("think"), body.get("keep_alive")),
        (Some(&json!(false)), Some(&json!("low")), Some(&json!("1h")))
    );
    assert_eq!(body.get("options"), Some(&json!({ "num_ctx": 32768 })));
}

#[test]
fn calls_and_results_go_by_the_name_of_the_tool() {
    let arguments = ToolArguments::Parsed([("n", 1)].into_iter().collect::<Object>());
    let call = MessagePart::ToolCall(ToolCall {
        id: "call_0".into(),
        name: "t".into(),
        arguments,
        opaque: None,
    });
    let result = |content: &str, is_error| ToolResult {
        id: "call_0".into(),
        name: "t".into(),
        content: content.into(),
        is_error,
    };
    let messages = vec![
        Message::new(
            ChatRole::Assistant,
            vec![
                MessagePart::Thinking { text: "Hm.".into(), opaque: None },
                MessagePart::Text("So.".into()),
                call,
            ],
        ),
        Message::results([result("2", false), result("Broken.", true)]),
    ];
    let body = sent(&ChatRequest { messages, ..ChatRequest::default() });
    let wanted = json!([
        { "role": "assistant", "content": "So.", "tool_calls": [{ "function": { "name": "t", "arguments": { "n": 1 } } }] },
        { "role": "tool", "tool_name": "t", "content": "2" },
        { "role": "tool", "tool_name": "t", "content": "Error: Broken." }
    ]);
    assert_eq!(body.get("messages"), Some(&wanted));
}

#[test]
fn a_tool_is_demanded_by_offering_nothing_else_and_a_form_is_held_to_without_tools() {
    let mut request = asking("Hi");
    request.format = OutputFormat::Schema { name: "x".into(), schema: json!({ "type": "object" }) };
    assert_eq!(sent(&request).get("format"), Some(&json!({ "type": "object" })));
    request.format = OutputFormat::Json;
    assert_eq!(sent(&request).get("format"), Some(&json!("json")));
    request.tools = vec![tool("a"), tool("b")];
    request.tool_choice = ToolChoice::Tool("b".into());
    let body = sent(&request);
    assert_eq!(body.get("format"), None);
    assert_eq!(body.get("tools").unwrap().as_array().unwrap().len(), 1);
    let roles: Vec<_> = body
        .get("messages")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message.get("role").unwrap().to_js_string())
        .collect();
    assert_eq!(
        roles,
        ["system", "system", "system", "user"],
        "the tool and the form are asked for in words"
    );
    request.tool_choice = ToolChoice::None;
    assert_eq!(sent(&request).get("tools"), None);
}

#[test]
fn images_are_sent_and_files_are_read_out() {
    let media = |mime: &str, data: MediaData| Media {
        mime_type: mime.into(),
        name: Some("a".into()),
        data,
    };
    let parts = vec![
        MessagePart::Text("See".into()),
        MessagePart::Image(media("image/png", MediaData::Bytes("abc".into()))),
        MessagePart::File(media("text/plain", MediaData::Bytes("words".into()))),
    ];
    let body = sent(&ChatRequest {
        messages: vec![Message::new(ChatRole::User, parts)],
        ..ChatRequest::default()
    });
    assert_eq!(
        body.get("messages"),
        Some(&json!([{ "role": "user", "content": "See\nwords", "images": ["YWJj"] }]))
    );
}

#[test]
fn a_stream_becomes_a_turn_with_ids_of_its_own() {
    let line = |message: Value| -> Value {
        let fields = [
            ("model", Value::from("qwen3:4b")),
            ("created_at", "2026-11-15T10:00:00Z".into()),
            ("message", message),
            ("done", false.into()),
        ];
        fields.into_iter().collect::<Object>().into()
    };
    let call = |n: i32| json!({ "role": "assistant", "content": "", "tool_calls": [{ "function": { "name": "t", "arguments": { "n": n } } }] });
    let last = json!({ "model": "qwen3:4b", "message": { "role": "assistant", "content": "" }, "done": true, "done_reason": "stop",
        "prompt_eval_count": 26, "eval_count": 298, "total_duration": 5 });
    let lines = [
        line(json!({ "thinking": "Hm." })),
        line(json!({ "content": "On" })),
        line(json!({ "content": "e" })),
        line(call(1)),
        line(call(2)),
        last,
    ];
    let (seen, turn) = streamed(&lines);
    assert_eq!(seen[0], ChatEvent::Thinking("Hm.".into()));
    assert_eq!(seen[4], ChatEvent::CallBegins { index: 1, name: "t".into() });
    assert_eq!((turn.message.text().as_str(), turn.stop), ("One", StopReason::ToolCalls));
    let ids: Vec<_> = turn.message.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_2026-11-15T10_00_00Z_0", "call_2026-11-15T10_00_00Z_1"]);
    assert_eq!((turn.usage.input, turn.usage.output), (26, 298));
}

#[test]
fn usage_may_be_missing_or_negative_and_the_reason_new() {
    let (_, turn) = streamed(&[
        json!({ "message": { "content": "Hi" }, "done": true, "done_reason": "length" }),
    ]);
    assert_eq!(
        (turn.usage, turn.stop, turn.model.as_str()),
        (TokenUsage::default(), StopReason::Length, "qwen3:4b")
    );
    let (_, turn) = streamed(&[json!({ "done": true, "done_reason": "load", "eval_count": -1 })]);
    assert_eq!((turn.usage.output, turn.stop), (0, StopReason::Other("load".into())));
    let whole =
        super::turn(&json!({ "message": { "content": "Hi" }, "done": true }), &info()).unwrap();
    assert_eq!(whole.stop, StopReason::Stop);
}

#[test]
fn an_error_after_the_beginning_is_one() {
    let mut decoder = OllamaDecoder::new(&info());
    decoder.line(r#"{"message":{"content":"Hal"},"done":false}"#).unwrap();
    let refusal = decoder
        .line(r#"{"error":"an error was encountered while running the model"}"#)
        .unwrap_err();
    assert_eq!((refusal.error.code, refusal.error.status), (Code::MODEL_ERROR, None));
    assert_eq!(decoder.end().unwrap_err().error.message, "ollama: The response was cut off");
    assert!(OllamaDecoder::new(&info()).line("{\"mess").is_err());
    assert!(OllamaDecoder::new(&info()).line("{}").is_err());
}

#[test]
fn refusals_go_by_their_status() {
    let refused = |status: u16, body: &str| refusal(status, &[], body.as_bytes(), 0);
    let missing = refused(404, r#"{"error":"model 'x' not found"}"#);
    assert_eq!((missing.error.code, missing.retry), (Code::MODEL_NOT_FOUND, RetryHint::Never));
    assert!(missing.error.hint.is_some());
    assert_eq!(refused(503, r#"{"error":"busy"}"#).retry, RetryHint::Soon);
    assert_eq!(
        refused(400, r#"{"error":"x does not support tools"}"#).error.code,
        Code::MODEL_REQUEST
    );
    assert_eq!(refused(500, "").error.message, "ollama responded with status 500");
}
