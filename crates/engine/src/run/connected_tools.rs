//! The tools that are connected to a node, as its model would be offered them, without a run.

use super::execution_stack::ScheduledNode;
use super::host::NodeHost;
use super::{ActiveRun, Engine};
use crate::options::RunOptions;
use crate::plan::Plan;
use crate::ports::{NoCredentials, NoJournal, NoWorkflows};
use compute::Offload;
use model::{Kind, Str};
use node_api::ai::{Supply, ToolDefinition};
use node_api::connect::NoConnections;
use node_api::{NodeError, unique_name};
use std::pin::pin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What one connected node brings, or why that cannot be told without a run.
pub struct ConnectedTools {
    pub node: Str,
    pub tools: Result<Vec<ToolDefinition>, NodeError>,
}

impl Engine {
    /// The tools that are connected to a node. No credential is opened for it and no server asked,
    /// and nothing is recorded.
    pub async fn connected_tools(
        &self,
        plan: Arc<Plan>,
        node: usize,
        options: RunOptions,
    ) -> Vec<ConnectedTools> {
        let mut engine = self.clone();
        engine.ports.credentials = Arc::new(NoCredentials);
        engine.ports.connections = Arc::new(NoConnections);
        engine.ports.workflows = Arc::new(NoWorkflows);
        engine.ports.journal = Arc::new(NoJournal);
        let run = ActiveRun::new(engine, plan.clone(), options, CancellationToken::new());
        let host = host_of(&run, node);
        let asking = async {
            let mut names: Vec<Str> = Vec::new();
            let mut found = Vec::new();
            for supplier in host.suppliers(Kind::AiTool) {
                let tools = host.supply_of(supplier, Kind::AiTool, 0).await;
                let tools = tools.map(|supply| definitions(supply, &mut names));
                found.push(ConnectedTools { node: plan.nodes[supplier].info.name.clone(), tools });
            }
            found
        };
        Offload::new(pin!(asking), run.cpu.clone()).await
    }
}

/// A node outside of the order of a run.
pub(super) fn host_of(run: &ActiveRun, node: usize) -> NodeHost {
    let entry = ScheduledNode::unfed(node);
    NodeHost::new(run, &entry, entry.inputs.clone(), 0)
}

/// The definitions with names that none of `names` has, as in a run.
fn definitions(supply: Supply, names: &mut Vec<Str>) -> Vec<ToolDefinition> {
    let Supply::Tools(tools) = supply else { return Vec::new() };
    let mut named = |mut definition: ToolDefinition| {
        definition.name =
            unique_name(definition.name, |name| names.iter().any(|known| known == name));
        names.push(definition.name.clone());
        definition
    };
    tools.iter().map(|tool| named(tool.definition().clone())).collect()
}
