//! What requests of the responses API look like, and streams of its answers.

use super::*;
use crate::models::body_decoder::read;
use crate::models::failure::RetryHint;
use crate::models::secret::Secret;
use model::Code;
use node_api::ai::{
    ChatEvent, ModelOptions, Opaque, StopReason, ToolArguments, ToolCall, ToolChoice, ToolEffect,
    ToolResult,
};

const ALL: Capabilities = Capabilities {
    tools: true,
    vision: true,
    streaming: true,
    sampling: true,
    forced_tool: true,
    json_schema: true,
    context: None,
    max_output: None,
};

fn write_body(request: &ChatRequest, settings: &OpenAiSettings) -> Value {
    let info = ModelInfo {
        provider: "openai".into(),
        model: "gpt-x".into(),
        capabilities: ALL,
        price: None,
    };
    body(request, &info, settings)
}

#[test]
fn a_conversation_becomes_items() {
    let item =
        json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc" });
    let thinking = MessagePart::Thinking {
        text: "".into(),
        opaque: Some(Opaque { provider: PROVIDER.into(), data: item }),
    };
    let foreign = MessagePart::Thinking {
        text: "x".into(),
        opaque: Some(Opaque { provider: "other".into(), data: json!({}) }),
    };
    let call = ToolCall {
        id: "c1".into(),
        name: "f".into(),
        arguments: ToolArguments::parse("{}"),
        opaque: None,
    };
    let result =
        ToolResult { id: "c1".into(), name: "f".into(), content: "42".into(), is_error: false };
    let parameters = json!({ "type": "object" });
    let request = ChatRequest {
        messages: vec![
            Message::system("s"),
            Message::user("u"),
            Message::new(
                ChatRole::Assistant,
                vec![
                    thinking,
                    foreign,
                    MessagePart::Text("wait".into()),
                    MessagePart::ToolCall(call),
                ],
            ),
            Message::results([result]),
        ],
        tools: vec![ToolDefinition {
            name: "f".into(),
            description: "".into(),
            parameters,
            effect: ToolEffect::None,
            flow: node_api::ai::DataFlow::default(),
        }],
        tool_choice: ToolChoice::Tool("f".into()),
        format: OutputFormat::Json,
        options: ModelOptions {
            max_tokens: Some(7),
            effort: Some("low".into()),
            temperature: Some(1.0),
            ..ModelOptions::default()
        },
        ..ChatRequest::default()
    };
    let mut settings = OpenAiSettings::openai(Secret::default());
    settings.returns_reasoning = true;
    let expected = json!({
        "model": "gpt-x", "store": false, "include": ["reasoning.encrypted_content"], "stream": true,
        "input": [
            { "role": "system", "content": [{ "type": "input_text", "text": "s" }] },
            { "role": "user", "content": [{ "type": "input_text", "text": "u" }] },
            { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "abc" },
            { "role": "assistant", "content": [{ "type": "output_text", "text": "wait" }] },
            { "type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "c1", "output": "42" }
        ],
        "tools": [{ "type": "function", "name": "f", "parameters": { "type": "object" }, "strict": false }],
        "tool_choice": { "type": "function", "name": "f" },
        "text": { "format": { "type": "json_object" } },
        "max_output_tokens": 7, "reasoning": { "effort": "low" }, "temperature": 1
    });
    assert_eq!(write_body(&request, &settings), expected);
}

fn stream(events: &[&str]) -> String {
    events.iter().map(|event| format!("event: x\ndata: {event}\n\n")).collect()
}

#[test]
fn events_become_a_turn_in_any_cut() {
    let text = stream(&[
        r#"{"type":"response.created","response":{"status":"in_progress","error":null,"output":[]}}"#,
        r#"{"type":"response.output_item.added","item":{"type":"reasoning","summary":[]}}"#,
        r#"{"type":"response.reasoning_summary_text.delta","delta":"Hm"}"#,
        r#"{"type":"response.output_item.done","item":{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm"}]}}"#,
        r#"{"type":"response.output_text.delta","delta":"é"}"#,
        r#"{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"é"}]}}"#,
        r#"{"type":"response.output_item.added","item":{"type":"function_call","call_id":"c","name":"f","arguments":""}}"#,
        r#"{"type":"response.function_call_arguments.delta","delta":"{}"}"#,
        r#"{"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}}"#,
        r#"{"type":"response.completed","response":{"model":"m-1","status":"completed","output":[],"usage":{"input_tokens":5,"output_tokens":3}}}"#,
    ]);
    let (events, turn) = read(ResponsesReader::new("m"), &[text.as_bytes()]);
    let call = ChatEvent::CallBegins { index: 0, name: "f".into() };
    assert_eq!(events, [ChatEvent::Thinking("Hm".into()), ChatEvent::Text("é".into()), call]);
    let turn = turn.unwrap();
    assert_eq!(
        (turn.stop.clone(), turn.usage.input, turn.model.as_str(), turn.message.parts.len()),
        (StopReason::ToolCalls, 5, "m-1", 3)
    );
    let pieces: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
    assert_eq!(read(ResponsesReader::new("m"), &pieces), (events, Ok(turn)));
}

#[test]
fn a_stream_that_only_tells_its_end_is_told_all_the_same() {
    let text =
        stream(&[r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},
        "output":[{"type":"message","content":[{"type":"output_text","text":"half"}]}]}}"#
            .replace('\n', " ")
            .as_str()]);
    let (events, turn) = read(ResponsesReader::new("m"), &[text.as_bytes()]);
    assert_eq!(events, [ChatEvent::Text("half".into())]);
    assert_eq!(turn.unwrap().stop, StopReason::Length);
}

#[test]
fn failures_are_told_by_their_codes() {
    let turn = |text: &str| read(ResponsesReader::new("m"), &[text.as_bytes()]).1;
    let failed = stream(&[
        r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow"}}}"#,
    ]);
    let failure = turn(&failed).unwrap_err();
    assert_eq!(
        (failure.error.code, failure.error.message.as_str(), failure.retry),
        (Code::MODEL_RATE_LIMIT, "slow", RetryHint::Soon)
    );
    let error =
        stream(&[r#"{"type":"error","code":"insufficient_quota","message":"empty","param":null}"#]);
    assert_eq!(turn(&error).unwrap_err().error.code, Code::MODEL_QUOTA);
    let cut = stream(&[r#"{"type":"response.output_text.delta","delta":"a"}"#]);
    assert_eq!(turn(&cut).unwrap_err().retry, RetryHint::Soon);
    assert!(turn(r#"{"status":"completed","output":[]}"#).is_err());
    let refused = r#"{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}]}"#;
    assert_eq!(turn(refused).unwrap().stop, StopReason::Refusal);
}
