//! Turns the events of runs into spans: one per run, one per node.

use super::open_run::{OpenRun, TracedNodes};
use super::trace_context::{ParentSpan, is_in_sample, new_span_id};
use model::{RunEvent, Str, Workflow};
use runtime::LiveEvent;
use runtime::trace::TraceEvent;
use runtime::trace::gen_ai::SpanPlace;
use runtime::trace::otlp::{OtlpSpan, trace_id};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;

/// How long the nodes of a workflow are remembered before they are read again.
const NODES_CACHE_TTL: Duration = Duration::from_secs(5);
/// Runs of which the end was missed must not fill the memory.
const MAX_OPEN: usize = 50_000;

/// The spans of runs that go on, and those that wait to be sent.
pub(super) struct SpanCollector {
    store: Arc<dyn Store>,
    secret: String,
    /// The share of traces that are made.
    sample_rate: f64,
    open: HashMap<Str, OpenRun>,
    finished: Vec<OtlpSpan>,
    workflows: HashMap<Str, (Instant, Arc<TracedNodes>)>,
}

impl SpanCollector {
    pub(super) fn new(store: Arc<dyn Store>, secret: String, share: f64) -> Self {
        Self {
            store,
            secret,
            sample_rate: share,
            open: HashMap::new(),
            finished: Vec::new(),
            workflows: HashMap::new(),
        }
    }

    pub(super) fn n_finished(&self) -> usize {
        self.finished.len()
    }

    /// The spans that are over since this was last asked.
    pub(super) fn take_finished(&mut self) -> Vec<OtlpSpan> {
        std::mem::take(&mut self.finished)
    }

    pub(super) async fn record(&mut self, live: LiveEvent) {
        let run_id = live.run_id.clone();
        match &live.event {
            RunEvent::RunStarted { workflow_id, workflow_name, mode, started_ms, .. } => {
                let above = live
                    .parent
                    .as_ref()
                    .and_then(|parent| self.open.get(parent))
                    .map(ParentSpan::from_run);
                let above = above.or_else(|| live.trace.as_deref().and_then(ParentSpan::parse));
                self.begin(&run_id, workflow_id, workflow_name, mode, *started_ms, above, false)
                    .await;
                return;
            }
            RunEvent::SubNodeCalled { .. } | RunEvent::StageReached { .. } => {
                return self.record_agent(&run_id, live.agent_event.as_deref());
            }
            RunEvent::NodeLog { .. }
            | RunEvent::StepRecorded { .. }
            | RunEvent::ModelUsed { .. }
            | RunEvent::NodeRetried { .. } => return,
            _ if !self.open.contains_key(&run_id) => self.resume(&live).await,
            _ => {}
        }
        let Some(run) = self.open.get_mut(&run_id) else { return };
        match live.event {
            RunEvent::NodeStarted { node, .. } => {
                let id = new_span_id();
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

    /// What an agent did becomes a span of its own, in that of its node.
    fn record_agent(&mut self, run_id: &str, event: Option<&TraceEvent>) {
        let (Some(run), Some(event)) = (self.open.get_mut(run_id), event) else { return };
        if !run.is_sampled {
            return;
        }
        run.agents.insert(event.node.clone());
        let parent = Some(run.steps.get(&event.node).copied().unwrap_or(run.id));
        let place = SpanPlace { trace: run.trace, id: new_span_id(), parent };
        self.finished.extend(event.to_span(place));
    }

    #[expect(clippy::too_many_arguments, reason = "one private function behind two that name them")]
    async fn begin(
        &mut self,
        run_id: &Str,
        workflow_id: &Str,
        name: &Str,
        mode: &Str,
        started_ms: i64,
        above: Option<ParentSpan>,
        is_continued: bool,
    ) {
        let nodes = self.nodes_of(workflow_id).await;
        // The same run has the same trace whenever it goes on, in this process or the next.
        let trace = trace_id(&self.secret, run_id);
        let (trace, parent, is_sampled) = match above {
            Some(above) => (above.trace, Some(above.span), above.is_sampled),
            None => (trace, None, true),
        };
        let is_sampled = is_sampled && is_in_sample(&trace, self.sample_rate);
        if self.open.len() >= MAX_OPEN {
            self.open.clear();
        }
        let run = OpenRun {
            trace,
            id: new_span_id(),
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
            agents: HashSet::new(),
        };
        self.open.insert(run_id.clone(), run);
    }

    /// A run that slept or was cut off goes on: how it began is in its journal.
    async fn resume(&mut self, live: &LiveEvent) {
        let Ok(id) = live.run_id.parse() else { return };
        let events = self.store.outline(id).await.unwrap_or_default();
        let began = events.into_iter().find_map(|event| match event {
            RunEvent::RunStarted { workflow_id, workflow_name, mode, items, .. } => {
                Some((workflow_id, workflow_name, mode, items))
            }
            _ => None,
        });
        let Some((workflow_id, name, mode, items)) = began else { return };
        let now = jiff::Timestamp::now().as_millisecond();
        let above = ParentSpan::from_call(&mode, items.as_ref());
        self.begin(&live.run_id, &workflow_id, &name, &mode, now, above, true).await;
    }

    async fn nodes_of(&mut self, workflow_id: &Str) -> Arc<TracedNodes> {
        if let Some((read, nodes)) = self.workflows.get(workflow_id)
            && read.elapsed() < NODES_CACHE_TTL
        {
            return nodes.clone();
        }
        let stored = self.store.workflow(workflow_id).await.ok().flatten();
        let nodes = stored
            .and_then(|stored| Workflow::parse(&stored.document).ok())
            .map(|workflow| TracedNodes::of(&workflow));
        let nodes = Arc::new(nodes.unwrap_or_default());
        self.workflows.retain(|_, (read, _)| read.elapsed() < NODES_CACHE_TTL);
        self.workflows.insert(workflow_id.clone(), (Instant::now(), nodes.clone()));
        nodes
    }
}
