//! What the nodes below a node supply it with: each is asked at the same place in the run, and
//! every use of it is recorded.

use super::host::NodeHost;
use super::node_tool::NodeTool;
use super::step::unknown_type;
use super::subnode_record::SubNodeRecorder;
use model::Kind;
use node_api::ai::Supply;
use node_api::{NodeError, Supplied, SupplyCtx};
use std::sync::Arc;

impl NodeHost {
    pub(super) async fn all_supplies(
        &self,
        kind: Kind,
        item: usize,
    ) -> Result<Vec<Supplied>, NodeError> {
        let mut supplies = Vec::new();
        let mut tool_names = Vec::new();
        for supplier in self.suppliers(kind) {
            let supply = self.supply_of(supplier, kind, item).await?;
            let node = &self.run.plan.nodes[supplier].info;
            let supply =
                SubNodeRecorder::new(self, node, kind, item).recorded(supply, &mut tool_names);
            supplies.push(Supplied { node: node.clone(), supply });
        }
        Ok(supplies)
    }

    /// The nodes that supply this one, by a kind of connection.
    pub(super) fn suppliers(&self, kind: Kind) -> impl Iterator<Item = usize> {
        let plan = &self.run.plan;
        let connected = self.plan_node().suppliers.iter();
        connected
            .filter(move |supplier| supplier.kind == kind && !plan.nodes[supplier.node].disabled)
            .map(|supplier| supplier.node)
    }

    /// What one of them gives.
    pub(super) async fn supply_of(
        &self,
        supplier: usize,
        kind: Kind,
        item: usize,
    ) -> Result<Supply, NodeError> {
        self.supply_by(Arc::new(self.supplier(supplier)), kind, item).await
    }

    /// What the node of a host gives this one.
    pub(super) async fn supply_by(
        &self,
        host: Arc<NodeHost>,
        kind: Kind,
        item: usize,
    ) -> Result<Supply, NodeError> {
        let Some(node_type) = host.plan_node().node_type.clone() else {
            return Err(unknown_type(&self.run.engine, host.plan_node()));
        };
        if kind == Kind::AiTool && node_type.can_be_a_tool() {
            let tool = NodeTool::new(host, node_type, item)?;
            return Ok(Supply::Tools(vec![Arc::new(tool)]));
        }
        let inputs = self.inputs().to_vec();
        let info = host.plan_node().info.clone();
        let name = info.name.clone();
        let ctx = SupplyCtx::new(info, host, inputs, self.run_index(), item);
        match node_type.supply(ctx) {
            Some(supplying) => supplying.await,
            None => Err(NodeError::failed(format!("'{name}' cannot be used as {}", kind.name()))
                .hint("Connect a suitable node, or remove the connection.")),
        }
    }
}
