//! Recorded traffic with Anthropic: every answer becomes a whole turn, and our request for the same
//! conversation means the same.

use base64::Engine as _;
use heddle_providers::models::Delivery;
use heddle_providers::models::anthropic::{self, AnthropicDecoder, AnthropicSettings, Thinking};
use heddle_providers::models::catalog::Catalog;
use model::{Object, Str, Value, json};
use node_api::ai::{
    ChatEvent, ChatRequest, ChatRole, Media, MediaData, Message, MessagePart, ModelInfo,
    ModelReply, OutputFormat, StopReason, ToolArguments, ToolCall, ToolChoice, ToolDefinition,
    ToolEffect, ToolResult,
};

const EXCHANGES: usize = 252;

struct Exchange {
    id: String,
    request: Value,
    response: String,
    is_stream: bool,
}

#[test]
fn every_recorded_answer_becomes_a_whole_turn() {
    let Some(exchanges) = exchanges() else { return };
    judge("answers", &exchanges, |exchange| {
        let turn = answered(exchange);
        let wanted = if exchange.is_stream {
            expected_of_stream(&exchange.response)
        } else {
            expected_of_whole(&exchange.response)
        };
        let got = summary(&turn);
        if got == wanted { Ok(()) } else { Err(format!("wanted {wanted:?}\n   got {got:?}")) }
    });
}

#[test]
fn our_request_for_a_recorded_conversation_means_the_same() {
    let Some(exchanges) = exchanges() else { return };
    judge("requests", &exchanges, |exchange| {
        let (request, info, settings) = read_request(&exchange.request, exchange.is_stream);
        let ours = normal_request(&anthropic::body(&request, &info, &settings));
        let theirs = normal_request(&exchange.request);
        if ours == theirs {
            return Ok(());
        }
        let keys: Vec<_> = theirs
            .keys()
            .chain(ours.keys())
            .filter(|key| ours.get(key) != theirs.get(key))
            .collect();
        Err(keys
            .iter()
            .map(|key| format!("{key}: wanted {:?}\n   got {:?}", theirs.get(key), ours.get(key)))
            .collect::<Vec<_>>()
            .join("\n"))
    });
}

#[test]
fn an_answer_sent_back_stands_in_the_request_as_it_was_given() {
    let Some(exchanges) = exchanges() else { return };
    judge("answers sent back", &exchanges, |exchange| {
        let (mut request, info, settings) = read_request(&exchange.request, exchange.is_stream);
        request.messages.push(answered(exchange).message);
        request.messages.push(Message::user("Thanks."));
        let body = anthropic::body(&request, &info, &settings);
        let messages = body.get("messages").unwrap().as_array().unwrap();
        let sent = messages[messages.len() - 2].get("content").unwrap().as_array().unwrap();
        let kept: Vec<_> = kinds(sent);
        let given = if exchange.is_stream {
            kinds_of_stream(&exchange.response)
        } else {
            kinds_of_whole(&exchange.response)
        };
        if kept == given { Ok(()) } else { Err(format!("wanted {given:?}, got {kept:?}")) }
    });
}

fn judge(what: &str, exchanges: &[Exchange], check: impl Fn(&Exchange) -> Result<(), String>) {
    let mut passed = 0;
    for exchange in exchanges {
        match check(exchange) {
            Ok(()) => passed += 1,
            Err(problem) => println!(
                "{what}: {}: {}",
                exchange.id,
                problem.chars().take(1_500).collect::<String>()
            ),
        }
    }
    println!("{what}: {passed} of {} recorded exchanges", exchanges.len());
    assert_eq!(exchanges.len(), EXCHANGES);
    assert_eq!(passed, exchanges.len(), "{what}: not all are right, and all have been");
}

fn exchanges() -> Option<Vec<Exchange>> {
    let folder = testkit::corpus("llm")?;
    let mut paths: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        let case = model::json::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        let id = text(&case, "id");
        for (number, exchange) in list(&case, "exchanges").iter().enumerate() {
            if !text(exchange, "url").contains("anthropic.com") {
                continue;
            }
            assert_eq!(exchange.get("status").unwrap().as_f64(), Some(200.0));
            all.push(Exchange {
                id: format!("{id} {number}"),
                request: exchange.get("requestBody").unwrap().clone(),
                response: text(exchange, "response").to_string(),
                is_stream: text(exchange.get("responseHeaders").unwrap(), "content-type")
                    .starts_with("text/event-stream"),
            });
        }
    }
    Some(all)
}

fn info_of(request: &Value) -> ModelInfo {
    Catalog::shipped().find("anthropic", &text(request, "model")).info
}

fn answered(exchange: &Exchange) -> ModelReply {
    let info = info_of(&exchange.request);
    if !exchange.is_stream {
        return anthropic::turn(&model::json::parse(&exchange.response).unwrap(), &info).unwrap();
    }
    let mut decoder = AnthropicDecoder::new(&info);
    let mut heard = String::new();
    for (name, data) in events(&exchange.response) {
        for event in decoder.event(name, data).unwrap() {
            match event {
                ChatEvent::Text(piece) => heard.push_str(&piece),
                ChatEvent::Done(turn) => {
                    assert_eq!(heard, turn.message.text(), "what was heard is what was said");
                    return *turn;
                }
                _ => {}
            }
        }
    }
    panic!("{} does not end", exchange.id)
}

fn events(stream: &str) -> impl Iterator<Item = (&str, &str)> {
    stream.split("\n\n").filter_map(|event| {
        let field = |name: &str| {
            event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim_start)
        };
        Some((field("event:").unwrap_or_default(), field("data:")?))
    })
}

/// Text, calls with their arguments, stop reason, input, output and cached tokens.
type Summary = (String, Vec<(Str, Str, Value)>, StopReason, u64, u64, u64);

fn summary(turn: &ModelReply) -> Summary {
    let calls = turn
        .message
        .tool_calls()
        .map(|call| (call.id.clone(), call.name.clone(), call.arguments.to_value()))
        .collect();
    (
        turn.message.text().to_string(),
        calls,
        turn.stop.clone(),
        turn.usage.input,
        turn.usage.output,
        turn.usage.cached_read,
    )
}

fn expected(content: &[Value], stop_reason: &str, usage: &Value) -> Summary {
    let of = |kind: &str| {
        content.iter().filter(|block| text(block, "type") == kind).cloned().collect::<Vec<_>>()
    };
    let words = of("text").iter().map(|block| text(block, "text").to_string()).collect();
    let calls = of("tool_use")
        .iter()
        .map(|block| (text(block, "id"), text(block, "name"), block.get("input").unwrap().clone()))
        .collect();
    let stop = match stop_reason {
        "end_turn" => StopReason::Stop,
        "tool_use" => StopReason::ToolCalls,
        other => panic!("no recording stops with {other}"),
    };
    let number = |field: &str| usage.get(field).unwrap().as_f64().unwrap() as u64;
    let cached = number("cache_read_input_tokens");
    let input = number("input_tokens") + cached + number("cache_creation_input_tokens");
    (words, calls, stop, input, number("output_tokens"), cached)
}

fn expected_of_whole(response: &str) -> Summary {
    let reply = model::json::parse(response).unwrap();
    expected(list(&reply, "content"), &text(&reply, "stop_reason"), reply.get("usage").unwrap())
}

/// The blocks put together in the plainest way, which recordings without faults allow.
fn blocks_of_stream(stream: &str) -> (Vec<Value>, Str, Value) {
    let (mut blocks, mut inputs, mut reason, mut usage) =
        (Vec::<Value>::new(), Vec::<String>::new(), Str::new(), Value::Null);
    for (_, data) in events(stream) {
        let data = model::json::parse(data).unwrap();
        let at = data.get("index").and_then(Value::as_usize).unwrap_or_default();
        let delta = data.get("delta").cloned().unwrap_or_default();
        match (text(&data, "type").as_str(), text(&delta, "type").as_str()) {
            ("content_block_start", _) => {
                blocks.push(data.get("content_block").unwrap().clone());
                inputs.push(String::new());
            }
            (_, "text_delta") => {
                let all = format!("{}{}", text(&blocks[at], "text"), text(&delta, "text"));
                blocks[at].make_object().insert("text", all);
            }
            (_, "input_json_delta") => inputs[at].push_str(&text(&delta, "partial_json")),
            ("message_delta", _) => {
                reason = text(&delta, "stop_reason");
                usage = data.get("usage").unwrap().clone();
            }
            _ => {}
        }
    }
    for (block, input) in blocks.iter_mut().zip(inputs).filter(|(_, input)| !input.is_empty()) {
        block.make_object().insert("input", model::json::parse(&input).unwrap());
    }
    (blocks, reason, usage)
}

fn expected_of_stream(stream: &str) -> Summary {
    let (blocks, reason, usage) = blocks_of_stream(stream);
    expected(&blocks, &reason, &usage)
}

/// The kinds of blocks with what tells them apart; a text that is empty is none.
fn kinds(blocks: &[Value]) -> Vec<(Str, Str)> {
    let said = blocks
        .iter()
        .filter(|block| text(block, "type") != "text" || !text(block, "text").trim().is_empty());
    said.map(|block| {
        (
            text(block, "type"),
            if text(block, "type") == "text" { text(block, "text") } else { text(block, "id") },
        )
    })
    .collect()
}

fn kinds_of_whole(response: &str) -> Vec<(Str, Str)> {
    kinds(list(&model::json::parse(response).unwrap(), "content"))
}

fn kinds_of_stream(stream: &str) -> Vec<(Str, Str)> {
    kinds(&blocks_of_stream(stream).0)
}

/// The conversation that a recorded request holds, in our shape.
fn read_request(body: &Value, is_stream: bool) -> (ChatRequest, ModelInfo, AnthropicSettings) {
    let known = Catalog::shipped().find("anthropic", &text(body, "model"));
    let mut settings = AnthropicSettings { traits: known.traits, ..AnthropicSettings::default() };
    settings.delivery = if is_stream { Delivery::Stream } else { Delivery::Whole };
    if let Some(budget) = body.get("thinking").and_then(|thinking| thinking.get("budget_tokens")) {
        settings.thinking = Thinking::Budget(budget.as_usize().unwrap() as u64);
    }
    let mut request = ChatRequest::default();
    request
        .messages
        .extend(list(body, "system").iter().map(|block| Message::system(text(block, "text"))));
    let mut names = Object::new();
    for message in list(body, "messages") {
        let role =
            if text(message, "role") == "user" { ChatRole::User } else { ChatRole::Assistant };
        let (results, rest): (Vec<_>, Vec<_>) = list(message, "content")
            .iter()
            .map(|block| part(block, &mut names))
            .partition(is_result);
        for (role, parts) in [(ChatRole::Tool, results), (role, rest)] {
            if !parts.is_empty() {
                request.messages.push(Message::new(role, parts));
            }
        }
    }
    let (own, foreign): (Vec<_>, Vec<_>) =
        list(body, "tools").iter().cloned().partition(|tool| tool.get("input_schema").is_some());
    request.tools = own.iter().map(tool).collect();
    assert!(body.get("tool_choice").is_none_or(|choice| text(choice, "type") == "auto"));
    request.tool_choice = ToolChoice::Auto;
    if let Some(format) = body.get("output_config").and_then(|config| config.get("format")) {
        request.format = OutputFormat::Schema {
            name: "answer".into(),
            schema: format.get("schema").unwrap().clone(),
        };
    }
    request.options.max_tokens =
        body.get("max_tokens").and_then(Value::as_usize).map(|tokens| tokens as u64);
    if !foreign.is_empty() {
        request.options.extra =
            Some([("tools", Value::array(foreign))].into_iter().collect::<Object>().into());
    }
    (request, known.info, settings)
}

fn is_result(part: &MessagePart) -> bool {
    matches!(part, MessagePart::ToolResult(_))
}

fn tool(tool: &Value) -> ToolDefinition {
    let parameters = tool.get("input_schema").unwrap().clone();
    ToolDefinition {
        name: text(tool, "name"),
        description: text(tool, "description"),
        parameters,
        effect: ToolEffect::Changes,
        flow: node_api::ai::DataFlow::default(),
    }
}

fn part(block: &Value, names: &mut Object) -> MessagePart {
    match text(block, "type").as_str() {
        "text" => MessagePart::Text(text(block, "text")),
        "image" => {
            let source = block.get("source").unwrap();
            let bytes = base64::engine::general_purpose::STANDARD
                .decode(text(source, "data").as_str())
                .unwrap();
            MessagePart::Image(Media {
                mime_type: text(source, "media_type"),
                name: None,
                data: MediaData::Bytes(bytes.into()),
            })
        }
        "tool_use" => {
            names.insert(text(block, "id"), text(block, "name"));
            let arguments =
                ToolArguments::Parsed(block.get("input").unwrap().as_object().unwrap().clone());
            MessagePart::ToolCall(ToolCall {
                id: text(block, "id"),
                name: text(block, "name"),
                arguments,
                opaque: None,
            })
        }
        "tool_result" => MessagePart::ToolResult(ToolResult {
            id: text(block, "tool_use_id"),
            name: names.get(&text(block, "tool_use_id")).unwrap().to_js_string(),
            content: plain(block.get("content").unwrap()),
            is_error: block.get("is_error") == Some(&Value::Bool(true)),
        }),
        other => panic!("no recorded request has a block of type {other}"),
    }
}

/// A result is a text or a list of texts.
fn plain(content: &Value) -> Str {
    match content {
        Value::Array(blocks) => {
            blocks.iter().map(|block| text(block, "text")).collect::<Vec<_>>().join("").into()
        }
        other => other.to_js_string(),
    }
}

/// Without marks for the cache, with one spelling where there are several, and with the tools in
/// order. Hints about tools that our definitions do not have (`strict`, `eager_input_streaming`)
/// are left out.
fn normal_request(body: &Value) -> Object {
    let mut out = body.as_object().unwrap().clone();
    out.remove("cache_control");
    for message in out.entry("messages").make_array() {
        for block in message.make_object().entry("content").make_array() {
            normal_block(block);
        }
    }
    for block in out.entry("system").make_array() {
        normal_block(block);
    }
    let tools = out.entry("tools").make_array();
    tools.sort_by_key(|tool| text(tool, "name"));
    for tool in tools.iter_mut() {
        tool.make_object()
            .retain(|key, _| !matches!(key, "cache_control" | "strict" | "eager_input_streaming"));
    }
    if tools.is_empty() {
        out.remove("tool_choice");
    } else if out.get("tool_choice").is_none() {
        out.insert("tool_choice", json!({ "type": "auto" }));
    }
    if out.get("stream") == Some(&Value::Bool(false)) {
        out.remove("stream");
    }
    out
}

fn normal_block(block: &mut Value) {
    let fields = block.make_object();
    fields.remove("cache_control");
    if fields.get("caller") == Some(&json!({ "type": "direct" })) {
        fields.remove("caller");
    }
    if fields.get("is_error") == Some(&Value::Bool(false)) {
        fields.remove("is_error");
    }
    if fields.get("type") == Some(&Value::from("tool_result"))
        && let Some(content) = fields.get_mut("content")
    {
        *content = plain(content).into();
    }
}

fn text(value: &Value, field: &str) -> Str {
    value.get(field).and_then(Value::as_str).unwrap_or_default().into()
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).unwrap_or_default()
}
