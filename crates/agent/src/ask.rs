//! Asking a model: its answer is on record before anything is done with it, and is never asked for
//! twice.

use crate::codec::{reply_from_value, reply_to_value};
use crate::host::{AgentError, AgentEvent, AgentHost};
use futures::StreamExt as _;
use model::{Code, Value};
use ports::ai::{
    ChatEvent, ChatModel, ChatRequest, ChatRole, Message, MessagePart, ModelError, ModelReply,
    OutputFormat, OutputParser, StopReason,
};

/// How often a model may give an answer that does not have the form that was asked for.
pub const MAX_REPAIRS: usize = 2;

/// One answer of a model: the one that was kept under the key, or a new one that is.
pub async fn ask(
    world: &dyn AgentHost,
    model: &dyn ChatModel,
    key: &str,
    request: ChatRequest,
) -> Result<ModelReply, AgentError> {
    let turn = match world.recorded_step(key).and_then(|kept| reply_from_value(&kept)) {
        Some(kept) => kept,
        None => {
            let turn = collect_reply(world, model, request).await?;
            world
                .record_step(key, reply_to_value(&turn))
                .await
                .map_err(AgentError::RecordFailed)?;
            turn
        }
    };
    let dollars = model.info().price.map(|price| price.of(&turn.usage));
    world.emit(AgentEvent::Cost { usage: turn.usage.clone(), dollars }).await;
    Ok(turn)
}

/// The text that a model answers with. No words because of a filter or a refusal are an error.
pub async fn ask_for_text(
    world: &dyn AgentHost,
    model: &dyn ChatModel,
    key: &str,
    messages: Vec<Message>,
) -> Result<ModelReply, AgentError> {
    let turn = ask(world, model, key, ChatRequest { messages, ..ChatRequest::default() }).await?;
    if turn.stop == StopReason::Refusal
        || (turn.stop == StopReason::ContentFilter && turn.message.text().is_empty())
    {
        return Err(refusal_error(&turn));
    }
    Ok(turn)
}

/// An answer that a parser can read. A model that misses the form is told what is wrong with its
/// answer and asked again, up to `max_repairs` times.
pub async fn ask_structured(
    world: &dyn AgentHost,
    model: &dyn ChatModel,
    key: &str,
    messages: Vec<Message>,
    parser: &dyn OutputParser,
    max_repairs: usize,
) -> Result<Value, AgentError> {
    let mut messages = messages;
    let format = match parser.schema() {
        Some(schema) => OutputFormat::Schema { name: "answer".into(), schema: schema.clone() },
        None => {
            append_instructions(&mut messages, parser);
            OutputFormat::Text
        }
    };
    let mut attempt = 0;
    loop {
        let key = if attempt == 0 { key.to_owned() } else { format!("{key}, repair {attempt}") };
        let request = ChatRequest {
            messages: messages.clone(),
            format: format.clone(),
            ..ChatRequest::default()
        };
        let turn = ask(world, model, &key, request).await?;
        if turn.stop == StopReason::Refusal {
            return Err(refusal_error(&turn));
        }
        match parse_reply(world, &key, parser, &turn.message).await {
            Err(AgentError::Format(error)) if attempt < max_repairs => {
                attempt += 1;
                messages.push(turn.message);
                messages.push(Message::user(complaint(&AgentError::Format(error))));
            }
            read => return read,
        }
    }
}

/// What a parser makes of an answer. It is kept, because a parser may ask a model of its own.
pub(crate) async fn parse_reply(
    world: &dyn AgentHost,
    key: &str,
    parser: &dyn OutputParser,
    answer: &Message,
) -> Result<Value, AgentError> {
    let key = format!("{key}, read");
    if let Some(kept) = world.recorded_step(&key) {
        return Ok(kept);
    }
    let value = parser.parse(answer).await.map_err(AgentError::Format)?;
    world.record_step(&key, value.clone()).await.map_err(AgentError::RecordFailed)?;
    Ok(value)
}

/// What a model is told about an answer that cannot be read.
pub(crate) fn complaint(error: &AgentError) -> String {
    let AgentError::Format(error) = error else { return error.to_string() };
    let details = error.description().map(|details| format!(" {details}")).unwrap_or_default();
    format!(
        "Your answer cannot be used: {error}.{details} Give the whole answer again in the form that was asked for, and nothing else."
    )
}

pub(crate) fn refusal_error(turn: &ModelReply) -> AgentError {
    let words = turn.message.parts.iter().find_map(|part| {
        if let MessagePart::Text(text) = part { Some(text.as_str()) } else { None }
    });
    let message = format!(
        "The model refused to answer{}",
        words.map(|words| format!(": {words}")).unwrap_or_default()
    );
    AgentError::Model(ModelError::new(Code::MODEL_REFUSED, message))
}

/// Puts what the parser wants behind the last words of the user.
fn append_instructions(messages: &mut Vec<Message>, parser: &dyn OutputParser) {
    match messages.last_mut().filter(|message| message.role == ChatRole::User) {
        Some(message) => {
            message.parts.push(MessagePart::Text(format!("\n{}", parser.instructions()).into()))
        }
        None => messages.push(Message::user(parser.instructions())),
    }
}

async fn collect_reply(
    world: &dyn AgentHost,
    model: &dyn ChatModel,
    request: ChatRequest,
) -> Result<ModelReply, AgentError> {
    let mut events = model.stream(request);
    while let Some(event) = events.next().await {
        match event.map_err(AgentError::Model)? {
            ChatEvent::Text(text) => world.emit(AgentEvent::Token(text)).await,
            ChatEvent::Retry { attempt, wait_ms, cause } => {
                world.emit(AgentEvent::ModelRetry { attempt, wait_ms, cause }).await
            }
            ChatEvent::Thinking(_) | ChatEvent::CallBegins { .. } => {}
            ChatEvent::Done(turn) => return Ok(*turn),
        }
    }
    Err(AgentError::Model(ModelError::new(Code::MODEL_ERROR, "The model's response was cut off")))
}
