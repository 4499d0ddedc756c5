//! Nodes that give something to the node above them: a model, a memory, tools.

use crate::ai::{Supply, ToolCallContext};
use crate::host::Host;
use crate::{Ctx, NodeError, NodeInfo, Spec};
use model::{Items, Object};
use std::future::Future;
use std::sync::Arc;

/// A node that supplies. Implemented once per file in `nodes`; called by the engine when the node
/// above asks for what it needs.
pub trait Supplier: 'static {
    fn spec() -> Spec;
    /// What the node supplies for an item of the node above it: its expressions see that item.
    fn supply(ctx: SupplyCtx) -> impl Future<Output = Result<Supply, NodeError>> + Send;
}

/// What a supplying node sees. It may be kept for as long as what it supplies is in use.
#[derive(Clone)]
pub struct SupplyCtx {
    inner: Arc<SupplyInner>,
}

struct SupplyInner {
    node: NodeInfo,
    host: Arc<dyn Host>,
    inputs: Vec<Option<Items>>,
    run_index: usize,
    item: usize,
}

impl SupplyCtx {
    pub fn new(
        node: NodeInfo,
        host: Arc<dyn Host>,
        inputs: Vec<Option<Items>>,
        run_index: usize,
        item: usize,
    ) -> Self {
        Self { inner: Arc::new(SupplyInner { node, host, inputs, run_index, item }) }
    }

    /// What the node sees while a model calls it as a tool: `$fromAI` gives the arguments.
    pub fn for_call(&self, arguments: &Object, call: &ToolCallContext) -> Result<Self, NodeError> {
        let Some(host) = self.inner.host.for_call(arguments, call)? else {
            return Ok(self.clone());
        };
        let SupplyInner { node, inputs, run_index, item, .. } = &*self.inner;
        Ok(Self::new(node.clone(), host, inputs.clone(), *run_index, *item))
    }

    /// The same place for a node that is no part of the workflow; `None` where there are none.
    pub fn embedded(&self, node: &Object) -> Option<Self> {
        let (info, host) = self.inner.host.embedded(node)?;
        let SupplyInner { inputs, run_index, item, .. } = &*self.inner;
        Some(Self::new(info, host, inputs.clone(), *run_index, *item))
    }

    /// The parameters and the world, as an ordinary node has them.
    pub fn ctx(&self) -> Ctx<'_> {
        Ctx::new(
            &self.inner.node,
            &self.inner.inputs,
            self.inner.run_index,
            self.inner.host.as_ref(),
        )
    }

    pub fn node(&self) -> &NodeInfo {
        &self.inner.node
    }

    pub fn host(&self) -> &Arc<dyn Host> {
        &self.inner.host
    }

    /// The item of the node above that it supplies for.
    pub fn item(&self) -> usize {
        self.inner.item
    }
}

/// Something supplied, and who supplies it.
#[derive(Clone)]
pub struct Supplied {
    pub node: NodeInfo,
    pub supply: Supply,
}
