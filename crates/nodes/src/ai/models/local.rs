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
            .hint("Only to try things out with no key: it finds a fitting tool and shows what it gives. For real agents use the model of a provider.")
            .alias(&["demo", "offline", "no key", "smollm", "built-in"])
            .note("An embedding model finds the tool that a request is for, and a small language model (SmolLM2, 135 million numbers) fills in what the tool is asked: numbers and words of the request, one of a list, yes or no. Answers quote what the tool gave. At most two tools are called for a message.")
            .note("It does not plan, summarise, translate, or take part in a conversation; without tools it chats, and what it says then is not to be relied on.")
            .note("Its weights are put in place by `heddle models pull`; nothing is sent anywhere.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        Ok(Supply::Model(ctx.host().local_models().chat_model()?))
    }
}
