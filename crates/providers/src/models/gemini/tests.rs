//! Conversations with Gemini, there and back.

use super::*;
use crate::models::catalog::{Catalog, CatalogModel};
use model::{Code, Object, Str, json};
use node_api::ai::{
    ChatEvent, ChatRequest, ChatRole, Media, MediaData, Message, MessagePart, ModelReply,
    OutputFormat, StopReason, ToolArguments, ToolCall, ToolChoice, ToolDefinition, ToolEffect,
    ToolResult,
};

const MODEL: &str = "gemini-3.8-flash";

fn known(model: &str) -> CatalogModel {
    Catalog::shipped().find("gemini", model)
}

fn sent(model: &str, request: &ChatRequest) -> Value {
    let known = known(model);
    body(
        request,
        &known.info,
        &GeminiSettings { traits: known.traits, ..GeminiSettings::default() },
    )
}

fn asking(text: &str) -> ChatRequest {
    ChatRequest { messages: vec![Message::user(text)], ..ChatRequest::default() }
}

fn tool(name: &str, parameters: Value) -> ToolDefinition {
    ToolDefinition {
        name: name.into(),
        description: "Does it.".into(),
        parameters,
        effect: ToolEffect::None,
        flow: node_api::ai::DataFlow::default(),
    }
}

fn result(id: &str, name: &str, content: &str) -> ToolResult {
    ToolResult { id: id.into(), name: name.into(), content: content.into(), is_error: false }
}

fn read(reply: Value) -> ModelReply {
    turn(&reply, &known(MODEL).info).unwrap()
}

fn streamed(events: &[Value]) -> (Vec<ChatEvent>, ModelReply) {
    let mut decoder = GeminiDecoder::new(&known(MODEL).info);
    let mut seen: Vec<_> = events
        .iter()
        .flat_map(|event| decoder.event("", &model::json::to_string(event)).unwrap())
        .collect();
    seen.extend(decoder.end().unwrap());
    match seen.pop() {
        Some(ChatEvent::Done(turn)) => (seen, *turn),
        other => panic!("the answer does not end: {other:?}"),
    }
}

fn with_parts(parts: Value) -> Value {
    let content: Object = [("role", Value::from("model")), ("parts", parts)].into_iter().collect();
    let candidate: Object =
        [("content", Value::from(content)), ("finishReason", "STOP".into())].into_iter().collect();
    [("candidates", Value::array(vec![candidate.into()])), ("responseId", "r1".into())]
        .into_iter()
        .collect::<Object>()
        .into()
}

#[test]
fn a_call_with_its_signature_and_its_result_go_back_as_google_wants_them() {
    let turn = read(with_parts(json!([
        { "text": "Look.", "thought": true },
        { "functionCall": { "name": "weather", "args": { "city": "Bern" } }, "thoughtSignature": "c2ln" },
        { "functionCall": { "id": "fc_2", "name": "clock", "args": {} } }
    ])));
    assert_eq!(turn.stop, StopReason::ToolCalls);
    let ids: Vec<_> = turn.message.tool_calls().map(|call| call.id.clone()).collect();
    assert_eq!(ids, ["call_r1_0", "fc_2"]);
    let answers = Message::results([
        result("fc_2", "clock", "12"),
        result(&ids[0], "weather", "{\"sky\":\"grey\"}"),
    ]);
    let messages = vec![
        Message::system("Be brief."),
        Message::user("Go"),
        turn.message,
        answers,
        Message::user("Now?"),
    ];
    let request = ChatRequest { messages, ..ChatRequest::default() };
    let body = sent(MODEL, &request);
    let wanted = json!([
        { "role": "user", "parts": [{ "text": "Go" }] },
        { "role": "model", "parts": [
            { "functionCall": { "name": "weather", "args": { "city": "Bern" } }, "thoughtSignature": "c2ln" },
            { "functionCall": { "id": "fc_2", "name": "clock", "args": {} } }
        ] },
        { "role": "user", "parts": [
            { "functionResponse": { "name": "weather", "response": { "sky": "grey" } } },
            { "functionResponse": { "id": "fc_2", "name": "clock", "response": { "result": 12 } } },
            { "text": "Now?" }
        ] }
    ]);
    assert_eq!(body.get("contents"), Some(&wanted));
    assert_eq!(body.get("systemInstruction"), Some(&json!({ "parts": [{ "text": "Be brief." }] })));
    let first = |model: &str| {
        let body = sent(model, &request);
        body.get("contents")
            .unwrap()
            .at(1)
            .unwrap()
            .get("parts")
            .unwrap()
            .at(0)
            .unwrap()
            .get("thoughtSignature")
            .cloned()
    };
    assert_eq!(
        first("gemini-4-argon"),
        Some("skip_thought_signature_validator".into()),
        "another model's signature is of no use"
    );
    assert_eq!(first("gemini-2.5-pro"), None);
}

#[test]
fn results_that_are_no_objects_are_wrapped_and_failures_are_named() {
    let call = |id: &str| ToolCall {
        id: id.into(),
        name: "t".into(),
        arguments: ToolArguments::Parsed(Object::new()),
        opaque: None,
    };
    let calls = Message::new(
        ChatRole::Assistant,
        ["a", "b", "c"].map(|id| MessagePart::ToolCall(call(id))).into(),
    );
    let failed = ToolResult { is_error: true, ..result("c", "t", "No such city.") };
    let messages = vec![
        Message::user("Go"),
        calls,
        Message::results([result("a", "t", "plain"), result("b", "t", "[1]"), failed]),
    ];
    let body = sent(MODEL, &ChatRequest { messages, ..ChatRequest::default() });
    let parts = body
        .get("contents")
        .unwrap()
        .at(2)
        .unwrap()
        .get("parts")
        .unwrap()
        .as_array()
        .unwrap()
        .to_vec();
    let responses: Vec<_> = parts
        .iter()
        .map(|part| part.get("functionResponse").unwrap().get("response").unwrap().clone())
        .collect();
    assert_eq!(
        responses,
        [
            json!({ "result": "plain" }),
            json!({ "result": [1] }),
            json!({ "error": "No such city." })
        ]
    );
    let calls = body.get("contents").unwrap().at(1).unwrap().get("parts").unwrap();
    assert!(
        calls.at(0).unwrap().get("thoughtSignature").is_some()
            && calls.at(1).unwrap().get("thoughtSignature").is_none()
    );
}

#[test]
fn tools_and_how_they_are_chosen() {
    let mut request = asking("Hi");
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } }, "additionalProperties": false });
    request.tools =
        vec![tool("a", schema.clone()), tool("b", json!({ "type": "object", "properties": {} }))];
    let body = sent(MODEL, &request);
    let declarations =
        body.get("tools").unwrap().at(0).unwrap().get("functionDeclarations").unwrap();
    assert_eq!(declarations.at(0).unwrap().get("parametersJsonSchema"), Some(&schema));
    assert_eq!(declarations.at(1).unwrap().get("parametersJsonSchema"), None);
    assert_eq!(body.get("toolConfig"), None);
    let mut config = |choice: ToolChoice, model: &str| {
        request.tool_choice = choice;
        sent(model, &request)
            .get("toolConfig")
            .and_then(|config| config.get("functionCallingConfig"))
            .cloned()
    };
    assert_eq!(config(ToolChoice::Required, MODEL), Some(json!({ "mode": "ANY" })));
    assert_eq!(config(ToolChoice::None, MODEL), Some(json!({ "mode": "NONE" })));
    assert_eq!(
        config(ToolChoice::Tool("b".into()), MODEL),
        Some(json!({ "mode": "ANY", "allowedFunctionNames": ["b"] }))
    );
    assert_eq!(config(ToolChoice::Required, "unknown"), None);
    assert!(
        sent("unknown", &request).get("systemInstruction").is_some(),
        "what cannot be demanded is asked for in words"
    );
}

#[test]
fn options_are_sent_where_the_model_takes_them() {
    let mut request = asking("Hi");
    request.options = ModelOptions {
        temperature: Some(0.5),
        max_tokens: Some(99),
        effort: Some("low".into()),
        seed: Some(7),
        ..Default::default()
    };
    request.options.stop = vec!["END".into()];
    let config = |model: &str| sent(model, &request).get("generationConfig").cloned().unwrap();
    let wanted = json!({ "maxOutputTokens": 99, "stopSequences": ["END"], "thinkingConfig": { "thinkingLevel": "LOW" } });
    assert_eq!(config(MODEL), wanted);
    let wanted =
        json!({ "maxOutputTokens": 99, "temperature": 0.5, "seed": 7, "stopSequences": ["END"] });
    assert_eq!(config("gemini-2.5-flash"), wanted);
    assert_eq!(config("unknown"), wanted, "what its node says is sent, and nothing else");
    let known = known("gemini-2.5-flash");
    let settings = GeminiSettings {
        thinking_budget: Some(512),
        show_thinking: true,
        traits: known.traits,
        ..GeminiSettings::default()
    };
    let budget = body(&asking("Hi"), &known.info, &settings);
    let wanted = json!({ "thinkingConfig": { "thinkingBudget": 512, "includeThoughts": true } });
    assert_eq!(budget.get("generationConfig"), Some(&wanted));
}

#[test]
fn a_schema_and_tools_go_together_only_where_the_model_can() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let mut request = asking("Hi");
    request.format = OutputFormat::Schema { name: "x".into(), schema: schema.clone() };
    let config =
        |model: &str, request: &ChatRequest| sent(model, request).get("generationConfig").cloned();
    let wanted = json!({
        "responseMimeType": "application/json",
        "responseJsonSchema": { "type": "object", "properties": { "a": { "type": "string" } } }
    });
    assert_eq!(config("gemini-2.5-flash", &request), Some(wanted.clone()));
    request.tools = vec![tool("a", schema)];
    assert_eq!(config("gemini-2.5-flash", &request), None);
    assert_eq!(config(MODEL, &request), Some(wanted));
    assert!(sent("gemini-2.5-flash", &request).get("systemInstruction").is_some());
}

#[test]
fn images_files_and_foreign_thoughts() {
    let media = |data: MediaData| Media { mime_type: "image/png".into(), name: None, data };
    let thought = MessagePart::Thinking {
        text: "Hm.".into(),
        opaque: Some(node_api::ai::Opaque { provider: "anthropic".into(), data: json!({}) }),
    };
    let parts = vec![
        MessagePart::Image(media(MediaData::Bytes("abc".into()))),
        MessagePart::File(media(MediaData::Url("gs://a/b".into()))),
        thought,
    ];
    let body = sent(
        MODEL,
        &ChatRequest {
            messages: vec![Message::new(ChatRole::User, parts)],
            ..ChatRequest::default()
        },
    );
    let wanted = json!([
        { "inlineData": { "mimeType": "image/png", "data": "YWJj" } },
        { "fileData": { "mimeType": "image/png", "fileUri": "gs://a/b" } }
    ]);
    assert_eq!(body.get("contents").unwrap().at(0).unwrap().get("parts"), Some(&wanted));
}

#[test]
fn the_key_is_a_header_and_never_in_the_address() {
    let mut settings = GeminiSettings::default();
    let info = known("models/gemini-3.8-flash").info;
    assert_eq!(path(&info, &settings), "/v1/models/gemini-3.8-flash:streamGenerateContent?alt=sse");
    settings.version = GeminiVersion::V1Beta;
    settings.delivery = Delivery::Whole;
    assert_eq!(path(&info, &settings), "/v1beta/models/gemini-3.8-flash:generateContent");
    assert_eq!(
        path(&known("../files?key=a").info, &settings),
        "/v1beta/models/..%2Ffiles%3Fkey%3Da:generateContent"
    );
    assert_eq!(headers("k"), [("x-goog-api-key".to_owned(), "k".to_owned())]);
}

#[test]
fn a_stream_becomes_what_the_whole_answer_would_be() {
    let chunk = |text: &str| json!({ "candidates": [{ "content": { "parts": [{ "text": text }] } }], "modelVersion": "gemini-3.8-flash-001" });
    let usage = json!({ "candidates": [{ "content": { "parts": [{ "text": "", "thoughtSignature": "c2ln" }] }, "finishReason": "STOP" }],
        "usageMetadata": { "promptTokenCount": 10, "cachedContentTokenCount": 4, "candidatesTokenCount": 5, "thoughtsTokenCount": 7 } });
    let thought =
        json!({ "candidates": [{ "content": { "parts": [{ "text": "Hm.", "thought": true }] } }] });
    let (seen, turn) = streamed(&[thought, chunk("Hel"), chunk("lo."), usage]);
    assert_eq!(
        seen,
        [
            ChatEvent::Thinking("Hm.".into()),
            ChatEvent::Text("Hel".into()),
            ChatEvent::Text("lo.".into())
        ]
    );
    assert_eq!(
        (turn.message.text().as_str(), &turn.stop, turn.model.as_str()),
        ("Hello.", &StopReason::Stop, "gemini-3.8-flash-001")
    );
    let usage = &turn.usage;
    assert_eq!((usage.input, usage.cached_read, usage.output, usage.reasoning), (10, 4, 12, 7));
    let request = ChatRequest {
        messages: vec![Message::user("Hi"), turn.message, Message::user("More")],
        ..ChatRequest::default()
    };
    let parts =
        sent(MODEL, &request).get("contents").unwrap().at(1).unwrap().get("parts").unwrap().clone();
    assert_eq!(parts, json!([{ "text": "Hello." }, { "text": "", "thoughtSignature": "c2ln" }]));
}

#[test]
fn calls_of_a_stream_are_counted_and_get_ids_of_their_own() {
    let call = |id: Option<&str>| {
        let part =
            serde_json::json!({ "functionCall": { "name": "t", "id": id, "args": { "n": 1 } } });
        json!({ "candidates": [{ "content": { "parts": [part] } }], "responseId": "r" })
    };
    let end = json!({ "candidates": [{ "finishReason": "STOP" }] });
    let (seen, turn) = streamed(&[call(None), call(Some("x")), call(Some("x")), end]);
    let begins = |index| ChatEvent::CallBegins { index, name: "t".into() };
    assert_eq!(seen, [begins(0), begins(1), begins(2)]);
    let ids: Vec<_> = turn.message.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_r_0", "x", "call_r_2"]);
    assert_eq!((turn.stop, turn.usage.raw), (StopReason::ToolCalls, None));
}

#[test]
fn every_reason_to_stop_has_its_name() {
    let cases = [
        ("STOP", StopReason::Stop),
        ("MAX_TOKENS", StopReason::Length),
        ("SAFETY", StopReason::ContentFilter),
        ("IMAGE_SAFETY", StopReason::ContentFilter),
        ("SPII", StopReason::ContentFilter),
        ("MALFORMED_FUNCTION_CALL", StopReason::Other("MALFORMED_FUNCTION_CALL".into())),
    ];
    for (reason, stop) in cases {
        assert_eq!(read(json!({ "candidates": [{ "finishReason": reason }] })).stop, stop);
    }
    let blocked = read(
        json!({ "promptFeedback": { "blockReason": "SAFETY" }, "usageMetadata": { "promptTokenCount": -4 } }),
    );
    assert_eq!(
        (blocked.stop, blocked.message.text(), blocked.usage.input),
        (StopReason::ContentFilter, Str::new(), 0)
    );
}

#[test]
fn an_answer_that_is_not_at_its_end_goes_on_with_its_token() {
    let turn = read(json!({ "candidates": [
            { "content": { "parts": [{ "text": "One" }] }, "finishReason": "CONTINUATION", "continuationToken": "tok" }
        ] }));
    assert_eq!(turn.stop, StopReason::Pause);
    let mut request = asking("Count");
    request.messages.push(turn.message);
    let again = sent(MODEL, &request);
    assert_eq!(again.get("continuationToken"), Some(&"tok".into()));
    assert_eq!(
        again.get("contents"),
        sent(MODEL, &asking("Count")).get("contents"),
        "the same is asked again"
    );
    assert_eq!(sent("gemini-4-argon", &request).get("continuationToken"), None);
    request.messages.push(Message::user("Stop"));
    assert_eq!(sent(MODEL, &request).get("continuationToken"), None);
}

#[test]
fn an_answer_that_breaks_off_or_turns_into_an_error_is_refused() {
    let mut decoder = GeminiDecoder::new(&known(MODEL).info);
    decoder.event("", r#"{"candidates":[{"content":{"parts":[{"text":"Hal"}]}}]}"#).unwrap();
    assert_eq!(decoder.end().unwrap_err().error.code, Code::MODEL_ERROR);
    let error = r#"{"error":{"code":503,"status":"UNAVAILABLE","message":"Busy"}}"#;
    assert_eq!(
        GeminiDecoder::new(&known(MODEL).info).event("", error).unwrap_err().error.status,
        Some(503)
    );
    assert!(GeminiDecoder::new(&known(MODEL).info).event("", "{\"cand").is_err());
    assert!(turn(&json!([1]), &known(MODEL).info).is_err());
}
