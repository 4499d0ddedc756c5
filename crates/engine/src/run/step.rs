//! Executes one node: pinned data, retries, error outputs, pairing, the record.

use super::execution_stack::ScheduledNode;
use super::host::NodeHost;
use super::subworkflow::Suspended;
use super::{ActiveRun, journal_failed, lock};
use crate::outcome::panicked;
use crate::plan::PlanNode;
use crate::ports::JournalError;
use compute::Offload;
use futures::FutureExt as _;
use model::{
    Code, Item, Items, Kind, MAX_ITEM_DEPTH, Object, OnError, PairedItem, Pairs, RunEvent, Source,
    TaskData, TaskStatus, Value,
};
use node_api::checkpoints::REQUEST_KEY;
use node_api::host::{Host as _, Pause};
use node_api::{Ctx, NodeError};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The note of how often a step was begun before the run was cut off.
pub const TRIES: &str = "tries";

/// What came of trying a node.
enum AttemptResult {
    /// Its outputs; `None` where the node had no input items to run on.
    Done {
        outputs: Option<Vec<Items>>,
        pause: Option<Pause>,
    },
    /// The node had nothing to say: the branch ends and leaves no record.
    Nothing,
    Failed(NodeError),
    /// It is not done: it waits for a run that it has called, or for people, who have time until
    /// then.
    Parked(Suspended, Option<i64>),
}

impl ActiveRun {
    pub(super) async fn step(&mut self, entry: ScheduledNode) -> ControlFlow<()> {
        if let Some(mut recorded) = self.recorded.pop_front() {
            match recorded.redo.take() {
                Some(notes) => *lock(&self.notes) = notes,
                None => return self.follow_record(&entry, recorded),
            }
        }
        // Only the first step that is not on record is the one that was cut off.
        if std::mem::replace(&mut self.has_taken_step, true) {
            self.interrupted.store(false, Ordering::Relaxed);
        }
        let plan = self.plan.clone();
        let node = &plan.nodes[entry.node];
        let run_index = self.data.of(entry.node).len();
        let started_ms = self.now();
        let started = RunEvent::NodeStarted { node: node.info.name.clone(), run_index, started_ms };
        if let Err(error) = self.record_start(node, started).await {
            self.fail(Some(entry.node), journal_failed(error));
            return ControlFlow::Break(());
        }
        self.outcome.last_node = Some(node.info.name.clone());
        self.survived = None;
        self.calls.store(0, Ordering::Relaxed);
        lock(&self.warnings).clear();
        self.reached_out.store(false, Ordering::Relaxed);
        let tries_before = lock(&self.notes).get(TRIES).and_then(Value::as_usize).unwrap_or(0);
        self.tries.store(tries_before, Ordering::Relaxed);
        let given = lock(&self.given).take();
        let tried = match given {
            Some(items) => AttemptResult::Done { outputs: Some(vec![items]), pause: None },
            None => {
                let offload = match WorkSize::of(&entry.inputs) {
                    WorkSize::Small if !node.computes() => Offload::if_asked,
                    WorkSize::Small | WorkSize::Modest => Offload::new,
                    WorkSize::Large => Offload::long,
                };
                offload(pin!(self.try_node(&entry, run_index)), self.cpu.clone()).await
            }
        };
        let mut task = task(started_ms, self.steps - 1, entry.sources.clone(), Vec::new());
        let mut pause = None;
        let outputs = match tried {
            AttemptResult::Nothing => {
                let silent = RunEvent::NodeSilent { node: node.info.name.clone() };
                return match self.record(silent).await {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => {
                        self.fail(Some(entry.node), journal_failed(error));
                        ControlFlow::Break(())
                    }
                };
            }
            AttemptResult::Parked(parked, until_ms) => {
                self.suspend(entry.node, parked, until_ms).await;
                return ControlFlow::Break(());
            }
            AttemptResult::Done { outputs, pause: wanted } => {
                pause = wanted;
                outputs.map(|outputs| self.complete(&entry, outputs))
            }
            // The step is not over: once a person has decided about it, it goes on where it is.
            AttemptResult::Failed(error) if error.code() == Code::RUN_UNCERTAIN => {
                self.fail(Some(entry.node), error);
                return ControlFlow::Break(());
            }
            AttemptResult::Failed(error) => {
                task.error = Some(error.to_run_error(&node.info.name));
                task.status = TaskStatus::Error;
                match self.outputs_of_failure(&entry, &error) {
                    Some(outputs) => {
                        // Should nothing run after this, the run ends with the error all the same.
                        self.survived = Some((entry.node, error.to_run_error(&node.info.name)));
                        Some(outputs)
                    }
                    None => {
                        self.fail(Some(entry.node), error);
                        None
                    }
                }
            }
        };
        task.hints = std::mem::take(&mut *lock(&self.warnings));
        if self.reached_out.load(Ordering::Relaxed) {
            task.set_reached_out();
        }
        let stops = self.outcome.error.is_some();
        task.execution_time_ms = (self.now() - started_ms).max(0) as u64;
        let outputs: Vec<Option<Items>> =
            outputs.unwrap_or_default().into_iter().map(Some).collect();
        if !outputs.is_empty() {
            task.data = BTreeMap::from([(Kind::Main, outputs.clone())]);
        }
        let sleeps = pause.as_ref().is_some_and(|pause| !self.waits_inline(pause));
        if sleeps {
            task.status = TaskStatus::Waiting;
        }
        let task = Arc::new(task);
        self.add_record(entry.node, task.clone());
        let finished = RunEvent::NodeFinished {
            node: node.info.name.clone(),
            run_index,
            task,
            changed: self.changed(entry.node),
        };
        if let Err(error) = self.record_large(finished, WorkSize::of(&outputs)).await {
            self.fail(Some(entry.node), journal_failed(error));
            return ControlFlow::Break(());
        }
        match pause {
            Some(pause) if sleeps => {
                self.sleep_until(&pause);
                let params = match pause {
                    Pause::Until(_) => None,
                    Pause::Webhook { .. } | Pause::Form { .. } => {
                        NodeHost::new(self, &entry, entry.inputs.clone(), run_index)
                            .parameter("", 0)
                            .ok()
                    }
                };
                let (node, until_ms) = (node.info.name.clone(), self.outcome.wait_till_ms);
                let paused =
                    RunEvent::RunPaused { node, until_ms, params, waits_for: None, asks: false };
                if let Err(error) = self.record(paused).await {
                    self.fail(Some(entry.node), journal_failed(error));
                }
                return ControlFlow::Break(());
            }
            Some(Pause::Until(moment)) => {
                let wait = (moment - self.now()).max(0) as u64;
                self.engine.ports.clock.sleep(wait).await;
            }
            _ => {}
        }
        if stops {
            return ControlFlow::Break(());
        }
        if self.options.extent.until.as_ref() == Some(&node.info.name) {
            return ControlFlow::Continue(());
        }
        self.schedule.follow(&plan, &self.data, entry.node, run_index, &outputs);
        ControlFlow::Continue(())
    }

    /// Notes that a step begins, and which header its keys go into: together on disk before a
    /// request is sent.
    async fn record_start(&self, node: &PlanNode, started: RunEvent) -> Result<(), JournalError> {
        let header = node.key_header.as_ref().filter(|_| !node.may_repeat_unseen());
        let Some(header) = header else { return self.record(started).await };
        // It is written with the note after it.
        drop(self.engine.ports.journal.append(&self.options.run_id, started));
        self.record(RunEvent::StepRecorded {
            node: node.info.name.clone(),
            key: REQUEST_KEY.into(),
            value: header.clone().into(),
        })
        .await
    }

    fn waits_inline(&self, pause: &Pause) -> bool {
        self.options.wait_inline && matches!(pause, Pause::Until(_))
    }

    async fn try_node(&self, entry: &ScheduledNode, run_index: usize) -> AttemptResult {
        let node = &self.plan.nodes[entry.node];
        if node.disabled {
            return AttemptResult::Done {
                outputs: entry.inputs.first().cloned().flatten().map(|items| vec![items]),
                pause: None,
            };
        }
        if let Some(pinned) = node.pinned.as_ref().filter(|_| self.options.use_pin_data) {
            return AttemptResult::Done { outputs: Some(vec![pinned.clone()]), pause: None };
        }
        let tries = node.retry.map_or(1, |retry| retry.tries);
        let mut attempt = 1;
        loop {
            let tried = self.try_once(entry, run_index).await;
            let error = match &tried {
                AttemptResult::Failed(error) => error.clone(),
                AttemptResult::Done { outputs: Some(outputs), .. }
                    if attempt < tries && can_retry_items(outputs) =>
                {
                    NodeError::failed("The node passed on failed items")
                }
                _ => return tried,
            };
            if attempt >= tries || error.is_final() || self.cancel.is_cancelled() {
                return tried;
            }
            let retried = RunEvent::NodeRetried {
                node: node.info.name.clone(),
                attempt,
                error: error.to_run_error(&node.info.name),
            };
            if let Err(error) = self.record(retried).await {
                return AttemptResult::Failed(journal_failed(error));
            }
            self.engine.ports.clock.sleep(node.retry.map_or(0, |retry| retry.wait_ms)).await;
            attempt += 1;
        }
    }

    async fn try_once(&self, entry: &ScheduledNode, run_index: usize) -> AttemptResult {
        let node = &self.plan.nodes[entry.node];
        let Some(node_type) = &node.node_type else {
            return AttemptResult::Failed(unknown_type(&self.engine, node));
        };
        let mut inputs: Vec<Option<Items>> = entry
            .inputs
            .iter()
            .enumerate()
            .map(|(index, items)| {
                Some(items.as_ref()?.paired_by_index(index).watched(may_continue))
            })
            .collect();
        if node.execute_once {
            for items in inputs.iter_mut().flatten() {
                *items = items.first().map(Items::one).unwrap_or_default();
            }
        }
        let first = inputs.first().cloned().flatten().unwrap_or_default();
        let items = match self.plan.legacy_order {
            true => first,
            false => {
                inputs.iter().flatten().find(|items| !items.is_empty()).cloned().unwrap_or(first)
            }
        };
        if items.is_empty() && !node.is_trigger() {
            return AttemptResult::Done { outputs: None, pause: None };
        }
        self.tries.fetch_add(1, Ordering::Relaxed);
        let host = NodeHost::new(self, entry, inputs, run_index).with_notes();
        if let Err(error) = host.check_egress() {
            return AttemptResult::Failed(error);
        }
        let ctx = Ctx::new(&node.info, host.inputs(), run_index, &host);
        let ran = tokio::select! {
            biased;
            ran = AssertUnwindSafe(node_type.run(&ctx, items)).catch_unwind() => ran.unwrap_or_else(|_| Err(panicked("The node"))),
            (parked, until_ms) = host.parking.suspended() => return AttemptResult::Parked(parked, until_ms),
        };
        // A walk over items ends early when the time is over; what was made of them is not whole
        // then.
        let ended =
            compute::tick().err().map(|exceeded| NodeError::cpu_time(exceeded.limit.as_millis()));
        let ran = match (ran, ended) {
            (Err(error), _) if error.code() == Code::RUN_UNCERTAIN => Err(error),
            // Work that nobody wants any more fails as if its time were over.
            (Err(_), _) | (_, Some(_)) if self.cancel.is_cancelled() => Err(NodeError::cancelled()),
            (Ok(_), Some(ended)) => Err(ended),
            (ran, _) => {
                ran.map(|outputs| outputs.into_iter().map(Items::unwatched).collect::<Vec<_>>())
            }
        };
        match ran {
            Ok(outputs) if outputs.is_empty() && !node.always_output => AttemptResult::Nothing,
            Ok(outputs) if outputs.iter().any(Items::is_too_deep) => {
                AttemptResult::Failed(too_deep())
            }
            Ok(outputs) => AttemptResult::Done { outputs: Some(outputs), pause: host.take_pause() },
            Err(error) => AttemptResult::Failed(error),
        }
    }

    /// Brings a node's outputs into their final form: failed items to the error output, pairing
    /// where it is missing, an empty item where some output is always wanted.
    fn complete(&self, entry: &ScheduledNode, mut outputs: Vec<Items>) -> Vec<Items> {
        let node = &self.plan.nodes[entry.node];
        if node.info.on_error == OnError::ContinueError && !node.disabled {
            split_off_errors(entry, node.n_outputs, &mut outputs);
        }
        pair_if_plain(entry, &mut outputs);
        if node.always_output && outputs.first().is_none_or(Items::is_empty) {
            let pairs = entry.inputs.iter().enumerate().flat_map(|(input, items)| {
                (0..items.as_ref().map_or(0, Items::len))
                    .map(move |item| PairedItem::on_input(item, input))
            });
            let empty = Items::one(Item::new(Object::new()).with_pairs(pairs.collect::<Pairs>()));
            match outputs.first_mut() {
                Some(first) => *first = empty,
                None => outputs.push(empty),
            }
        }
        outputs
    }

    /// What a failed node sends on, if the run is to go on.
    fn outputs_of_failure(&self, entry: &ScheduledNode, error: &NodeError) -> Option<Vec<Items>> {
        let node = &self.plan.nodes[entry.node];
        if !node.continues_on_fail()
            || matches!(
                error.code(),
                Code::RUN_CANCELLED | Code::NODE_TYPE_UNKNOWN | Code::NODE_VERSION_UNKNOWN
            )
        {
            return None;
        }
        let items = entry.inputs.first().cloned().flatten().unwrap_or_default().paired_by_index(0);
        if node.info.on_error == OnError::ContinueRegular {
            return Some(vec![items]);
        }
        let failed = items.iter().map(|mut item| {
            item.json.make_object().insert("error", error.message().clone());
            item.error = Some(Arc::new(error.to_item_error()));
            item
        });
        let mut outputs = vec![Items::new(); node.n_outputs];
        outputs.push(failed.collect());
        Some(outputs)
    }
}

/// Whether a node may go on with its items.
fn may_continue() -> bool {
    compute::tick().is_ok()
}

/// What is nested without end is more than the journal, and the stack of whoever walks it, can
/// take.
fn too_deep() -> NodeError {
    NodeError::new(
        Code::RUN_DATA_DEPTH,
        format!("The node returned an item that is nested deeper than {MAX_ITEM_DEPTH} levels"),
    )
    .hint("Check for a field that contains itself, such as a loop that wraps the item each time.")
}

/// How much a step, or the record of one, has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WorkSize {
    /// It is done in a moment.
    Small,
    /// It is kept off the threads that serve connections.
    Modest,
    /// It takes memory as well.
    Large,
}

impl WorkSize {
    pub(super) fn of(lists: &[Option<Items>]) -> Self {
        const FEW_ITEMS: usize = 250;
        const MODEST_BYTES: usize = 1 << 20;
        let all =
            |n_items, bytes| lists.iter().flatten().all(|items| items.is_small(n_items, bytes));
        match () {
            () if all(FEW_ITEMS, compute::LARGE_BYTES) => Self::Small,
            () if all(usize::MAX, MODEST_BYTES) => Self::Modest,
            () => Self::Large,
        }
    }
}

/// A record with outputs and nothing special about it.
pub(super) fn task(
    start_time_ms: i64,
    execution_index: usize,
    source: Vec<Option<Source>>,
    outputs: Vec<Option<Items>>,
) -> TaskData {
    TaskData {
        start_time_ms,
        execution_index,
        execution_time_ms: 0,
        source,
        data: if outputs.is_empty() {
            BTreeMap::new()
        } else {
            BTreeMap::from([(Kind::Main, outputs)])
        },
        error: None,
        status: TaskStatus::Success,
        input_override: None,
        hints: Vec::new(),
        metadata: None,
    }
}

/// Whether items have failed that another try may save. One that would fail again settles it: the
/// others are not worth what it would spend once more.
fn can_retry_items(outputs: &[Items]) -> bool {
    let mut has_failed = false;
    for items in outputs {
        for item in items.iter() {
            match &item.error {
                Some(error) if error.is_final => return false,
                error => has_failed |= error.is_some(),
            }
        }
    }
    has_failed
}

/// Moves failed items to an extra last output, each with the fields of the item it was made from.
fn split_off_errors(entry: &ScheduledNode, n_outputs: usize, outputs: &mut Vec<Items>) {
    let n_outputs = n_outputs.max(outputs.len());
    outputs.resize(n_outputs, Items::new());
    let mut failed = Vec::new();
    for items in outputs.iter_mut().filter(|items| items.iter().any(|item| is_failed(&item))) {
        let (bad, good): (Vec<Item>, Vec<Item>) = items.iter().partition(is_failed);
        failed.extend(bad);
        *items = good.into();
    }
    for item in &mut failed {
        let origin = item.paired.first().and_then(|pair| {
            entry.inputs.get(pair.input as usize)?.as_ref()?.get(pair.item as usize)
        });
        if let Some(Value::Object(fields)) = origin.map(|origin| origin.json) {
            let mut merged = (*fields).clone();
            if let Value::Object(own) = &item.json {
                merged.extend(own.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
            item.json = merged.into();
        }
        item.error = None;
    }
    outputs.push(failed.into());
}

fn is_failed(item: &Item) -> bool {
    let says_error = item.json.as_object().is_some_and(|json| {
        let has = |key: &str| json.get(key).is_some_and(Value::is_truthy);
        has("error") && (json.len() == 1 || (json.len() == 2 && has("message")))
    });
    item.error.is_some() || says_error
}

/// Pairs the items of nodes that do not, where there is only one way to do it.
fn pair_if_plain(entry: &ScheduledNode, outputs: &mut [Items]) {
    let [Some(input)] = entry.inputs.as_slice() else { return };
    let same_number = outputs.len() == 1 && outputs[0].len() == input.len();
    if input.len() != 1 && !same_number {
        return;
    }
    for items in outputs.iter_mut() {
        if items.first().is_some_and(|item| item.paired.is_empty())
            && items.iter().all(|item| item.paired.is_empty())
        {
            *items = match same_number {
                true => items.paired_by_index(0),
                false => items.paired_with(0),
            };
        }
    }
}

pub(super) fn unknown_type(engine: &super::Engine, node: &crate::plan::PlanNode) -> NodeError {
    let known = engine.registry.of_type(&node.info.type_name);
    let (type_name, version) = (&node.info.type_name, node.info.version);
    if known.is_empty() {
        return NodeError::new(Code::NODE_TYPE_UNKNOWN, format!("Unknown node type '{type_name}'"))
            .hint(
                "Replace the node, disable it, or pin data to it; the workflow keeps it unchanged.",
            );
    }
    let versions: Vec<String> =
        known.iter().flat_map(|found| found.spec.versions.iter().map(f64::to_string)).collect();
    NodeError::new(
        Code::NODE_VERSION_UNKNOWN,
        format!("Unknown version {version} of the node type '{type_name}'"),
    )
    .hint(format!("Known versions: {}.", versions.join(", ")))
}
