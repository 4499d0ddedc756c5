//! The built-in demo model.

use super::model_spec;
use node_api::ai::Supply;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

pub(crate) struct LocalModel;

impl Supplier for LocalModel {
    fn spec() -> Spec {
        let summary = "Built-in demo model: connect a provider for real agents";
        model_spec(Spec::new("local-model", &[1.0], "Local Model", summary))
            .hint(
                "For trying things out without an API key: it picks a matching tool and shows its \
                 result. For real agents use a provider's model.",
            )
            .alias(&["demo", "offline", "no key", "smollm", "built-in"])
            .note(
                "An embedding model picks the tool for a request, and a small language model \
                 (SmolLM2, 135 million parameters) fills in its arguments: numbers and text from \
                 the request, enum values, booleans. Replies quote the tool's result. At most two \
                 tools are called per message.",
            )
            .note(
                "It does not plan, summarize, translate or hold a conversation. Without tools it \
                 chats, but its replies are not reliable.",
            )
            .note("Download its weights with `heddle models pull`. No data leaves this machine.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        Ok(Supply::Model(ctx.host().local_models().chat_model()?))
    }
}
