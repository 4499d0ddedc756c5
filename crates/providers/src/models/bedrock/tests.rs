//! Requests to Bedrock field by field, and its answers in any cut.

use super::request::{body, path};
use super::stream::BedrockDecoder;
use super::{BedrockSettings, Delivery, base_url};
use crate::models::catalog::Catalog;
use crate::models::failure::{ModelFailure, RetryHint};
use crate::models::requester::{DecodeProgress, ReplyDecoder as _};
use model::{Code, Object, Value, json};
use node_api::ai::{
    ChatEvent, ChatRequest, ChatRole, Media, MediaData, Message, MessagePart, ModelInfo,
    ModelOptions, ModelReply, OutputFormat, StopReason, ToolArguments, ToolCall, ToolChoice,
    ToolDefinition, ToolEffect, ToolResult,
};
use testkit::aws_frame;

fn info() -> ModelInfo {
    let mut info = Catalog::shipped().find("anthropic", "claude-sonnet-4-5").info;
    info.provider = "bedrock".into();
    info.model = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0".into();
    info
}

fn sent(request: &ChatRequest) -> Value {
    body(request, &info(), &BedrockSettings::default())
}

fn asking(parts: Vec<MessagePart>) -> ChatRequest {
    let messages = vec![Message::new(ChatRole::User, parts)];
    ChatRequest { messages, ..ChatRequest::default() }
}

fn tool() -> ToolDefinition {
    ToolDefinition {
        name: "calc".into(),
        description: "Computes.".into(),
        parameters: json!({ "type": "object", "properties": { "a": { "type": "number" } } }),
        effect: ToolEffect::None,
        flow: node_api::ai::DataFlow::default(),
    }
}

fn used(id: &str) -> [Message; 2] {
    let call = ToolCall {
        id: id.into(),
        name: "calc".into(),
        arguments: ToolArguments::Parsed([("a", 1)].into_iter().collect::<Object>()),
        opaque: None,
    };
    let result =
        ToolResult { id: id.into(), name: "calc".into(), content: "".into(), is_error: false };
    [
        Message::new(ChatRole::Assistant, vec![MessagePart::ToolCall(call)]),
        Message::new(ChatRole::Tool, vec![MessagePart::ToolResult(result)]),
    ]
}

#[test]
fn a_conversation_with_tools_is_written_in_blocks() {
    let mut request = asking(vec![MessagePart::Text("1+0?".into())]);
    request.messages.insert(0, Message::system("Be brief."));
    request.messages.extend(used("t1"));
    request.tools = vec![tool()];
    request.tool_choice = ToolChoice::Required;
    request.options = ModelOptions {
        temperature: Some(0.5),
        max_tokens: Some(50),
        top_k: Some(3),
        stop: vec!["END".into(), " ".into()],
        ..ModelOptions::default()
    };
    let wanted = json!({
        "messages": [
            { "role": "user", "content": [{ "text": "1+0?" }] },
            { "role": "assistant", "content": [{ "toolUse": { "toolUseId": "t1", "name": "calc", "input": { "a": 1 } } }] },
            { "role": "user", "content": [{ "toolResult": {
                "toolUseId": "t1", "content": [{ "text": "(no output)" }], "status": "success"
            } }] }
        ],
        "system": [{ "text": "Be brief." }],
        "inferenceConfig": { "maxTokens": 50, "temperature": 0.5, "stopSequences": ["END"] },
        "toolConfig": {
            "tools": [{ "toolSpec": {
                "name": "calc",
                "inputSchema": { "json": { "type": "object", "properties": { "a": { "type": "number" } } } },
                "description": "Computes."
            } }],
            "toolChoice": { "any": {} }
        },
        "additionalModelRequestFields": { "top_k": 3 }
    });
    assert_eq!(sent(&request), wanted);
}

#[test]
fn without_tools_there_are_no_blocks_of_tools_and_a_form_stands_in_words() {
    let mut request = asking(vec![MessagePart::Text("1+0?".into())]);
    request.messages.extend(used("t1"));
    request.tools = vec![tool()];
    request.tool_choice = ToolChoice::None;
    request.format = OutputFormat::Json;
    let body = sent(&request);
    let text = model::json::to_string(&body);
    assert!(!text.contains("toolUse") && body.get("toolConfig").is_none(), "{text}");
    assert!(text.contains("[Called calc with") && text.contains("JSON object"), "{text}");
}

#[test]
fn a_conversation_begins_and_ends_with_the_user() {
    let request = ChatRequest {
        messages: vec![Message::assistant("Hello"), Message::assistant("there")],
        ..ChatRequest::default()
    };
    let roles: Vec<Value> = sent(&request)
        .get("messages")
        .and_then(Value::as_array)
        .unwrap()
        .iter()
        .map(|message| message.get("role").cloned().unwrap())
        .collect();
    assert_eq!(Value::array(roles), json!(["user", "assistant", "user"]));
    assert!(sent(&ChatRequest::default()).get("messages").unwrap().at(0).is_some());
}

#[test]
fn files_are_sent_as_what_they_are_and_named_plainly() {
    let media = |kind: &str, name: Option<&str>, data: MediaData| Media {
        mime_type: kind.into(),
        name: name.map(Into::into),
        data,
    };
    let bytes = || MediaData::Bytes("hello".into());
    let request = asking(vec![
        MessagePart::Image(media("image/jpg", None, bytes())),
        MessagePart::File(media("application/pdf", Some("My offer (1).pdf"), bytes())),
        MessagePart::Image(media("image/png", None, MediaData::Url("https://a.test/b.png".into()))),
        MessagePart::File(media("application/zip", Some("x.zip"), bytes())),
    ]);
    let content = sent(&request).get_path("messages[0].content").cloned().unwrap();
    assert_eq!(
        content.at(0).unwrap(),
        &json!({ "image": { "format": "jpeg", "source": { "bytes": "aGVsbG8=" } } })
    );
    assert_eq!(content.get_path("[1].document.name"), Some(&json!("My-offer--1-2")));
    for index in [2, 3] {
        let words = content.at(index).unwrap().get("text").and_then(Value::as_str).unwrap();
        assert!(words.contains("cannot be shown here"), "{words}");
    }
    let alone = asking(vec![MessagePart::File(media("text/csv", None, bytes()))]);
    let text = model::json::to_string(&sent(&alone));
    assert!(text.contains("See the document.") && text.contains("\"csv\""), "{text}");
}

#[test]
fn the_model_is_one_part_of_the_path() {
    let streamed = BedrockSettings::default();
    let whole = BedrockSettings { delivery: Delivery::Whole, ..BedrockSettings::default() };
    assert_eq!(
        path(&info(), &streamed),
        "/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream"
    );
    let mut arn = info();
    arn.model = "arn:aws:bedrock:eu-west-1:1:inference-profile/x".into();
    assert_eq!(
        path(&arn, &whole),
        "/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1%3Ainference-profile%2Fx/converse"
    );
    assert_eq!(base_url("us-east-1"), "https://bedrock-runtime.us-east-1.amazonaws.com");
    assert_eq!(base_url("cn-north-1"), "https://bedrock-runtime.cn-north-1.amazonaws.com.cn");
}

fn event(kind: &str, payload: &Value) -> Vec<u8> {
    let headers = [(":message-type", "event"), (":event-type", kind)];
    aws_frame(&headers, model::json::to_string(payload).as_bytes())
}

fn stream() -> Vec<u8> {
    [
        event("messageStart", &json!({ "role": "assistant", "p": "abc" })),
        event("contentBlockDelta", &json!({ "contentBlockIndex": 0, "delta": { "reasoningContent": { "text": "Hm." } } })),
        event("contentBlockDelta", &json!({ "contentBlockIndex": 0, "delta": { "reasoningContent": { "signature": "c2ln" } } })),
        event("contentBlockDelta", &json!({ "contentBlockIndex": 1, "delta": { "text": "One " } })),
        event("contentBlockDelta", &json!({ "contentBlockIndex": 1, "delta": { "text": "moment." } })),
        event("contentBlockStop", &json!({ "contentBlockIndex": 1 })),
        event("contentBlockStart", &json!({ "contentBlockIndex": 2, "start": { "toolUse": { "toolUseId": "t1", "name": "calc" } } })),
        event("contentBlockDelta", &json!({ "contentBlockIndex": 2, "delta": { "toolUse": { "input": "{\"a\":" } } })),
        event("contentBlockDelta", &json!({ "contentBlockIndex": 2, "delta": { "toolUse": { "input": "1}" } } })),
        event("messageStop", &json!({ "stopReason": "tool_use" })),
        event("metadata", &json!({ "usage": { "inputTokens": 10, "outputTokens": 5, "cacheReadInputTokens": 3 } })),
    ]
    .concat()
}

fn read(bytes: &[u8], size: usize) -> (Vec<ChatEvent>, Result<ModelReply, ModelFailure>) {
    let (mut decoder, mut events) = (BedrockDecoder::new(&info(), 1 << 20), Vec::new());
    for piece in bytes.chunks(size.max(1)) {
        match decoder.feed(piece, &mut events) {
            Ok(DecodeProgress::More) => {}
            Ok(DecodeProgress::Complete) => break,
            Err(failure) => return (events, Err(failure)),
        }
    }
    let turn = decoder.finish(&mut events);
    (events, turn)
}

#[test]
fn a_stream_in_any_cut_is_the_same_turn() {
    let bytes = stream();
    for size in [1, 7, 100, bytes.len()] {
        let (events, turn) = read(&bytes, size);
        let turn = turn.unwrap();
        assert_eq!(
            (turn.message.text().as_str(), &turn.stop),
            ("One moment.", &StopReason::ToolCalls)
        );
        let call = turn.message.tool_calls().next().unwrap();
        assert_eq!((call.id.as_str(), call.arguments.to_value()), ("t1", json!({ "a": 1 })));
        assert_eq!((turn.usage.input, turn.usage.cached_read, turn.usage.output), (13, 3, 5));
        assert!(events.contains(&ChatEvent::CallBegins { index: 0, name: "calc".into() }));
        assert!(events.contains(&ChatEvent::Thinking("Hm.".into())));
        let MessagePart::Thinking { opaque: Some(opaque), .. } = &turn.message.parts[0] else {
            panic!("{:?}", turn.message.parts)
        };
        assert_eq!(
            opaque.data.get("data"),
            Some(
                &json!({ "reasoningContent": { "reasoningText": { "text": "Hm.", "signature": "c2ln" } } })
            )
        );
    }
}

#[test]
fn an_answer_that_came_whole_is_read_too() {
    let answer = json!({
        "output": { "message": { "role": "assistant", "content": [
            { "text": "Hello." },
            { "toolUse": { "toolUseId": "t1", "name": "calc", "input": {} } }
        ] } },
        "stopReason": "end_turn", "usage": { "inputTokens": 1, "outputTokens": 2 }
    });
    let (events, turn) = read(model::json::to_string(&answer).as_bytes(), 5);
    assert_eq!(turn.unwrap().stop, StopReason::ToolCalls);
    assert_eq!(events.first(), Some(&ChatEvent::Text("Hello.".into())));
}

#[test]
fn an_answer_that_is_cut_off_damaged_or_none_is_told() {
    let bytes = stream();
    let (_, turn) = read(&bytes[..bytes.len() / 2], 64);
    assert_eq!(turn.unwrap_err().retry, RetryHint::Soon);
    let mut damaged = stream();
    damaged[40] ^= 1;
    assert!(read(&damaged, 64).1.unwrap_err().error.message.contains("damaged"));
    for other in ["", "[]", "{\"output\":7}", "<html>", "null"] {
        assert_eq!(
            read(other.as_bytes(), 4).1.unwrap_err().error.code,
            Code::MODEL_ERROR,
            "{other}"
        );
    }
    // A stop without counts is an end.
    let stop = [
        event("contentBlockDelta", &json!({ "delta": { "text": "x" } })),
        event("messageStop", &json!({ "stopReason": "max_tokens" })),
    ];
    assert_eq!(read(&stop.concat(), 9).1.unwrap().stop, StopReason::Length);
    // Thousands of parts are no answer.
    let many: Vec<u8> = (0..10_001)
        .flat_map(|index| {
            let mut delta = json!({ "delta": { "text": "x" } });
            delta.make_object().insert("contentBlockIndex", index);
            event("contentBlockDelta", &delta)
        })
        .collect();
    assert!(read(&many, 4_096).1.unwrap_err().error.message.contains("too many parts"));
}

#[test]
fn an_exception_in_a_stream_has_the_code_of_its_name() {
    let exception = |name: &str| {
        let headers = [(":message-type", "exception"), (":exception-type", name)];
        let bytes = aws_frame(&headers, br#"{"message":"Slow down."}"#);
        read(&bytes, 16).1.unwrap_err()
    };
    let failure = exception("throttlingException");
    assert_eq!(
        (failure.error.code, failure.retry, failure.rate_limited),
        (Code::MODEL_RATE_LIMIT, RetryHint::Soon, true)
    );
    assert_eq!(failure.error.message, "bedrock: Slow down.");
    assert_eq!(exception("validationException").error.code, Code::MODEL_REQUEST);
    assert_eq!(exception("modelStreamErrorException").retry, RetryHint::Soon);
    assert_eq!(exception("").error.code, Code::MODEL_ERROR);
}
