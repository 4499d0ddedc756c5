//! How n8n's memories are told whose conversation it is.

use super::count;
use agent::memory::MemoryWindow;
use node_api::SupplyCtx;
use node_api::prelude::*;

/// The versions from which a memory has a choice and shows what it takes from the input.
pub(super) struct SinceVersions {
    pub(super) choice: f64,
    pub(super) shown: f64,
    pub(super) window: f64,
}

pub(super) fn params(since: &SinceVersions) -> Vec<Param> {
    let kinds = [("fromInput", "Connected Chat Trigger Node"), ("customKey", "Define below")];
    let key =
        |default: &str, help: &str| Param::text("sessionKey", "Session key", default).help(help);
    let mut params = Vec::new();
    if since.choice > 1.1 {
        params.extend([
            key("chat_history", "The name of the conversation.").versions(&[1.0]),
            key("={{ $json.sessionId }}", "ID of the conversation.").versions(&[1.1]),
        ]);
    }
    params.extend([
        Param::choice("sessionIdType", "Session ID", &kinds)
            .since(since.choice)
            .help("Source of the session ID: the input field `sessionId`, or the key below."),
        key(
            "={{ $json.sessionId }}",
            "The session ID of the input, or of the trigger if the input has none.",
        )
        .show("sessionIdType", &["fromInput"])
        .since(since.shown),
        key("", "ID of the conversation.").show("sessionIdType", &["customKey"]),
        Param::number("contextWindowLength", "Context window length", 5).since(since.window).help(
            "Number of past turns sent to the model. A turn is a user message with everything \
                 that followed it.",
        ),
    ]);
    params
}

/// The session that the node was told; none if it is to be looked for in the input.
pub(super) fn session(ctx: &SupplyCtx, since: &SinceVersions) -> Result<Option<Str>, NodeError> {
    let (inner, item) = (ctx.ctx(), ctx.item());
    let told = Some(inner.text("sessionKey", item)?).filter(|key| !key.is_empty());
    if inner.version() < since.choice {
        return Ok(told);
    }
    if inner.text("sessionIdType", item)? != "customKey" {
        return Ok(None);
    }
    told.map(Some).ok_or_else(|| {
        NodeError::parameter("sessionKey", "Key parameter is empty")
            .hint("Enter a session key, or take the session ID from the input.")
            .on_item(item)
    })
}

pub(super) fn window(ctx: &SupplyCtx, since: &SinceVersions) -> Result<MemoryWindow, NodeError> {
    if ctx.ctx().version() < since.window {
        Ok(MemoryWindow::All)
    } else {
        Ok(MemoryWindow::Turns(count(ctx, "contextWindowLength")?))
    }
}
