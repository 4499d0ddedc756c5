//! Messages of a chat: the item that a run begins with, and conversations that are opened again.

use crate::hooks::Call;
use crate::routes::Hook;
use crate::runner::Runner;
use crate::{Error, Runtime};
use model::{Binary, Item, Items, Object, Str, Value};
use node_api::trigger::{Answer, AnswerBody, PreviousSession};
use std::sync::Arc;

/// How long it may take to look into a memory.
const LONGEST_LOOK_MS: u64 = 30_000;

/// The field in which earlier messages of a conversation come that is kept elsewhere. Only this instance sets it.
pub const EARLIER: &str = "earlierMessages";

/// What somebody says in a chat.
#[derive(Clone, Debug, Default)]
pub struct ChatMessage {
    pub text: Str,
    /// Whose conversation it is.
    pub session: Str,
    pub files: Vec<(Str, Binary)>,
    /// What was said before, for agents without a memory: each with `role` and `content`.
    pub earlier: Vec<Value>,
}

impl ChatMessage {
    /// The item that a run begins with, as n8n's chat sends it.
    pub fn into_item(self) -> Item {
        let mut json = Object::from_iter([
            ("sessionId", Value::from(self.session)),
            ("action", "sendMessage".into()),
            ("chatInput", self.text.into()),
        ]);
        if !self.earlier.is_empty() {
            json.insert(EARLIER, Value::array(self.earlier));
        }
        with_files(json, self.files)
    }
}

impl Runtime {
    /// The chats of all active workflows, in the order of their workflows' names.
    pub fn chats(&self) -> Vec<Arc<Hook>> {
        let mut chats = self.active().routes.chats().to_vec();
        chats.sort_by(|a, b| (&a.workflow.name, &a.workflow.id).cmp(&(&b.workflow.name, &b.workflow.id)));
        chats
    }
}

/// Whether a call only wants to see a conversation that was held before.
pub fn asks_for_previous(hook: &Hook, call: &Call) -> bool {
    hook.chat.as_ref().is_some_and(|chat| chat.previous != PreviousSession::Manually) && is_action(&call.body, "loadPreviousSession")
}

/// The answer to a call that starts no run.
pub(crate) async fn glance(runner: &Arc<Runner>, hook: &Hook, call: &Call) -> Result<Option<Answer>, Error> {
    let Some(chat) = hook.chat.as_ref().filter(|_| asks_for_previous(hook, call)) else { return Ok(None) };
    let messages = match chat.previous {
        PreviousSession::Memory => {
            let item = item_of(call.clone());
            let looked = runner.ask_trigger(&hook.workflow, &hook.node, Items::one(item), LONGEST_LOOK_MS).await;
            let found = looked.last_items().map(|items| items.iter().map(|item| item.json).collect());
            found.filter(|_| looked.error.is_none()).unwrap_or_default()
        }
        PreviousSession::Off | PreviousSession::Manually => Vec::new(),
    };
    let body = Object::from_iter([("data", Value::array(messages))]);
    Ok(Some(Answer { status: 200, headers: hook.route.headers.clone(), body: AnswerBody::Json(body.into()) }))
}

/// The item of a call: its body as it is, and its files.
pub(crate) fn item_of(call: Call) -> Item {
    let mut json = call.body.as_object().cloned().unwrap_or_default();
    json.remove(EARLIER);
    with_files(json, call.files)
}

/// Files are named and told of as n8n does.
fn with_files(mut json: Object, files: Vec<(Str, Binary)>) -> Item {
    if files.is_empty() {
        return Item::new(json);
    }
    let mut told = Vec::with_capacity(files.len());
    let mut named = Vec::with_capacity(files.len());
    for (number, (_, file)) in files.into_iter().enumerate() {
        let key = Str::from(format!("data{number}"));
        let about = [
            ("fileName", Value::from(file.file_name.clone())),
            ("fileSize", file.size_text().into()),
            ("fileType", file.file_type.clone().into()),
            ("mimeType", file.mime_type.clone().into()),
            ("fileExtension", file.file_extension.clone().into()),
            ("binaryKey", key.clone().into()),
        ];
        told.push(Value::from(Object::from_iter(about)));
        named.push((key, file));
    }
    json.insert("files", Value::array(told));
    let mut item = Item::new(json);
    item.binary = Some(Arc::new(named));
    item
}

fn is_action(body: &Value, action: &str) -> bool {
    body.get("action").and_then(Value::as_str) == Some(action)
}
