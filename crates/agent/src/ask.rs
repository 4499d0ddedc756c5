//! Asking a model: its answer is on record before anything is done with it, and is never asked for
//! twice.

use crate::codec::{turn_from_value, turn_to_value};
use crate::world::{AgentError, AgentEvent, World};
use futures::StreamExt as _;
use model::{Code, Value};
use node_api::ai::{
    ChatEvent, ChatModel, ChatRequest, Message, ModelError, OutputFormat, Parser, Part, Role, Stop,
    Turn,
};

/// How often a model may give an answer that does not have the form that was asked for.
pub const MAX_REPAIRS: usize = 2;

/// One answer of a model: the one that was kept under the key, or a new one that is.
pub async fn ask(
    world: &dyn World,
    model: &dyn ChatModel,
    key: &str,
    request: ChatRequest,
) -> Result<Turn, AgentError> {
    let turn = match world.note(key).and_then(|kept| turn_from_value(&kept)) {
        Some(kept) => kept,
        None => {
            let turn = listen(world, model, request).await?;
            world.keep(key, turn_to_value(&turn)).await.map_err(AgentError::Kept)?;
            turn
        }
    };
    let dollars = model.info().price.map(|price| price.of(&turn.usage));
    world.tell(AgentEvent::Cost { usage: turn.usage.clone(), dollars }).await;
    Ok(turn)
}

/// The text that a model answers with. No words because of a filter or a refusal are an error.
pub async fn ask_for_text(
    world: &dyn World,
    model: &dyn ChatModel,
    key: &str,
    messages: Vec<Message>,
) -> Result<Turn, AgentError> {
    let turn = ask(world, model, key, ChatRequest { messages, ..ChatRequest::default() }).await?;
    if turn.stop == Stop::Refusal
        || (turn.stop == Stop::ContentFilter && turn.message.text().is_empty())
    {
        return Err(refused(&turn));
    }
    Ok(turn)
}

/// An answer that a parser can read. A model that misses the form is told what is wrong with its
/// answer and asked again.
pub async fn ask_in_form(
    world: &dyn World,
    model: &dyn ChatModel,
    key: &str,
    messages: Vec<Message>,
    parser: &dyn Parser,
) -> Result<Value, AgentError> {
    let mut messages = messages;
    let format = match parser.schema() {
        Some(schema) => OutputFormat::Schema { name: "answer".into(), schema: schema.clone() },
        None => {
            instruct(&mut messages, parser);
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
        if turn.stop == Stop::Refusal {
            return Err(refused(&turn));
        }
        match read(world, &key, parser, &turn.message).await {
            Err(AgentError::Form(error)) if attempt < MAX_REPAIRS => {
                attempt += 1;
                messages.push(turn.message);
                messages.push(Message::user(complaint(&AgentError::Form(error))));
            }
            read => return read,
        }
    }
}

/// What a parser makes of an answer. It is kept, because a parser may ask a model of its own.
pub(crate) async fn read(
    world: &dyn World,
    key: &str,
    parser: &dyn Parser,
    answer: &Message,
) -> Result<Value, AgentError> {
    let key = format!("{key}, read");
    if let Some(kept) = world.note(&key) {
        return Ok(kept);
    }
    let value = parser.parse(answer).await.map_err(AgentError::Form)?;
    world.keep(&key, value.clone()).await.map_err(AgentError::Kept)?;
    Ok(value)
}

/// What a model is told about an answer that cannot be read.
pub(crate) fn complaint(error: &AgentError) -> String {
    let AgentError::Form(error) = error else { return error.to_string() };
    let details = error.description().map(|details| format!(" {details}")).unwrap_or_default();
    format!(
        "Your answer cannot be used: {error}.{details} Give the whole answer again in the form that was asked for, and nothing else."
    )
}

pub(crate) fn refused(turn: &Turn) -> AgentError {
    let words = turn
        .message
        .parts
        .iter()
        .find_map(|part| if let Part::Text(text) = part { Some(text.as_str()) } else { None });
    let message = format!(
        "The model refused to answer{}",
        words.map(|words| format!(": {words}")).unwrap_or_default()
    );
    AgentError::Model(ModelError::new(Code::MODEL_REFUSED, message))
}

/// Puts what the parser wants behind the last words of the user.
fn instruct(messages: &mut Vec<Message>, parser: &dyn Parser) {
    match messages.last_mut().filter(|message| message.role == Role::User) {
        Some(message) => {
            message.parts.push(Part::Text(format!("\n{}", parser.instructions()).into()))
        }
        None => messages.push(Message::user(parser.instructions())),
    }
}

async fn listen(
    world: &dyn World,
    model: &dyn ChatModel,
    request: ChatRequest,
) -> Result<Turn, AgentError> {
    let mut events = model.stream(request);
    while let Some(event) = events.next().await {
        match event.map_err(AgentError::Model)? {
            ChatEvent::Text(text) => world.tell(AgentEvent::Token(text)).await,
            ChatEvent::Retry { attempt, wait_ms, cause } => {
                world.tell(AgentEvent::ModelRetry { attempt, wait_ms, cause }).await
            }
            ChatEvent::Thinking(_) | ChatEvent::CallBegins { .. } => {}
            ChatEvent::Done(turn) => return Ok(*turn),
        }
    }
    Err(AgentError::Model(ModelError::new(Code::MODEL_ERROR, "The answer of the model broke off")))
}
