//! A chain of models: if one does not answer, the next is asked.

use super::{model_spec, supply};
use crate::ai::sub_nodes::{model, models};
use futures::StreamExt as _;
use model::Kind;
use node_api::ai::{ChatModel, ChatRequest, ChatStream, ModelError, ModelInfo, Supply};
use node_api::prelude::*;
use node_api::{NodeInfo, Supplier, SupplyCtx};
use providers::models::fallback::{Cooldowns, FallbackChain, FallbackModel};
use providers::models::timing::SystemTiming;
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct ModelFallback;

impl Supplier for ModelFallback {
    fn spec() -> Spec {
        model_spec(Spec::new(
            "model-fallback",
            &[1.0],
            "Model Fallback",
            "Use the next model if one fails",
        ))
        .icon("shuffle")
        .inputs([Port::of(Kind::AiLanguageModel, "Models").many()])
        .param(
            Param::number("coolDown", "Cool-down", 60)
                .at_least(0.0)
                .help("Seconds during which a failed model is skipped by all runs of this node."),
        )
        .hint("Connect the models in the order to try them, and this node to the agent.")
        .alias(&["failover", "backup model", "redundancy"])
        .note(
            "A model is skipped after a temporary failure: too many requests, insufficient \
                 credit or a broken connection. Once a response has started, no other model takes \
                 over.",
        )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let cool_down = ctx.ctx().number("coolDown", ctx.item())?.clamp(0.0, 1e9);
        let whose = format!("{} {}", ctx.host().execution().workflow_id, ctx.node().id);
        let connected = models(ctx.host().as_ref(), ctx.item()).await?;
        // A chain can do what each of its models can, so each is made to take tools.
        let link = |(node, model): (NodeInfo, _)| FallbackModel {
            name: format!("{whose} {}", node.name).into(),
            model: agent::with_tools(model),
        };
        let links = connected.into_iter().map(link).collect();
        let chain = FallbackChain::new(
            links,
            Cooldowns::shared().clone(),
            Arc::new(SystemTiming),
            Duration::from_secs_f64(cool_down),
        );
        let none =
            || NodeError::failed("No model is connected").hint("Connect at least one model node.");
        chain.map(supply).ok_or_else(none)
    }
}

/// The model of a node of n8n's that may have a second one, which is asked whatever the first one's
/// failure is.
pub(in crate::ai) async fn with_fallback(
    ctx: &Ctx<'_>,
    index: usize,
) -> Result<Arc<dyn ChatModel>, NodeError> {
    if !ctx.flag("needsFallback", index)? {
        return model(ctx, index).await;
    }
    let connected = models(ctx.host(), index).await?;
    if connected.len() < 2 {
        return Err(NodeError::failed(
            "Please connect a model to the Fallback Model input or disable the fallback option",
        )
        .hint("Connect a second model node."));
    }
    let link = |(node, model): (NodeInfo, _)| FallbackModel {
        name: node.name.clone(),
        model: Arc::new(AnyFailure(agent::with_tools(model))),
    };
    let links = connected.into_iter().take(2).map(link).collect();
    let chain = FallbackChain::new(links, Arc::default(), Arc::new(SystemTiming), Duration::ZERO);
    chain
        .map(|chain| Arc::new(chain) as Arc<dyn ChatModel>)
        .ok_or_else(|| NodeError::failed("No model is connected"))
}

/// A model whose every failure lets the next one try.
struct AnyFailure(Arc<dyn ChatModel>);

impl ChatModel for AnyFailure {
    fn info(&self) -> &ModelInfo {
        self.0.info()
    }

    fn stream(&self, request: ChatRequest) -> ChatStream<'_> {
        let passing = |error: ModelError| ModelError { may_pass: true, ..error };
        Box::pin(self.0.stream(request).map(move |event| event.map_err(passing)))
    }
}
