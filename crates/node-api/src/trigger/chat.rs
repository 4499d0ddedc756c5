//! Chats: where their messages arrive, and the page that is shown for one.

use super::WebhookRoute;
use model::Str;

/// The field in which earlier messages of a conversation come that is kept elsewhere, each with
/// `role` and `content`, or as [`crate::ai::Message::to_value`] has it. Only this instance sets it.
pub const HISTORY_FIELD: &str = "earlierMessages";

/// The mode of runs that begin with a message which this instance has put together of a request, as
/// OpenAI's API does. It is kept with the run; only there [`HISTORY_FIELD`] and
/// [`CLIENT_TOOLS_FIELD`] are ours. Whoever calls a workflow from another one gives it items of
/// any kind.
pub const CHAT_MODE: &str = "chat";

/// The field in which tools come that whoever asks calls themselves. Only this instance sets it.
pub const CLIENT_TOOLS_FIELD: &str = "callersTools";

/// The field in which a node that waits for a reply is told it, before it is woken. Only this
/// instance sets it.
pub const REPLY_FIELD: &str = "$reply";

/// How a workflow takes messages of a chat.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRoute {
    pub route: WebhookRoute,
    /// Whether anybody but the people of this instance reaches it.
    pub is_public: bool,
    /// What a browser is shown at the address; nothing if the chat stands in a page of its
    /// author's.
    pub page: Option<ChatPage>,
    pub previous: PreviousSession,
    /// Kinds of files that are taken (`image/*, application/pdf`); `None` if none are.
    pub accepts: Option<Str>,
}

impl ChatRoute {
    /// The methods that are answered at its address: a message is posted, the page is got.
    pub fn methods(&self) -> impl Iterator<Item = Str> {
        let page = self.page.as_ref().map(|_| Str::from("GET"));
        std::iter::once(Str::from("POST")).chain(page)
    }
}

/// Where a conversation comes from that is opened again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreviousSession {
    #[default]
    Off,
    /// The trigger is asked, which looks into the memory that is connected to it.
    Memory,
    /// The workflow runs and answers.
    Manually,
}

/// The page of a hosted chat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatPage {
    pub title: Str,
    pub subtitle: Str,
    /// One bubble for each line.
    pub greeting: Str,
    pub placeholder: Str,
    /// The label of the button that begins a conversation, if it begins with one.
    pub welcome: Option<Str>,
    /// Styles of the author's.
    pub css: Str,
}
