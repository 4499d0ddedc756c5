//! What requests of chat completions look like.

use super::*;
use crate::models::secret::Secret;
use bytes::Bytes;
use node_api::ai::{
    ChatRole, Media, MediaData, Message, MessagePart, ToolArguments, ToolCall, ToolEffect,
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
const LEAST: Capabilities = Capabilities {
    tools: false,
    vision: false,
    streaming: false,
    sampling: false,
    forced_tool: false,
    json_schema: false,
    context: None,
    max_output: None,
};

fn write(request: &ChatRequest, capabilities: Capabilities, settings: &OpenAiSettings) -> Value {
    let info =
        ModelInfo { provider: "openai".into(), model: "gpt-x".into(), capabilities, price: None };
    body(request, &info, settings)
}

fn settings() -> OpenAiSettings {
    OpenAiSettings::openai(Secret::new("k"))
}

fn asking(messages: Vec<Message>) -> ChatRequest {
    ChatRequest { messages, ..ChatRequest::default() }
}

fn tools() -> Vec<ToolDefinition> {
    let parameters = json!({ "type": "object", "properties": {} });
    vec![ToolDefinition {
        name: "f".into(),
        description: "does".into(),
        parameters,
        effect: ToolEffect::None,
        flow: node_api::ai::DataFlow::default(),
    }]
}

#[test]
fn the_least_is_the_model_and_what_was_said() {
    let request = ChatRequest {
        tools: tools(),
        tool_choice: ToolChoice::Required,
        format: OutputFormat::Schema { name: "n".into(), schema: json!({}) },
        options: ModelOptions {
            temperature: Some(0.5),
            stop: vec!["x".into()],
            ..ModelOptions::default()
        },
        ..asking(vec![Message::system("s"), Message::user("u")])
    };
    let expected = json!({ "model": "gpt-x", "messages": [{ "role": "system", "content": "s" }, { "role": "user", "content": "u" }] });
    assert_eq!(write(&request, LEAST, &settings()), expected);
}

#[test]
fn everything_is_said_to_a_model_that_takes_everything() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"], "additionalProperties": false });
    let request = ChatRequest {
        tools: tools(),
        tool_choice: ToolChoice::Tool("f".into()),
        parallel_calls: Some(false),
        format: OutputFormat::Schema { name: "answer".into(), schema: schema.clone() },
        options: ModelOptions {
            temperature: Some(0.5),
            max_tokens: Some(9_000),
            top_p: Some(0.9),
            frequency_penalty: Some(0.1),
            presence_penalty: Some(0.2),
            seed: Some(7),
            stop: vec!["END".into()],
            effort: Some("low".into()),
            extra: Some(json!({ "verbosity": "low" })),
            ..ModelOptions::default()
        },
        ..asking(vec![Message::user("u")])
    };
    let mut schema_format =
        json!({ "type": "json_schema", "json_schema": { "name": "answer", "strict": true } });
    schema_format.make_object().entry("json_schema").make_object().insert("schema", schema);
    let mut expected = json!({
        "model": "gpt-x", "messages": [{ "role": "user", "content": "u" }],
        "tools": [{ "type": "function", "function": { "name": "f", "description": "does", "parameters": { "type": "object", "properties": {} } } }],
        "tool_choice": { "type": "function", "function": { "name": "f" } }, "parallel_tool_calls": false,
        "temperature": 0.5, "top_p": 0.9, "frequency_penalty": 0.1, "presence_penalty": 0.2, "stop": ["END"], "seed": 7,
        "max_completion_tokens": 4096, "reasoning_effort": "low", "stream": true, "stream_options": { "include_usage": true }, "verbosity": "low"
    });
    expected.make_object().insert("response_format", schema_format);
    assert_eq!(
        write(&request, Capabilities { max_output: Some(4_096), ..ALL }, &settings()),
        expected
    );
}

#[test]
fn compatible_servers_and_azure_get_their_own_fields() {
    let request = ChatRequest {
        options: ModelOptions { max_tokens: Some(5), ..ModelOptions::default() },
        ..asking(vec![])
    };
    let mut compatible = OpenAiSettings::compatible("http://h/v1", Secret::default());
    compatible.usage_in_streams = false;
    assert_eq!(
        write(&request, ALL, &compatible),
        json!({ "model": "gpt-x", "messages": [], "max_tokens": 5, "stream": true })
    );
    let mut dated = OpenAiSettings::azure_dated(
        "https://r",
        "2024-10-21",
        super::super::settings::OpenAiAuth::None,
    );
    dated.streams = false;
    assert_eq!(write(&request, ALL, &dated), json!({ "messages": [], "max_tokens": 5 }));
}

#[test]
fn calls_and_their_results_go_back_as_they_came() {
    let arguments = ToolArguments::parse(r#"{"x":1}"#);
    let broken = ToolArguments::parse("{oops");
    let call = |id: &str, arguments| {
        MessagePart::ToolCall(ToolCall { id: id.into(), name: "f".into(), arguments, opaque: None })
    };
    let result = |id: &str, content: &str| ToolResult {
        id: id.into(),
        name: "f".into(),
        content: content.into(),
        is_error: false,
    };
    let thinking = MessagePart::Thinking { text: "hm".into(), opaque: None };
    let request = asking(vec![
        Message::new(ChatRole::Assistant, vec![thinking, call("a", arguments), call("b", broken)]),
        Message::results([result("a", "1"), result("b", "two")]),
        Message::assistant("done"),
    ]);
    let mut messages = json!([
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "a", "type": "function", "function": { "name": "f", "arguments": "{\"x\":1}" } },
            { "id": "b", "type": "function", "function": { "name": "f", "arguments": "{oops" } }] },
        { "role": "tool", "tool_call_id": "a", "content": "1" },
        { "role": "tool", "tool_call_id": "b", "content": "two" },
        { "role": "assistant", "content": "done" }
    ]);
    assert_eq!(write(&request, ALL, &settings()).get("messages"), Some(&messages));
    let returning = OpenAiSettings { returns_reasoning: true, ..settings() };
    messages.make_array()[0].make_object().insert("reasoning_content", "hm");
    assert_eq!(write(&request, ALL, &returning).get("messages"), Some(&messages));
}

#[test]
fn images_and_files_become_parts_and_the_blind_are_told() {
    let media = |mime: &str, data: MediaData| Media {
        mime_type: mime.into(),
        name: Some("n".into()),
        data,
    };
    let bytes = || MediaData::Bytes(Bytes::from_static(b"abc"));
    let parts = vec![
        MessagePart::Text("look".into()),
        MessagePart::Image(media("image/png", bytes())),
        MessagePart::Image(media("image/png", MediaData::Url("https://h/i.png".into()))),
        MessagePart::File(media("application/pdf", bytes())),
        MessagePart::File(media("text/csv", bytes())),
        MessagePart::File(media("audio/wav", bytes())),
    ];
    let request = asking(vec![Message::new(ChatRole::User, parts)]);
    let content = |capabilities| {
        write(&request, capabilities, &settings())
            .get("messages")
            .unwrap()
            .at(0)
            .unwrap()
            .get("content")
            .unwrap()
            .clone()
    };
    let expected = json!([
        { "type": "text", "text": "look" },
        { "type": "image_url", "image_url": { "url": "data:image/png;base64,YWJj" } },
        { "type": "image_url", "image_url": { "url": "https://h/i.png" } },
        { "type": "file", "file": { "filename": "n", "file_data": "data:application/pdf;base64,YWJj" } },
        { "type": "text", "text": "n:\nabc" },
        { "type": "input_audio", "input_audio": { "data": "YWJj", "format": "wav" } }
    ]);
    assert_eq!(content(ALL), expected);
    let blind = content(LEAST);
    assert_eq!(
        blind.at(1).unwrap().get("text").and_then(Value::as_str),
        Some("[image n, image/png: this model cannot read it]")
    );
}

#[test]
fn a_schema_that_leaves_something_open_is_not_strict() {
    let closed = json!({ "type": "object", "properties": { "a": { "type": "string", "enum": ["x"] } }, "required": ["a"], "additionalProperties": false });
    assert!(is_strict(&closed));
    for open in [
        json!({ "type": "object" }),
        json!({ "type": "object", "properties": { "a": {} }, "required": [], "additionalProperties": false }),
        json!({ "type": "object", "properties": { "a": {} }, "required": ["a"] }),
        json!({ "type": "array", "items": { "type": "object" } }),
    ] {
        assert!(!is_strict(&open), "{open:?}");
    }
}

#[test]
fn options_of_a_request_lie_over_those_of_the_model() {
    let under = ModelOptions {
        temperature: Some(1.0),
        seed: Some(1),
        extra: Some(json!({ "a": 1, "b": 1 })),
        ..ModelOptions::default()
    };
    let over = ModelOptions {
        temperature: Some(0.0),
        extra: Some(json!({ "b": 2 })),
        ..ModelOptions::default()
    };
    let both = merged(&under, &over);
    assert_eq!(
        (both.temperature, both.seed, both.extra),
        (Some(0.0), Some(1), Some(json!({ "a": 1, "b": 2 })))
    );
}
