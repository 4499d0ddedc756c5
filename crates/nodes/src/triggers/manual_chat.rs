//! Starts a run with a message that a person types while building.

use node_api::prelude::*;

pub(crate) struct ManualChatTrigger;

impl Node for ManualChatTrigger {
    fn spec() -> Spec {
        Spec::trigger(
            "@n8n/n8n-nodes-langchain.manualChatTrigger",
            &[1.0, 1.1],
            "Manual Chat Trigger",
            "Start with a chat message",
        )
        .legacy()
        .icon("messages-square")
        .triggered_by(TriggerKind::ManualChat)
        .group(NodeGroup::Trigger)
        .param(Param::notice(
            "notice",
            "The workflow starts with each message in the editor's chat.",
        ))
        .param(Param::hidden("openChat", ""))
        .hint("Only in old workflows; use the Chat Trigger in new ones.")
        .alias(&["chat", "message"])
        .repeatable()
        .example(
            "A message",
            "{}",
            r#"[{ "chatInput": "Hello" }]"#,
            r#"[[{ "chatInput": "Hello" }]]"#,
        )
    }

    async fn run(_ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        Ok(vec![items])
    }
}
