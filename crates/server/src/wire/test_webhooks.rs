//! Test webhooks on the wire.

use super::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TestWebhookInput {
    #[schemars(length(min = 1))]
    pub(crate) node: Option<String>,
    #[schemars(length(min = 1))]
    pub(crate) destination_node: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ListenerKind {
    Webhook,
    Form,
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
