//! The table of node types.

use crate::ai::Supply;
use crate::credential::CredentialRegistry;
use crate::tool_form::{self, ToolForm};
use crate::trigger::{Trigger, TriggerListener, TriggerSetup};
use crate::{Ctx, NodeError, NodeGroup, Outputs, Port, Spec, Supplier, SupplyCtx};
use model::{Item, Items, Kind, Str};
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A node: a description and one function. Implemented once per file in `nodes`; called by the
/// engine.
///
/// `run` gets the items of the first input ([`Ctx::input`] has the others). It must not keep
/// anything between calls; what a node remembers goes through [`crate::host::Host::set_state`].
pub trait Node: 'static {
    fn spec() -> Spec;
    fn run(ctx: &Ctx<'_>, items: Items) -> impl Future<Output = Result<Outputs, NodeError>> + Send;
}

pub type NodeFuture<'a> = Pin<Box<dyn Future<Output = Result<Outputs, NodeError>> + Send + 'a>>;

/// One row of the table: a node as it is written in Rust.
pub struct NodeEntry {
    spec: fn() -> Spec,
    run: RunFn,
    trigger: Option<TriggerFns>,
    supply: Option<SupplyFn>,
}

pub type SupplyFuture = Pin<Box<dyn Future<Output = Result<Supply, NodeError>> + Send>>;

type SupplyFn = fn(SupplyCtx) -> SupplyFuture;

/// The functions of a node that listens.
#[derive(Clone, Copy)]
struct TriggerFns {
    listens: fn(&TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError>,
    woken_by: fn(&TriggerSetup<'_>, Item) -> Result<Item, NodeError>,
}

type RunFn = for<'a> fn(&'a Ctx<'a>, Items) -> NodeFuture<'a>;

/// The row of a node that runs on items.
pub const fn run<N: Node>() -> NodeEntry {
    NodeEntry {
        spec: N::spec,
        run: |ctx, items| Box::pin(N::run(ctx, items)),
        trigger: None,
        supply: None,
    }
}

/// The row of a node that starts runs, or wakes them.
pub const fn trigger<N: Trigger>() -> NodeEntry {
    NodeEntry {
        trigger: Some(TriggerFns { listens: N::listeners, woken_by: N::resume_item }),
        ..run::<N>()
    }
}

/// The row of a node that gives something to the node above it.
pub const fn supply<S: Supplier>() -> NodeEntry {
    NodeEntry {
        spec: S::spec,
        run: |ctx, _| Box::pin(only_supplies(ctx)),
        trigger: None,
        supply: Some(|ctx| Box::pin(S::supply(ctx))),
    }
}

/// The row of a node that runs on items or gives something to the node above it, as its parameters
/// say.
pub const fn run_and_supply<N: Node + Supplier>() -> NodeEntry {
    NodeEntry { supply: Some(|ctx| Box::pin(N::supply(ctx))), ..run::<N>() }
}

async fn only_supplies(ctx: &Ctx<'_>) -> Result<Outputs, NodeError> {
    let name = &ctx.node().name;
    Err(NodeError::failed(format!("'{name}' cannot run on its own"))
        .hint("Connect it to the node that should use it, such as an agent."))
}

/// A node type ready to be used: its description and its function.
pub struct NodeType {
    pub spec: Arc<Spec>,
    run: RunFn,
    trigger: Option<TriggerFns>,
    supply: Option<SupplyFn>,
}

impl NodeType {
    /// What the node supplies; `None` if it is none that does.
    pub fn supply(&self, ctx: SupplyCtx) -> Option<SupplyFuture> {
        self.supply.map(|supply| supply(ctx))
    }

    pub fn is_supplier(&self) -> bool {
        self.supply.is_some()
    }

    /// Whether a model may call the node: it takes items and gives items.
    pub fn can_be_a_tool(&self) -> bool {
        let has_main = |ports: &[Port]| ports.iter().any(|port| port.kind == Kind::Main);
        self.supply.is_none()
            && self.spec.group != NodeGroup::Trigger
            && has_main(&self.spec.inputs)
            && has_main(&self.spec.outputs)
    }

    pub fn run<'a>(&self, ctx: &'a Ctx<'a>, items: Items) -> NodeFuture<'a> {
        (self.run)(ctx, items)
    }

    /// Whether the node has something from outside to listen to.
    pub fn is_listening(&self) -> bool {
        self.trigger.is_some()
    }

    /// What it listens to; nothing for nodes that are no triggers.
    pub fn listeners(&self, setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        self.trigger.map_or(Ok(Vec::new()), |trigger| (trigger.listens)(setup))
    }

    /// What a call that wakes a waiting run puts in the place of the node's output.
    pub fn resume_item(&self, setup: &TriggerSetup<'_>, sent: Item) -> Result<Item, NodeError> {
        match self.trigger {
            Some(trigger) => (trigger.woken_by)(setup, sent),
            None => Ok(sent),
        }
    }
}

/// All node and credential types that this process knows.
#[derive(Default)]
pub struct Registry {
    pub credentials: Arc<CredentialRegistry>,
    by_type: HashMap<Str, Vec<Arc<NodeType>>>,
}

impl Registry {
    pub fn new(tables: impl IntoIterator<Item = &'static [NodeEntry]>) -> Self {
        let mut by_type: HashMap<Str, Vec<Arc<NodeType>>> = HashMap::new();
        for entry in tables.into_iter().flatten() {
            let mut spec = (entry.spec)();
            if spec.icon.is_empty() {
                spec.icon = spec.group.icon().into();
            }
            let spec = Arc::new(spec);
            by_type.entry(spec.id.clone()).or_default().push(Arc::new(NodeType {
                spec,
                run: entry.run,
                trigger: entry.trigger,
                supply: entry.supply,
            }));
        }
        Self { credentials: Arc::default(), by_type }
    }

    pub fn with_credentials(mut self, credentials: CredentialRegistry) -> Self {
        self.credentials = Arc::new(credentials);
        self
    }

    /// The node type that serves a version. An ordinary type with `Tool` at its end is that type,
    /// to be called by a model.
    pub fn find(&self, type_name: &str, version: f64) -> Option<&Arc<NodeType>> {
        self.of_type(type_name).iter().find(|node| node.spec.serves(version))
    }

    /// Every entry of a type, whatever its versions.
    pub fn of_type(&self, type_name: &str) -> &[Arc<NodeType>] {
        let known = self.by_type.get(type_name);
        known.or_else(|| self.called_type(type_name)).map_or(&[], Vec::as_slice)
    }

    /// The form in which a model calls an ordinary type; `None` if no model may.
    pub fn tool_form(&self, node: &NodeType) -> Option<ToolForm> {
        let form_id = tool_form::form_id(&node.spec.id);
        let is_taken = self.by_type.contains_key(&form_id);
        (!is_taken && self.called_type(&form_id).is_some()).then(|| ToolForm::of(node))
    }

    /// The ordinary type behind the name that it has while a model calls it.
    fn called_type(&self, type_name: &str) -> Option<&Vec<Arc<NodeType>>> {
        let found = self.by_type.get(tool_form::ordinary_id(type_name)?)?;
        found.iter().all(|node| node.can_be_a_tool()).then_some(found)
    }

    /// Everything, by type name.
    pub fn all(&self) -> Vec<&Arc<NodeType>> {
        let mut types: Vec<_> = self.by_type.values().flatten().collect();
        types.sort_by(|a, b| {
            a.spec
                .id
                .cmp(&b.spec.id)
                .then(a.spec.newest_version().total_cmp(&b.spec.newest_version()))
        });
        types
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Step;
    struct Taken;

    impl Node for Step {
        fn spec() -> Spec {
            Spec::new("a.step", &[1.0, 2.0], "Step", "")
        }
        async fn run(_: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
            Ok(vec![items])
        }
    }

    impl Node for Taken {
        fn spec() -> Spec {
            Spec::new("a.stepTool", &[1.0], "Its own", "").outputs([Port::of(Kind::AiTool, "")])
        }
        async fn run(_: &Ctx<'_>, _: Items) -> Result<Outputs, NodeError> {
            Ok(Vec::new())
        }
    }

    static STEP: &[NodeEntry] = &[run::<Step>()];
    static TAKEN: &[NodeEntry] = &[run::<Taken>()];

    #[test]
    fn what_is_found_as_a_tool_is_what_says_that_it_is_one() {
        let registry = Registry::new([STEP]);
        let found = registry.find("a.stepTool", 2.0).unwrap();
        let form = registry.tool_form(found).unwrap();
        assert_eq!((form.id.as_str(), form.name.as_str()), ("a.stepTool", "Step Tool"));
        assert_eq!(form.outputs[0].kind, Kind::AiTool);
        assert!(registry.of_type("a.stepToolTool").is_empty());
    }

    #[test]
    fn a_type_of_that_name_comes_first() {
        let registry = Registry::new([STEP, TAKEN]);
        assert_eq!(registry.find("a.stepTool", 1.0).unwrap().spec.name, "Its own");
        let step = registry.find("a.step", 1.0).unwrap();
        assert!(registry.tool_form(step).is_none());
        assert!(registry.tool_form(registry.find("a.stepTool", 1.0).unwrap()).is_none());
    }
}
