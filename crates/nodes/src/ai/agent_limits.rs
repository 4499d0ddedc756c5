//! The operator's limits, and what the agents of a workflow have within them.

use super::sub_nodes::MAX_RESULT_BYTES;
use agent::{AgentError, AgentOptions, ToolGuard};
use node_api::ai::Tool;
use node_api::prelude::*;
use std::sync::Arc;

/// The options of an agent, no higher than the operator allows.
pub(super) fn limited(ctx: &Ctx<'_>, options: AgentOptions) -> AgentOptions {
    let most = ctx.host().agent_limits();
    let history = options.max_history_tokens.unwrap_or(most.history_tokens);
    AgentOptions {
        max_iterations: iterations(ctx, options.max_iterations),
        max_history_tokens: Some(history.min(most.history_tokens)),
        can_wait: ctx.host().can_wait_for_person(),
        ..options
    }
}

/// How often a model may be called, told where it is less than the node says.
pub(super) fn iterations(ctx: &Ctx<'_>, wanted: usize) -> usize {
    let most = ctx.host().agent_limits().max_iterations;
    if wanted > most {
        ctx.host().warn(
            format!(
                "Max iterations is {wanted}, but the operator allows {most} (HEDDLE_AGENT_ITERATIONS)"
            )
            .into(),
        );
    }
    wanted.min(most)
}

/// The tools of an agent, guarded, with results of the usual length.
pub(super) fn guarded(
    ctx: &Ctx<'_>,
    index: usize,
    tools: Vec<Arc<dyn Tool>>,
) -> Result<ToolGuard, NodeError> {
    guarded_within(ctx, index, tools, MAX_RESULT_BYTES, None)
}

/// The same with lengths and times of the node's own.
pub(super) fn guarded_within(
    ctx: &Ctx<'_>,
    index: usize,
    tools: Vec<Arc<dyn Tool>>,
    max_result_bytes: usize,
    timeout_ms: Option<u64>,
) -> Result<ToolGuard, NodeError> {
    let most = ctx.host().agent_limits().tool_timeout_ms;
    let guard = ToolGuard::new(tools, max_result_bytes).map_err(AgentError::into_node_error)?;
    Ok(guard
        .governed_by(ctx.host().tool_policy(index))
        .with_timeout(timeout_ms.map_or(most, |own| own.min(most)))
        .exposed_to(ctx.host().exposure()))
}
