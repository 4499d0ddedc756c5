//! What somebody says to an agent, and what was said before where the request brings it along.

use super::prompt;
use model::{Str, Value};
use node_api::Ctx;
use node_api::ai::{
    ChatModel, ChatRole, Memory, MemoryError, Message, MessagePart, RecalledMessages, SessionId,
    TurnKey,
};
use node_api::trigger::{CHAT_MODE, HISTORY_FIELD};

/// Modes of runs whose first item this instance has put together; at the command line it is the
/// operator who speaks.
const TRUSTED_MODES: [&str; 2] = [CHAT_MODE, "cli"];

/// What the run began with, where the fields that only this instance sets are its own. Any other
/// run may have begun with what a stranger sent: a workflow that is called gets the items of its
/// caller.
pub(super) fn starting_message(ctx: &Ctx<'_>) -> Option<Value> {
    let is_ours = TRUSTED_MODES.contains(&ctx.host().execution().mode.as_str());
    ctx.host().trigger_data().filter(|_| is_ours)
}

/// The words, and the files that the item carries as far as the model can read them.
pub(super) fn user_message(
    ctx: &Ctx<'_>,
    index: usize,
    words: Str,
    model: &dyn ChatModel,
) -> Message {
    let mut parts = vec![MessagePart::Text(words)];
    if let Some(item) = ctx.input(0).and_then(|items| items.get(index)) {
        parts.extend(prompt::images(&item));
        parts.extend(prompt::texts(&item));
        let documents = prompt::documents(&item);
        if prompt::accepts_images(model) {
            parts.extend(documents);
        } else if !documents.is_empty() {
            let name = &model.info().model;
            ctx.host()
                .warn(format!("The model {name} cannot read PDF files, so it got none").into());
        }
    }
    Message::new(ChatRole::User, parts)
}

/// A conversation that comes with each request and is kept nowhere.
pub(super) struct RequestHistory(Vec<Message>);

impl RequestHistory {
    /// What the run began with, if it brought a conversation along.
    pub(super) fn of(started_with: &Value) -> Option<Self> {
        let told = started_with.get(HISTORY_FIELD)?.as_array()?;
        let message = |value: &Value| {
            if let Some(whole) = Message::from_value(value) {
                return Some(whole);
            }
            let role = ChatRole::from_name(value.get("role")?.as_str()?)?;
            Some(Message::new(role, vec![MessagePart::Text(value.get("content")?.to_js_string())]))
        };
        Some(Self(told.iter().filter_map(message).collect()))
    }
}

#[async_trait::async_trait]
impl Memory for RequestHistory {
    async fn load(
        &self,
        _session: &SessionId,
        _about: &str,
    ) -> Result<RecalledMessages, MemoryError> {
        Ok(RecalledMessages { messages: self.0.clone(), ..RecalledMessages::default() })
    }

    async fn append(
        &self,
        _session: &SessionId,
        _key: &TurnKey,
        _turn: &[Message],
    ) -> Result<Vec<Str>, MemoryError> {
        Ok(Vec::new())
    }

    async fn clear(&self, _session: &SessionId) -> Result<(), MemoryError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[tokio::test]
    async fn a_conversation_that_is_brought_along_is_what_was_said_before() {
        let began = json!({ "earlierMessages": [{ "role": "user", "content": "a" }, { "role": "assistant", "content": "b" }, { "role": "?" }] });
        let session = SessionId::new("s").unwrap();
        let recalled =
            RequestHistory::of(&began).unwrap().load(&session, "").await.unwrap().messages;
        assert_eq!(recalled, [Message::user("a"), Message::assistant("b")]);
        assert!(RequestHistory::of(&json!({ "chatInput": "hi" })).is_none());
    }
}
