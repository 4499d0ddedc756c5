//! Nodes that do what a test needs: stand still until they are let go, ask a person, panic.

use node_api::checkpoints::{ApprovalRequest, approval_key};
use node_api::prelude::*;
use node_api::{NodeEntry, run};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};
use tokio::sync::watch;

pub(crate) static NODES: &[NodeEntry] =
    &[run::<EffectNode>(), run::<RepeatableNode>(), run::<AskNode>(), run::<PanicNode>()];

/// How long a person has to decide.
pub(crate) const DECISION_TIME_MS: i64 = 60_000;

/// The call that [`AskNode`] asks about.
pub(crate) const CALL: &str = "tool 1.1";

/// What tests and nodes of one name share: how often the node was run, and whether it may pass.
pub(crate) struct Gate {
    entered: watch::Sender<usize>,
    is_open: watch::Sender<bool>,
}

impl Gate {
    /// The gate of a name, which must be used by one test only. It is open unless it is closed.
    pub(crate) fn named(name: &str) -> Arc<Self> {
        static GATES: LazyLock<Mutex<HashMap<String, Arc<Gate>>>> = LazyLock::new(Mutex::default);
        let new = || Self { entered: watch::Sender::new(0), is_open: watch::Sender::new(true) };
        let mut gates = GATES.lock().unwrap();
        gates.entry(name.to_owned()).or_insert_with(|| Arc::new(new())).clone()
    }

    pub(crate) fn closed(name: &str) -> Arc<Self> {
        let gate = Self::named(name);
        gate.is_open.send_replace(false);
        gate
    }

    pub(crate) fn open(&self) {
        self.is_open.send_replace(true);
    }

    /// How often a node has come here.
    pub(crate) fn entered(&self) -> usize {
        *self.entered.borrow()
    }

    pub(crate) async fn wait_entered(&self, count: usize) {
        let mut entered = self.entered.subscribe();
        let reached = entered.wait_for(|entered| *entered >= count);
        let in_time = tokio::time::timeout(std::time::Duration::from_secs(30), reached).await;
        assert!(in_time.is_ok(), "entered {} times instead of {count}", self.entered());
    }

    async fn pass(&self) {
        self.entered.send_modify(|entered| *entered += 1);
        let _ = self.is_open.subscribe().wait_for(|is_open| *is_open).await;
    }
}

fn gate_spec(id: &str) -> Spec {
    Spec::new(id, &[1.0], id, "Waits until its gate is open").param(Param::text("gate", "Gate", ""))
}

async fn pass_gate(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
    let name = ctx.text("gate", 0)?;
    Gate::named(&name).pass().await;
    Ok(vec![items])
}

/// Has an effect outside, so it must not run twice by itself.
struct EffectNode;

impl Node for EffectNode {
    fn spec() -> Spec {
        gate_spec("test.effect")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        pass_gate(ctx, items).await
    }
}

/// May run again after it was cut off.
struct RepeatableNode;

impl Node for RepeatableNode {
    fn spec() -> Spec {
        gate_spec("test.repeatable").repeatable()
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        pass_gate(ctx, items).await
    }
}

/// Asks a person about one call, as agents do, and puts out their verdict.
struct AskNode;

impl Node for AskNode {
    fn spec() -> Spec {
        Spec::new("test.ask", &[1.0], "Ask", "Asks a person").records_steps()
    }

    async fn run(ctx: &Ctx<'_>, _items: Items) -> Result<Outputs, NodeError> {
        let (host, key) = (ctx.host(), approval_key(CALL));
        let recorded = host.recorded_step(&key).as_ref().and_then(ApprovalRequest::from_value);
        let request = match recorded {
            Some(request) => request,
            None => {
                let now_ms = host.now_ms();
                let arguments = model::json!({ "to": "ada" });
                let until_ms = now_ms + DECISION_TIME_MS;
                let request = ApprovalRequest::new("send".into(), arguments, now_ms, until_ms);
                host.record_step(&key, request.to_value()).await?;
                request
            }
        };
        let verdict = match request.decision {
            Some(decision) => decision.verdict.name(),
            None if host.now_ms() >= request.until_ms => "expired",
            None => return Err(host.wait_for_person(request.until_ms).await),
        };
        Ok(vec![Items::one(Item::new(model::json!({ "verdict": (verdict) })))])
    }
}

struct PanicNode;

impl Node for PanicNode {
    fn spec() -> Spec {
        Spec::new("test.panic", &[1.0], "Panic", "Panics")
    }

    async fn run(_ctx: &Ctx<'_>, _items: Items) -> Result<Outputs, NodeError> {
        panic!("a bug in a node")
    }
}
