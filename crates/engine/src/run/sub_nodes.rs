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
        let plan = &self.run.plan;
        let mut supplies = Vec::new();
        let mut tool_names = Vec::new();
        for supplier in self.plan_node().suppliers.iter().filter(|supplier| supplier.kind == kind) {
            let node = &plan.nodes[supplier.node];
            if node.disabled {
                continue;
            }
            let Some(node_type) = &node.node_type else {
                return Err(unknown_type(&self.run.engine, node));
            };
            let host = Arc::new(self.supplier(supplier.node));
            let supply = if kind == Kind::AiTool && node_type.can_be_a_tool() {
                Supply::Tools(vec![Arc::new(NodeTool::new(host, node_type.clone(), item)?)])
            } else {
                let ctx = SupplyCtx::new(
                    node.info.clone(),
                    host,
                    self.inputs().to_vec(),
                    self.run_index(),
                    item,
                );
                let Some(supplying) = node_type.supply(ctx) else {
                    return Err(NodeError::failed(format!(
                        "'{}' cannot be used as {}",
                        node.info.name,
                        kind.name()
                    ))
                    .hint("Connect a suitable node, or remove the connection."));
                };
                supplying.await?
            };
            let supply =
                SubNodeRecorder::new(self, &node.info, kind).recorded(supply, &mut tool_names);
            supplies.push(Supplied { node: node.info.clone(), supply });
        }
        Ok(supplies)
    }
}
