//! A run as its journal tells it, read once for everything that the editor shows of it.

use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::read_budget::ReadReservation;
use engine::RunOutcome;
use model::{Items, Kind, ModelUsage, RunEvent, StageRecord, Str, TaskData, Value};
use runtime::{history, steps};
use std::collections::HashMap;
use std::sync::Arc;
use store::executions::{Execution, READ_FACTOR};

pub(super) struct JournalView {
    pub(super) execution: Execution,
    pub(super) outcome: RunOutcome,
    pub(super) start_node: Option<Str>,
    pub(super) n_events: usize,
    /// What it began with.
    pub(super) items: Option<Items>,
    /// The node that is running, and since when.
    pub(super) in_flight: Option<(Str, i64)>,
    /// The wait that it is at, or comes to next, counted from zero.
    pub(super) wait: usize,
    /// What models were asked, by the node that asked them.
    pub(super) spent: Vec<(Str, ModelUsage)>,
    subnode_calls: Vec<SubNodeCall>,
    /// The stages that agents came to, by node and run.
    stages: Vec<(Str, usize, StageRecord)>,
    /// What each step of a node has noted, with the moment that the step began.
    checkpoints: HashMap<Str, Vec<StepCheckpoints>>,
    /// The memory that this takes.
    pub(super) reservation: ReadReservation,
}

/// A page of items takes about this much memory, however large the list is: a chunk or two of a
/// megabyte, as they are read.
const PAGE_MEMORY: usize = 64 << 20;

#[derive(Default)]
pub(super) struct StepCheckpoints {
    pub(super) started_ms: i64,
    pub(super) all: Vec<(Str, Value)>,
}

/// Something that a node did for another one.
pub(super) struct SubNodeCall {
    pub(super) node: Str,
    pub(super) task: Arc<TaskData>,
    /// What it cost, if it was the answer of a model.
    pub(super) spent: Option<ModelUsage>,
}

impl JournalView {
    /// Reads an execution that somebody may see. Large files are named, not read.
    pub(super) async fn read(app: &App, who: &Principal, id: &str) -> Result<Self, ApiError> {
        // What a run that goes on has told is to be part of it.
        let execution = who.flushed_execution(app, id, AccessLevel::View).await?;
        let whole = execution.bytes.max(0) as usize;
        let weight = app
            .store
            .outline_bytes(execution.id)
            .await?
            .saturating_add(whole.saturating_mul(READ_FACTOR).min(PAGE_MEMORY));
        let (store, number) = (app.store.clone(), execution.id);
        let (events, room) = app
            .read_budget()
            .read(&who.user_id, weight, async move { store.outline(number).await })
            .await?;
        let events = events?;
        let (mut start_node, mut items, mut in_flight) = (None, None, None);
        let mut notes: HashMap<Str, Vec<StepCheckpoints>> = HashMap::new();
        let (mut spent, mut served, mut paid) = (Vec::new(), Vec::new(), None);
        let mut stages = Vec::new();
        let mut step: Option<(Str, StepCheckpoints)> = None;
        for event in &events {
            match event {
                RunEvent::RunStarted { start_node: node, items: given, .. } => {
                    (start_node, items) = (node.clone(), given.clone())
                }
                RunEvent::NodeStarted { node, started_ms, .. } => {
                    // A step that was cut off and taken up again is the same one.
                    if step.as_ref().is_none_or(|(known, _)| known != node) {
                        step = Some((
                            node.clone(),
                            StepCheckpoints {
                                started_ms: *started_ms,
                                ..StepCheckpoints::default()
                            },
                        ));
                    }
                    in_flight = Some((node.clone(), *started_ms));
                }
                RunEvent::StepRecorded { key, value, .. } => {
                    if let Some((_, notes)) = &mut step {
                        notes.all.push((key.clone(), value.clone()));
                    }
                }
                RunEvent::ModelUsed { node, spent: one } => {
                    spent.push((node.clone(), one.clone()));
                    paid = Some(one.clone());
                }
                // An answer is paid for right before it is recorded, by the node that asked and by
                // those that passed the question on.
                RunEvent::SubNodeCalled { node, task } => {
                    let is_answer =
                        task.serves() == Some(Kind::AiLanguageModel) && task.error.is_none();
                    let spent = if is_answer { paid.clone() } else { None };
                    served.push(SubNodeCall { node: node.clone(), task: task.clone(), spent });
                }
                RunEvent::NodeFinished { .. } => {
                    if let Some((node, done)) = step.take() {
                        notes.entry(node).or_default().push(done);
                    }
                    in_flight = None;
                }
                RunEvent::StageReached { node, run_index, reached } => {
                    stages.push((node.clone(), *run_index, reached.clone()));
                }
                RunEvent::NodeSilent { .. } => (step, in_flight) = (None, None),
                // A step that sleeps, or that a person must decide about, may be taken up again.
                RunEvent::RunFinished { .. } => in_flight = None,
                RunEvent::RunPaused { .. }
                | RunEvent::RunResumed { .. }
                | RunEvent::NodeLog { .. }
                | RunEvent::NodeRetried { .. } => {}
            }
        }
        // What a step has noted that has no end. It is the last one of its node.
        if let Some((node, cut_off)) = step
            && !cut_off.all.is_empty()
        {
            notes.entry(node).or_default().push(cut_off);
        }
        let (wait, n_events) = (steps::next_wait(&events), events.len());
        let outcome = history::outcome(&execution, events);
        Ok(Self {
            execution,
            outcome,
            start_node,
            n_events,
            items,
            in_flight,
            wait,
            spent,
            subnode_calls: served,
            stages,
            checkpoints: notes,
            reservation: room,
        })
    }

    /// The records of a node, in order.
    pub(super) fn runs(&self, node: &str) -> &[Arc<TaskData>] {
        self.outcome.runs_of(node)
    }

    /// The record of a step, by its number among the steps of the node.
    pub(super) fn step(&self, node: &str, run: usize) -> Option<&Arc<TaskData>> {
        self.runs(node).iter().filter(|task| task.serves().is_none()).nth(run)
    }

    /// What a step of a node noted.
    pub(super) fn checkpoints_of(&self, node: &str, run: usize) -> &[(Str, Value)] {
        self.step_checkpoints(node, run).map_or(&[], |notes| &notes.all)
    }

    /// What others did for a step of a node, along one kind of connection, in order.
    pub(super) fn subnode_calls<'s>(
        &'s self,
        node: &'s str,
        run: usize,
        kind: Kind,
    ) -> impl Iterator<Item = &'s SubNodeCall> {
        let is_it = move |served: &&'s SubNodeCall| {
            let above = served.task.source.first().and_then(Option::as_ref);
            served.task.serves() == Some(kind)
                && above.is_some_and(|above| above.node == node && above.run == run)
        };
        self.subnode_calls.iter().filter(is_it)
    }

    /// The stages that an agent came to in a step, in order; not those of agents within its tools.
    pub(super) fn stages<'s>(
        &'s self,
        node: &'s str,
        run: usize,
    ) -> impl Iterator<Item = &'s StageRecord> {
        let of_step = move |(known, at, reached): &&(Str, usize, StageRecord)| {
            known == node && *at == run && reached.call.is_empty()
        };
        self.stages.iter().filter(of_step).map(|(_, _, reached)| reached)
    }

    pub(super) fn step_checkpoints(&self, node: &str, run: usize) -> Option<&StepCheckpoints> {
        self.checkpoints.get(node)?.get(run)
    }
}
