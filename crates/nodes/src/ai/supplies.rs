//! What the nodes under an agent supply it with.

use model::Kind;
use node_api::NodeInfo;
use node_api::ai::{ChatModel, Memory, SessionId, Supply, Tool};
use node_api::host::Host;
use node_api::prelude::*;
use std::sync::Arc;

/// The model of an agent, which can be given tools and schemas whatever it knows of them.
pub(super) async fn model(ctx: &Ctx<'_>, index: usize) -> Result<Arc<dyn ChatModel>, NodeError> {
    let model = models(ctx.host(), index).await?.into_iter().next().map(|(_, model)| agent::with_tools(model));
    model.ok_or_else(|| NodeError::failed("A model is not connected").hint("Connect a model node to the agent."))
}

/// All models that are connected, in the order of the inputs.
pub(super) async fn models(host: &dyn Host, index: usize) -> Result<Vec<(NodeInfo, Arc<dyn ChatModel>)>, NodeError> {
    let supplied = host.supplies(Kind::AiLanguageModel, index).await?;
    let models = supplied.into_iter().filter_map(|supplied| match supplied.supply {
        Supply::Model(model) => Some((supplied.node, model)),
        _ => None,
    });
    Ok(models.collect())
}

pub(super) async fn tools(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Arc<dyn Tool>>, NodeError> {
    let supplied = ctx.host().supplies(Kind::AiTool, index).await?;
    Ok(supplied.into_iter().flat_map(|supplied| if let Supply::Tools(tools) = supplied.supply { tools } else { Vec::new() }).collect())
}

pub(super) async fn memory(ctx: &Ctx<'_>, index: usize, session: Str) -> Result<Option<(Arc<dyn Memory>, SessionId)>, NodeError> {
    let supplied = ctx.host().supplies(Kind::AiMemory, index).await?;
    let memory = supplied.into_iter().find_map(|supplied| if let Supply::Memory(memory) = supplied.supply { Some(memory) } else { None });
    let Some(memory) = memory else { return Ok(None) };
    if session.is_empty() {
        return Err(NodeError::parameter("options.sessionId", "A memory is connected, but nothing says whose conversation it is")
            .hint("Set the session id, for example to the id of the user."));
    }
    Ok(Some((memory, SessionId(session))))
}
