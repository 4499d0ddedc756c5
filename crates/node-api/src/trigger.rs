//! How a workflow is started from outside and answers: what a trigger listens to, and what a node
//! sends back.

mod chat;
mod chunk;
mod cookie;
mod mcp;
mod media_type;
mod response_headers;

pub use chat::{
    CHAT_MODE, CLIENT_TOOLS_FIELD, ChatPage, ChatRoute, HISTORY_FIELD, PreviousSession, REPLY_FIELD,
};
pub use chunk::{ChunkKind, ReplyMode, StreamChunk, StreamDetail};
pub use cookie::Cookie;
pub use mcp::{MCP_ARGUMENTS_FIELD, MCP_METHOD, MCP_TOOL_FIELD, McpToolReply};
pub use media_type::MediaType;
pub use response_headers::{
    HeaderRejection, ResponseHeader, rejected_headers, response_header, response_headers,
};

use crate::{Node, NodeError, NodeInfo};
use bytes::Bytes;
use model::{Item, Object, Str, Value};
use std::sync::Arc;

/// A node that starts runs. Implemented in `nodes`; asked by whoever keeps workflows active.
///
/// When something it listens to happens, [`Node::run`] gets what came in as its items and puts out
/// what the run starts with.
pub trait Trigger: Node {
    /// What the node listens to with these parameters. A mistake in them is told when the workflow
    /// is activated.
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError>;

    /// What a call that wakes a waiting run puts in the place of the node's output.
    fn resume_item(_setup: &TriggerSetup<'_>, sent: Item) -> Result<Item, NodeError> {
        Ok(sent)
    }
}

/// A trigger as it stands in a workflow that is to become active.
pub struct TriggerSetup<'a> {
    pub node: &'a NodeInfo,
    /// With defaults filled in and expressions evaluated.
    pub params: &'a Object,
    pub webhook_id: Option<&'a str>,
    pub workflow_id: &'a str,
    pub now_ms: i64,
    /// IANA name of the workflow's zone.
    pub timezone: &'a str,
}

/// Something from outside that starts a run, or wakes one that waits.
#[derive(Clone)]
pub enum TriggerListener {
    /// Calls of an address.
    Webhook(WebhookRoute),
    /// A page with a form at an address, and its submission.
    Form(Box<FormRoute>),
    /// Messages of a chat.
    Chat(Box<ChatRoute>),
    /// Calls of the tools that are connected to the node, by clients of the Model Context Protocol.
    Mcp(WebhookRoute),
    /// Moments in time.
    Clock(Arc<dyn Timetable>),
    /// Moments at which the node looks for news; no run starts while there is none.
    Poll(Arc<dyn Timetable>),
}

/// When something is due. The zone is the workflow's.
pub trait Timetable: Send + Sync {
    /// The first moment after `instant_ms`; `last_run_ms` is what intervals are counted from.
    /// `None`: never again.
    fn next_after(&self, instant_ms: i64, last_run_ms: Option<i64>, zone: &str) -> Option<i64>;
    /// What it says, to tell whether it says something else than before.
    fn rule(&self) -> String;
}

/// An address and how calls of it are taken and answered.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookRoute {
    /// Upper case.
    pub methods: Vec<Str>,
    /// Without a slash at its ends; a part such as `:id` takes any value.
    pub path: Str,
    pub auth: WebhookAuth,
    pub answer: ResponseMode,
    /// What is answered when the node itself answers, or the last one has finished.
    pub status: u16,
    pub headers: Vec<(Str, Str)>,
    pub data: ResponseData,
    /// Origins that browsers may call from, as in `Access-Control-Allow-Origin`; empty where
    /// nothing is said, which is any but on an instance that only its own machine reaches.
    pub allowed_origins: Str,
    /// Addresses and networks whose calls are taken; empty for any.
    pub allowed_ips: Vec<Str>,
    pub ignores_bots: bool,
    pub body: BodyMode,
    /// The field for a file that is the whole body, and the start of the names of several; empty
    /// for the usual names.
    pub binary_field: Str,
    /// A header that tells one delivery from another; a second one with the same value starts
    /// nothing.
    pub delivery_header: Option<Str>,
    /// The node decides about each call whether a run begins: none does if it puts out nothing.
    pub is_conditional: bool,
    /// What callers that are streamed to hear besides the answer.
    pub detail: StreamDetail,
}

/// What becomes of the body of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyMode {
    /// It is read as its type says.
    #[default]
    Parsed,
    /// It is read, and kept as a file too, byte for byte.
    ParsedAndRaw,
    /// It is a file, whatever its type says.
    File,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WebhookAuth {
    #[default]
    None,
    /// With the credential of the type `httpBasicAuth`.
    Basic,
    /// `httpHeaderAuth`.
    Header,
    /// `httpBearerAuth`.
    Bearer,
    /// `jwtAuth`.
    Jwt,
    /// Somebody who is signed in to this instance.
    User,
}

/// When a call is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponseMode {
    #[default]
    Received,
    LastNode,
    /// When a node calls [`crate::host::Host::respond`].
    ResponseNode,
    /// As [`ResponseMode::LastNode`], but pieces that nodes send with [`crate::host::Host::stream`]
    /// leave as they come.
    Streaming,
}

/// What a call is answered with.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ResponseData {
    /// `{"message": "Workflow was started"}`.
    #[default]
    Started,
    Nothing,
    /// This text, by default as `text/html`.
    Text(Str),
    /// The JSON of every item of the last node.
    AllItems,
    /// The JSON of its first item, or one field of it.
    FirstItem {
        field: Option<Str>,
        content_type: Option<Str>,
    },
    /// A file of its first item.
    FirstFile {
        field: Str,
    },
}

/// A page with a form.
#[derive(Clone, Debug, PartialEq)]
pub struct FormRoute {
    pub route: WebhookRoute,
    pub page: FormPage,
}

/// What a form's page shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormPage {
    pub title: Str,
    pub description: Str,
    pub button: Str,
    pub css: Str,
    pub fields: Vec<FormField>,
    /// What is shown once the form is sent, unless a later page follows.
    pub completion: FormCompletion,
    /// The note "Form made with Heddle" at the foot.
    pub attribution: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum FormCompletion {
    Message {
        title: Str,
        text: Str,
    },
    Redirect(Str),
    /// A whole page.
    Html(Str),
}

impl Default for FormCompletion {
    fn default() -> Self {
        FormCompletion::Message {
            title: "Form Submitted".into(),
            text: "Your response has been recorded".into(),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormField {
    /// The key in the item.
    pub name: Str,
    pub label: Str,
    pub kind: FormFieldKind,
    pub placeholder: Str,
    pub default: Value,
    pub required: bool,
    /// How a date is written in the item, in Luxon's tokens; empty for `2024-12-31`.
    pub date_format: Str,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum FormFieldKind {
    #[default]
    Text,
    TextArea,
    Number,
    Email,
    Password,
    Date,
    DropDown {
        options: Vec<Str>,
        multiple: bool,
    },
    CheckBoxes {
        options: Vec<Str>,
        at_least: Option<usize>,
        at_most: Option<usize>,
    },
    Radio {
        options: Vec<Str>,
    },
    File {
        accepts: Str,
        multiple: bool,
    },
    /// Not shown; filled from the query.
    Hidden,
    /// Markup between the fields, cleaned before it is shown.
    Html(Str),
}

/// An answer to whoever started the run.
#[derive(Clone, Debug, PartialEq)]
pub struct WebhookResponse {
    pub status: u16,
    pub headers: Vec<(Str, Str)>,
    pub body: ResponseBody,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ResponseBody {
    Empty,
    Json(Value),
    /// With the content type that `headers` names.
    Bytes(Bytes),
    /// A page that ends or continues a form.
    Page(Box<FormPage>),
}

impl WebhookRoute {
    /// A route that takes calls of one method and answers at once.
    pub fn new(method: impl Into<Str>, path: impl Into<Str>) -> Self {
        Self {
            methods: vec![method.into()],
            path: path.into(),
            auth: WebhookAuth::default(),
            answer: ResponseMode::default(),
            status: 200,
            headers: Vec::new(),
            data: ResponseData::default(),
            allowed_origins: Str::new(),
            allowed_ips: Vec::new(),
            ignores_bots: false,
            body: BodyMode::default(),
            binary_field: Str::new(),
            delivery_header: None,
            is_conditional: false,
            detail: StreamDetail::default(),
        }
    }
}
