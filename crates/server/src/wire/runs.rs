//! Manual runs from the editor.

use super::test_webhooks::TestWebhookAddress;
use super::{DrawnWorkflow, ExecutionId, Id, JsonObject, List, Text, Timestamp, UNLIMITED};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RunInput {
    pub(crate) workflow: Option<DrawnWorkflow>,
    pub(crate) trigger: Option<Text<1, 1000>>,
    pub(crate) until: Option<Text<1, 1000>>,
    pub(crate) start: Option<Text<1, 1000>>,
    /// What the trigger gives, in n8n's form of items.
    pub(crate) items: Option<List<JsonObject, 1, UNLIMITED>>,
    /// An execution whose results are used again.
    pub(crate) reuse: Option<Id>,
}

/// A run that has begun, or the address that it waits for.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunBegun<'a> {
    pub(crate) execution_id: Option<ExecutionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiting_for: Option<WaitingFor<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct WaitingFor<'a> {
    #[serde(flatten)]
    pub(crate) address: TestWebhookAddress<'a>,
    pub(crate) path: &'a str,
    pub(crate) expires_at: Timestamp,
}
