//! Test webhooks.

use super::{Text, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TestWebhookInput {
    pub(crate) node: Option<Text<1, 1000>>,
    pub(crate) destination_node: Option<Text<1, 1000>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ListenerKind {
    Webhook,
    Form,
    Mcp,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct TestWebhookAddress<'a> {
    pub(crate) node: &'a str,
    pub(crate) kind: ListenerKind,
    pub(crate) method: &'a str,
    pub(crate) url: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TestWebhook<'a> {
    pub(crate) waiting_for_webhook: bool,
    pub(crate) expires_at: Timestamp,
    pub(crate) addresses: Vec<TestWebhookAddress<'a>>,
}
