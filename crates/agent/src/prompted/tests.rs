//! A model that only writes, asked as an agent asks: what it is told, and what its answers mean.

use super::*;
use model::{Str, json};
use ports::ai::{
    Capabilities, ChatRole, Message, MessagePart, StopReason, TokenUsage, ToolArguments, ToolCall,
    ToolDefinition, ToolEffect, ToolResult,
};
use std::sync::Mutex;

/// A model that only writes: in these pieces, and it keeps what it was asked.
struct Writer {
    info: ModelInfo,
    pieces: Vec<&'static str>,
    asked: Mutex<Vec<ChatRequest>>,
}

impl ChatModel for Writer {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn stream(&self, request: ChatRequest) -> ChatStream<'_> {
        self.asked.lock().unwrap().push(request);
        let message = Message::assistant(self.pieces.concat());
        let turn = ModelReply {
            message,
            stop: StopReason::Stop,
            usage: TokenUsage::default(),
            model: "writer".into(),
        };
        let events = self.pieces.iter().map(|piece| Ok(ChatEvent::Text((*piece).into())));
        Box::pin(futures::stream::iter(
            events.chain([Ok(ChatEvent::Done(Box::new(turn)))]).collect::<Vec<_>>(),
        ))
    }
}

fn writer(pieces: &[&'static str]) -> Arc<Writer> {
    let capabilities = Capabilities {
        tools: false,
        vision: false,
        streaming: true,
        sampling: true,
        forced_tool: false,
        json_schema: false,
        context: None,
        max_output: None,
    };
    let info =
        ModelInfo { provider: "p".into(), model: "writer".into(), capabilities, price: None };
    Arc::new(Writer { info, pieces: pieces.to_vec(), asked: Mutex::default() })
}

fn request() -> ChatRequest {
    let parameters =
        json!({ "type": "object", "properties": { "expression": { "type": "string" } } });
    let tool = ToolDefinition {
        name: "calculator".into(),
        description: "Calculates".into(),
        parameters,
        effect: ToolEffect::None,
        flow: ports::ai::DataFlow::default(),
    };
    ChatRequest {
        messages: vec![Message::system("Be brief."), Message::user("2+2?")],
        tools: vec![tool],
        ..ChatRequest::default()
    }
}

/// What is told as text, and the turn.
async fn ask(pieces: &[&'static str], request: ChatRequest) -> (String, ModelReply) {
    let model = with_tools(writer(pieces));
    let mut told = String::new();
    let mut stream = model.stream(request);
    while let Some(event) = stream.next().await {
        match event.unwrap() {
            ChatEvent::Text(text) => told.push_str(&text),
            ChatEvent::Done(turn) => return (told, *turn),
            _ => {}
        }
    }
    panic!("the answer has no end");
}

fn calls(turn: &ModelReply) -> Vec<String> {
    turn.message
        .tool_calls()
        .map(|call| format!("{} {} {}", call.id, call.name, call.arguments.to_text()))
        .collect()
}

#[tokio::test]
async fn an_action_becomes_a_call_and_is_not_told_as_words() {
    for pieces in [
        &["{\"action\": \"calculator\", \"input\": {\"expression\": \"2+2\"}}"][..],
        &["```json\n{\"action\"", ": \"calculator\", \"input\": {\"expression\": \"2+2\"}}\n```"],
        &[
            "{\"action\":\"tool\",\"tool\":\"calculator\",\"input\":{\"expression\":\"2+2\"}} and so on",
        ],
        &["{\"action\":\"calculator\",\"action_input\":\"{\\\"expression\\\":\\\"2+2\\\"}\"}"],
    ] {
        let (told, turn) = ask(pieces, request()).await;
        assert_eq!(calls(&turn), [r#"call_0 calculator {"expression":"2+2"}"#], "{pieces:?}");
        assert_eq!(
            (told.as_str(), &turn.stop, turn.message.text().as_str()),
            ("", &StopReason::ToolCalls, ""),
            "{pieces:?}"
        );
    }
}

#[tokio::test]
async fn words_before_an_action_are_told_at_once() {
    let (told, turn) =
        ask(&["I will ", "calculate {1}: ", "{\"action\":\"calculator\"}"], request()).await;
    assert_eq!(
        (told.as_str(), turn.message.text().as_str()),
        ("I will calculate ", "I will calculate {1}:")
    );
    assert_eq!(calls(&turn), ["call_0 calculator {}"]);
}

#[tokio::test]
async fn no_word_is_told_twice() {
    let (told, turn) = ask(&["\n", "See [the page] ", "for {more}."], request()).await;
    assert_eq!(
        (told.as_str(), turn.message.text().as_str()),
        ("See [the page] for {more}.", "\nSee [the page] for {more}.")
    );
}

#[tokio::test]
async fn several_actions_are_several_calls() {
    let list = "[{\"action\":\"a\",\"input\":{}},{\"action\":\"b\",\"input\":{\"x\":1}}]";
    assert_eq!(calls(&ask(&[list], request()).await.1), ["call_0 a {}", r#"call_1 b {"x":1}"#]);
}

#[tokio::test]
async fn a_final_action_and_plain_words_are_answers() {
    for (piece, wanted) in [
        ("{\"action\":\"final\",\"message\":\"It is 4.\"}", "It is 4."),
        ("{\"action\":\"Final Answer\",\"action_input\":\"It is 4.\"}", "It is 4."),
        ("{\"action\":\"final\",\"message\":{\"sum\":4}}", "{\"sum\":4}"),
        ("It is 4.", "It is 4."),
        ("{\"sum\":4}", "{\"sum\":4}"),
        ("Use {braces} and [brackets]", "Use {braces} and [brackets]"),
    ] {
        let (told, turn) = ask(&[piece], request()).await;
        assert_eq!(
            (told.as_str(), turn.message.text().as_str(), &turn.stop),
            (wanted, wanted, &StopReason::Stop),
            "{piece}"
        );
    }
}

#[tokio::test]
async fn an_action_that_is_broken_is_a_call_that_can_be_repaired() {
    let (_, turn) = ask(&["{\"action\": \"calculator\", \"input\": {"], request()).await;
    let call = turn.message.tool_calls().next().unwrap();
    assert!(
        matches!(&call.arguments, ToolArguments::Malformed { problem, .. } if problem.contains("no valid JSON"))
    );
}

#[tokio::test]
async fn tools_and_what_came_of_them_stand_in_the_prompt() {
    let writer = writer(&["ok"]);
    let model = with_tools(writer.clone());
    let arguments = ToolArguments::parse(r#"{"expression":"2+2"}"#);
    let call = ToolCall { id: "1".into(), name: "calculator".into(), arguments, opaque: None };
    let result = ToolResult {
        id: "1".into(),
        name: "calculator".into(),
        content: "4".into(),
        is_error: false,
    };
    let mut request = request();
    request.messages.push(Message::new(ChatRole::Assistant, vec![MessagePart::ToolCall(call)]));
    request.messages.push(Message::results([result]));
    model.chat(request).await.unwrap();
    let asked = writer.asked.lock().unwrap()[0].clone();
    assert!(asked.tools.is_empty());
    let said: Vec<(ChatRole, Str)> =
        asked.messages.iter().map(|message| (message.role, message.text())).collect();
    assert!(
        said[0].1.starts_with("Be brief.\n\nYou can use these tools:")
            && said[0].1.contains("- calculator: Calculates"),
        "{said:?}"
    );
    assert_eq!(
        said[2],
        (ChatRole::Assistant, r#"{"action":"calculator","input":{"expression":"2+2"}}"#.into())
    );
    assert_eq!(said[3], (ChatRole::User, "Result of calculator: 4".into()));
}

#[tokio::test]
async fn a_schema_stands_in_the_prompt_where_the_model_knows_none() {
    let writer = writer(&["{}"]);
    let format = OutputFormat::Schema { name: "n".into(), schema: json!({ "type": "object" }) };
    let request =
        ChatRequest { messages: vec![Message::user("?")], format, ..ChatRequest::default() };
    with_tools(writer.clone()).chat(request).await.unwrap();
    let asked = writer.asked.lock().unwrap()[0].clone();
    assert_eq!(asked.format, OutputFormat::Text);
    assert!(
        asked.messages[0].role == ChatRole::System
            && asked.messages[0].text().contains(r#"{"type":"object"}"#)
    );
}

#[tokio::test]
async fn a_model_that_can_do_both_is_left_alone() {
    let mut able = Arc::into_inner(writer(&["x"])).unwrap();
    (able.info.capabilities.tools, able.info.capabilities.json_schema) = (true, true);
    let model: Arc<dyn ChatModel> = Arc::new(able);
    assert!(Arc::ptr_eq(&model, &with_tools(model.clone())));
}
