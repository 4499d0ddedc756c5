//! What the editor shows of a node type and what it begins with: its icon, the line under its name,
//! how it is started and woken.

use crate::param::DisplayRule;
use crate::spec::{NodeGroup, Spec};
use model::{Kind, Str, Value};
use serde::{Deserialize, Serialize};

/// What starts a run at a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TriggerKind {
    Manual,
    /// A call at an address of its own.
    Webhook,
    Form,
    Chat,
    /// A call of a tool by a client of the Model Context Protocol.
    Mcp,
    /// A message that a person types in the editor; it has no address.
    ManualChat,
    Schedule,
    Email,
    /// New entries of a source that is polled.
    Feed,
    /// A call by another workflow.
    Workflow,
    /// The failure of another workflow.
    Error,
}

impl TriggerKind {
    /// Whether different people can be behind the runs that it starts.
    pub fn is_open_to_many(self) -> bool {
        matches!(self, Self::Webhook | Self::Form | Self::Chat | Self::Mcp | Self::Email)
    }
}

/// A call that resumes a run which waits at the node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResumeCall {
    pub kind: ResumeKind,
    /// All must hold for such a call to resume it.
    #[serde(default)]
    pub show: Vec<DisplayRule>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ResumeKind {
    /// A form that a person fills in.
    Form,
    Webhook,
}

impl ResumeCall {
    pub fn form() -> Self {
        Self { kind: ResumeKind::Form, show: Vec::new() }
    }

    pub fn webhook() -> Self {
        Self { kind: ResumeKind::Webhook, show: Vec::new() }
    }

    /// Only while `param` has one of these values. Several rules must all hold.
    pub fn show<V: Into<Value> + Clone>(mut self, param: &str, values: &[V]) -> Self {
        self.show.push(DisplayRule::is(param, values));
        self
    }
}

/// Parameters that a node has when it is added. The text `{id}` is replaced by a new ID.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitialParams {
    /// Only if it is connected by an output of this kind.
    #[serde(default)]
    pub output: Option<Kind>,
    pub params: Value,
}

/// How warmly the node search offers a type, so that one of several alike stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Standing {
    #[default]
    Regular,
    /// The first choice among nodes that do the same.
    Recommended,
    /// Does what a recommended node does, with the parameters of n8n's node.
    Compatible,
    /// Kept for old workflows: found by its name, never offered.
    Legacy,
}

impl NodeGroup {
    /// The icon of the group's nodes that name none.
    pub fn icon(self) -> &'static str {
        match self {
            NodeGroup::Trigger => "zap",
            NodeGroup::Flow => "git-branch",
            NodeGroup::Data => "braces",
            NodeGroup::Files => "file-text",
            NodeGroup::Ai => "sparkles",
            NodeGroup::Tool => "wrench",
            NodeGroup::Integration => "blocks",
        }
    }
}

impl Spec {
    /// The name of a Lucide icon; `web/src/shared/icons.ts` lists those to choose from.
    pub fn icon(mut self, name: &str) -> Self {
        self.icon = name.into();
        self
    }

    /// The line under a node's name. The first template that can be filled counts; if there is
    /// none, the operation, the mode or the model is shown.
    ///
    /// `{path}` is the value of a parameter, `{path?text}` has a text for one that is not set, and
    /// `{path=value}` shows nothing but must have this value. A filter says how a value is shown:
    /// `{url:url}` without scheme and query, `list` with commas, `name` unless it is a UUID, `names`
    /// of the entries of a list, `count word` with their number, `locator` what was chosen,
    /// `conditions`, `schedule`, and `plural param` a unit as the amount in `param` needs it.
    pub fn subtitle(mut self, templates: &[&str]) -> Self {
        self.subtitle = templates.iter().map(|template| Str::from(*template)).collect();
        self
    }

    /// The first choice among nodes that do the same.
    pub fn recommended(mut self) -> Self {
        self.standing = Standing::Recommended;
        self
    }

    /// Does what a recommended node does, with the parameters of n8n's node.
    pub fn compatible(mut self) -> Self {
        self.standing = Standing::Compatible;
        self
    }

    /// Kept for old workflows.
    pub fn legacy(mut self) -> Self {
        self.standing = Standing::Legacy;
        self
    }

    /// Answers the caller of these triggers, so it is offered first in workflows that have one.
    pub fn answers(mut self, triggers: &[TriggerKind]) -> Self {
        self.answers.extend(triggers);
        self
    }

    /// It can do the work of nodes that are not supported, and is offered in their place with these
    /// parameters. A text lists alternatives, parted by ` | `; the first that can be filled counts,
    /// and without one the parameter is left out. `{name}` is that parameter of the other node,
    /// `{credential}` the type of its credential and `{baseUrl}` where that credential is sent;
    /// `{name=text}` says `text` if there is such a value.
    pub fn stands_in(mut self, params: Value) -> Self {
        self.stand_in = Some(params);
        self
    }

    pub fn triggered_by(mut self, kind: TriggerKind) -> Self {
        self.trigger = Some(kind);
        self
    }

    /// A call resumes a run that waits at the node.
    pub fn resumed_by(mut self, call: ResumeCall) -> Self {
        self.resumed_by.push(call);
        self
    }

    /// Parameters of a new node.
    pub fn initial(mut self, params: Value) -> Self {
        self.initial.push(InitialParams { output: None, params });
        self
    }

    /// Parameters of a new node that is connected by an output of this kind.
    pub fn initial_for(mut self, output: Kind, params: Value) -> Self {
        self.initial.push(InitialParams { output: Some(output), params });
        self
    }
}
