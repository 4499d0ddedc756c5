//! A node that does something outside, which must not happen twice: it is noted in the world, and
//! takes a while.

use crate::simulation_state::SimulationState;
use node_api::prelude::*;
use node_api::{NodeEntry, run};

pub(crate) static NODES: &[NodeEntry] = &[run::<EffectNode>()];

struct EffectNode;

impl Node for EffectNode {
    fn spec() -> Spec {
        Spec::new(
            "simulation.effect",
            &[1.0],
            "Effect",
            "Does something outside that must not happen twice",
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let world =
            SimulationState::here().ok_or_else(|| NodeError::failed("there is no world"))?;
        let id: i64 = ctx.host().execution().id.parse().unwrap_or(0);
        let node = ctx.node().name.clone();
        world.truth().happens(id, &node);
        world.log_line(format_args!("run {id}: {node} happens"));
        let takes = if world.is_calm() { 0 } else { world.some_time().as_millis() as u64 };
        ctx.host().sleep(takes).await?;
        if world.random.one_in(40) {
            return Err(NodeError::failed("simulated"));
        }
        Ok(vec![items])
    }
}
