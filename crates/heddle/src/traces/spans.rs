//! Turns the events of runs into spans: one per run, one per node, with n8n's names for what they carry.

use super::otlp::{Attribute, Span};
use aws_lc_rs::digest::{SHA256, digest};
use model::{Items, Kind, RunError, RunEvent, RunStatus, Str, TaskData, TaskStatus, Value, Workflow};
use runtime::LiveEvent;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Executions as _, Sqlite, Workflows as _};

/// How long the nodes of a workflow are remembered before they are read again.
const REMEMBER: Duration = Duration::from_secs(5);
/// Runs of which the end was missed must not fill the memory.
const MAX_OPEN: usize = 50_000;

/// The spans of runs that go on, and those that wait to be sent.
pub(super) struct Spans {
    store: Sqlite,
    secret: String,
    /// The share of traces that are made.
    share: f64,
    open: HashMap<Str, OpenRun>,
    finished: Vec<Span>,
    workflows: HashMap<Str, (Instant, Arc<Nodes>)>,
}

struct OpenRun {
    trace: [u8; 16],
    id: [u8; 8],
    parent: Option<[u8; 8]>,
    is_sampled: bool,
    workflow_id: Str,
    workflow_name: Str,
    mode: Str,
    started_ms: i64,
    is_continued: bool,
    nodes: Arc<Nodes>,
    /// Steps that have begun.
    steps: HashMap<Str, [u8; 8]>,
    current: Option<[u8; 8]>,
}

/// What a trace says about the nodes of a workflow.
#[derive(Default)]
struct Nodes {
    by_name: HashMap<Str, (Str, Str, f64)>,
}

impl Spans {
    pub(super) fn new(store: Sqlite, secret: String, share: f64) -> Self {
        Self { store, secret, share, open: HashMap::new(), finished: Vec::new(), workflows: HashMap::new() }
    }

    pub(super) fn n_finished(&self) -> usize {
        self.finished.len()
    }

    /// The spans that are over since this was last asked.
    pub(super) fn finished(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.finished)
    }

    pub(super) async fn take(&mut self, live: LiveEvent) {
        let run_id = live.run_id.clone();
        match &live.event {
            RunEvent::RunStarted { workflow_id, workflow_name, mode, started_ms, items, .. } => {
                let above = live.parent.as_ref().and_then(|parent| self.open.get(parent)).map(Above::of_run);
                let above = above.or_else(|| Above::of_call(mode, items.as_ref()));
                self.begin(&run_id, workflow_id, workflow_name, mode, *started_ms, above, false).await;
                return;
            }
            RunEvent::NodeLog { .. } | RunEvent::NodeRetried { .. } => return,
            _ if !self.open.contains_key(&run_id) => self.take_up(&live).await,
            _ => {}
        }
        let Some(run) = self.open.get_mut(&run_id) else { return };
        match live.event {
            RunEvent::NodeStarted { node, .. } => {
                let id = fresh();
                run.current = Some(id);
                run.steps.insert(node, id);
            }
            RunEvent::NodeFinished { node, task, .. } if run.is_sampled => {
                let span = run.step(&node, &task);
                self.finished.push(span);
            }
            RunEvent::NodeSilent { node } => {
                run.steps.remove(&node);
            }
            RunEvent::RunFinished { status, error, finished_ms } => {
                if let Some(run) = self.open.remove(&run_id).filter(|run| run.is_sampled) {
                    self.finished.push(run.end(&run_id, status, error.as_ref(), finished_ms));
                }
            }
            _ => {}
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one private function behind two that name them")]
    async fn begin(
        &mut self,
        run_id: &Str,
        workflow_id: &Str,
        name: &Str,
        mode: &Str,
        started_ms: i64,
        above: Option<Above>,
        is_continued: bool,
    ) {
        let nodes = self.nodes_of(workflow_id).await;
        // The same run has the same trace whenever it goes on, in this process or the next.
        let own = digest(&SHA256, format!("{}/{run_id}", self.secret).as_bytes());
        let mut trace = [0; 16];
        trace.copy_from_slice(&own.as_ref()[..16]);
        let (trace, parent, is_sampled) = match above {
            Some(above) => (above.trace, Some(above.span), above.is_sampled),
            None => (trace, None, true),
        };
        let is_sampled = is_sampled && is_in_share(&trace, self.share);
        if self.open.len() >= MAX_OPEN {
            self.open.clear();
        }
        let run = OpenRun {
            trace,
            id: fresh(),
            parent,
            is_sampled,
            workflow_id: workflow_id.clone(),
            workflow_name: name.clone(),
            mode: mode.clone(),
            started_ms,
            is_continued,
            nodes,
            steps: HashMap::new(),
            current: None,
        };
        self.open.insert(run_id.clone(), run);
    }

    /// A run that slept or was cut off goes on: how it began is in its journal.
    async fn take_up(&mut self, live: &LiveEvent) {
        let Ok(id) = live.run_id.parse() else { return };
        let events = self.store.outline(id).await.unwrap_or_default();
        let began = events.into_iter().find_map(|event| match event {
            RunEvent::RunStarted { workflow_id, workflow_name, mode, items, .. } => Some((workflow_id, workflow_name, mode, items)),
            _ => None,
        });
        let Some((workflow_id, name, mode, items)) = began else { return };
        let now = jiff::Timestamp::now().as_millisecond();
        let above = Above::of_call(&mode, items.as_ref());
        self.begin(&live.run_id, &workflow_id, &name, &mode, now, above, true).await;
    }

    async fn nodes_of(&mut self, workflow_id: &Str) -> Arc<Nodes> {
        if let Some((read, nodes)) = self.workflows.get(workflow_id)
            && read.elapsed() < REMEMBER
        {
            return nodes.clone();
        }
        let stored = self.store.workflow(workflow_id).await.ok().flatten();
        let nodes = stored.and_then(|stored| Workflow::parse(&stored.document).ok()).map(|workflow| Nodes::of(&workflow));
        let nodes = Arc::new(nodes.unwrap_or_default());
        self.workflows.retain(|_, (read, _)| read.elapsed() < REMEMBER);
        self.workflows.insert(workflow_id.clone(), (Instant::now(), nodes.clone()));
        nodes
    }
}

impl Nodes {
    fn of(workflow: &Workflow) -> Self {
        let about = |node: &model::Node<'_>| {
            let text = |key: &str| node.fields().get(key).and_then(Value::as_str).map(Str::from).unwrap_or_default();
            let version = node.fields().get("typeVersion").and_then(Value::as_f64).unwrap_or(1.0);
            (Str::from(node.name()), (text("id"), text("type"), version))
        };
        Self { by_name: workflow.nodes().map(|node| about(&node)).collect() }
    }
}

impl OpenRun {
    fn step(&mut self, node: &Str, task: &TaskData) -> Span {
        let id = self.steps.remove(node).unwrap_or_else(fresh);
        let mut attributes = vec![
            ("n8n.node.name", Attribute::Text(node.to_string())),
            ("n8n.node.items.output", Attribute::Number(n_items(task))),
            ("heddle.node.status", Attribute::Text(task.status.name().to_owned())),
        ];
        if let Some((node_id, kind, version)) = self.nodes.by_name.get(node) {
            attributes.push(("n8n.node.id", Attribute::Text(node_id.to_string())));
            attributes.push(("n8n.node.type", Attribute::Text(kind.to_string())));
            attributes.push(("n8n.node.type_version", Attribute::Text(version.to_string())));
        }
        let is_broken = task.status == TaskStatus::Error;
        let failure = is_broken.then(|| task.error.as_ref().map_or("NODE_FAILED", |error| error.code.name()));
        Span {
            trace: self.trace,
            id,
            parent: Some(self.id),
            name: "node.execute",
            is_server: false,
            started_ms: task.start_time_ms,
            ended_ms: task.start_time_ms + i64::try_from(task.execution_time_ms).unwrap_or(0),
            attributes,
            failure,
        }
    }

    fn end(self, run_id: &str, status: RunStatus, error: Option<&RunError>, finished_ms: i64) -> Span {
        let mut attributes = vec![
            ("n8n.workflow.id", Attribute::Text(self.workflow_id.to_string())),
            ("n8n.workflow.name", Attribute::Text(self.workflow_name.to_string())),
            ("n8n.workflow.node_count", Attribute::Number(self.nodes.by_name.len() as i64)),
            ("n8n.execution.id", Attribute::Text(run_id.to_owned())),
            ("n8n.execution.mode", Attribute::Text(self.mode.to_string())),
            ("n8n.execution.status", Attribute::Text(status.name().to_owned())),
            ("n8n.execution.is_retry", Attribute::Flag(self.mode == "retry")),
        ];
        if self.is_continued {
            attributes.push(("n8n.continuation.reason", Attribute::Text("resume".to_owned())));
        }
        if let Some(error) = error {
            attributes.push(("n8n.execution.error_type", Attribute::Text(error.name.to_string())));
        }
        Span {
            trace: self.trace,
            id: self.id,
            parent: self.parent,
            name: "workflow.execute",
            is_server: self.mode == "webhook",
            started_ms: self.started_ms,
            ended_ms: finished_ms,
            attributes,
            failure: error.map(|error| error.code.name()),
        }
    }
}

fn n_items(task: &TaskData) -> i64 {
    let outputs = task.data.get(&Kind::Main).map(Vec::as_slice).unwrap_or_default();
    outputs.iter().flatten().map(|items| items.len() as i64).sum()
}

/// The span that a run belongs under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Above {
    trace: [u8; 16],
    span: [u8; 8],
    is_sampled: bool,
}

impl Above {
    /// A run that another one started belongs to the step that did so.
    fn of_run(run: &OpenRun) -> Self {
        Self { trace: run.trace, span: run.current.unwrap_or(run.id), is_sampled: run.is_sampled }
    }

    /// A call may say which trace it is part of. The item that the run began with has its headers.
    fn of_call(mode: &str, items: Option<&Items>) -> Option<Self> {
        if mode != "webhook" {
            return None;
        }
        let item = items?.first()?;
        Self::parse(item.json.get("headers")?.get("traceparent")?.as_str()?)
    }

    /// W3C's `traceparent`: version, trace, span and flags in hex.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_lower_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        if !is_lower_hex(&[version, trace, span, flags].concat()) || version.len() != 2 || version == "ff" || flags.len() != 2 {
            return None;
        }
        // A later version may have more parts; this one has none.
        if version == "00" && parts.next().is_some() {
            return None;
        }
        let trace: [u8; 16] = bytes(trace)?;
        let span: [u8; 8] = bytes(span)?;
        let flags = u8::from_str_radix(flags, 16).ok()?;
        (trace != [0; 16] && span != [0; 8]).then_some(Self { trace, span, is_sampled: flags & 1 == 1 })
    }
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * index..2 * index + 2)?, 16).ok()?;
    }
    Some(bytes)
}

/// Whether a trace is among those that are made: the same answer for every span of it.
fn is_in_share(trace: &[u8; 16], share: f64) -> bool {
    let low = trace[8..].iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)) >> 11;
    (low as f64) < share * (1_u64 << 53) as f64
}

fn fresh() -> [u8; 8] {
    let mut id = [0; 8];
    // A span without an id of its own would be taken for another; the system's random source does not fail.
    if getrandom::fill(&mut id).is_err() {
        id = [1; 8];
    }
    id
}

#[cfg(test)]
mod tests {
    use super::super::otlp::hex;
    use super::*;

    #[test]
    fn a_traceparent_is_read_and_a_wrong_one_is_not() {
        let above = Above::parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").unwrap();
        assert_eq!((hex(&above.trace).as_str(), hex(&above.span).as_str()), ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"));
        assert!(above.is_sampled);
        assert!(!Above::parse("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00").unwrap().is_sampled);
        assert!(Above::parse("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more").is_some());
        for wrong in [
            "",
            "00-0-0-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        ] {
            assert!(Above::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_share_takes_its_part_of_all_traces() {
        let trace = |number: u64| {
            let own = digest(&SHA256, &number.to_be_bytes());
            <[u8; 16]>::try_from(&own.as_ref()[..16]).unwrap()
        };
        let taken = (0..10_000).filter(|number| is_in_share(&trace(*number), 0.25)).count();
        assert!((2_300..2_700).contains(&taken), "{taken}");
        assert!((0..1000).all(|number| is_in_share(&trace(number), 1.0) && !is_in_share(&trace(number), 0.0)));
    }
}
