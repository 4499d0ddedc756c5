//! What the journal of an unfinished run says: where it stopped, and how it continues without
//! repeating a step.

use crate::execute::accounts::CallerAccount;
use crate::execute::journal::JournalProgress;
use crate::execute::start::ResumeState;
use crate::loaded_workflow::LoadedWorkflow;
use crate::resume::resumption::Continuation;
use engine::{PlanNode, RecordedStep, TRIES};
use model::{
    Exposure, Items, Object, RunEvent, RunRange, RunStatus, SpendingTotal, Str, TaskStatus, Value,
};
use node_api::{StartCause, checkpoints};
use std::collections::VecDeque;
use std::sync::Arc;
use store::executions::{Execution, JournalLength};

/// How long after the beginning of a step the keys of its requests are relied on. Services forget
/// keys; those that say for how long keep them for a day at least.
pub(crate) const KEY_LIFETIME_MS: i64 = 23 * 60 * 60 * 1000;

/// The state of an unfinished run, read from its journal.
pub(crate) struct JournalState {
    pub started: Option<RecordedStart>,
    pub recorded: VecDeque<RecordedStep>,
    pub n_events: u64,
    /// A step that began and has no result.
    pub in_flight: Option<Str>,
    /// When it began first.
    pub in_flight_since_ms: i64,
    /// Its checkpoints.
    pub notes: Object,
    /// What it spent on models.
    pub spent: SpendingTotal,
    /// The node the run sleeps at, with the parameters it had then.
    pub asleep: Option<(Str, Value)>,
    /// It went to sleep and was not woken since.
    pub is_paused: bool,
    /// It sleeps until a person has said something about a call.
    pub asks: bool,
    /// How it ended, if it did.
    pub finished: Option<RunStatus>,
}

pub(crate) struct RecordedStart {
    pub node: Option<Str>,
    pub items: Option<Items>,
    pub mode: Str,
    pub extent: RunRange,
    pub called_by_model: Option<Exposure>,
}

/// Whether a run may go on by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resumable {
    Safe,
    /// This step may have happened.
    Uncertain {
        node: Str,
    },
}

impl JournalState {
    pub(crate) fn read(events: Vec<RunEvent>) -> Self {
        let n_events = events.len() as u64;
        let mut journal = JournalState {
            n_events,
            started: None,
            recorded: VecDeque::new(),
            in_flight: None,
            in_flight_since_ms: 0,
            notes: Object::new(),
            spent: SpendingTotal::default(),
            asleep: None,
            is_paused: false,
            asks: false,
            finished: None,
        };
        for event in events {
            match &event {
                RunEvent::RunPaused { asks, .. } => {
                    (journal.is_paused, journal.asks) = (true, *asks)
                }
                RunEvent::RunResumed { .. } => (journal.is_paused, journal.asks) = (false, false),
                _ => {}
            }
            match event {
                RunEvent::RunStarted {
                    start_node, items, mode, extent, called_by_model, ..
                } => {
                    journal.started = Some(RecordedStart {
                        node: start_node,
                        items,
                        mode,
                        extent,
                        called_by_model,
                    });
                }
                // A step that was cut off and resumed keeps its checkpoints.
                RunEvent::NodeStarted { node, .. } if journal.in_flight.as_ref() == Some(&node) => {
                }
                RunEvent::NodeStarted { node, started_ms, .. } => {
                    journal.in_flight = Some(node);
                    journal.in_flight_since_ms = started_ms;
                    journal.notes = Object::new();
                }
                RunEvent::StepRecorded { key, value, .. } => {
                    journal.notes.insert(key, value);
                }
                // What is tried again begins anew.
                RunEvent::NodeRetried { attempt, .. } => {
                    // Its requests carry the same keys.
                    let header = journal.notes.remove(checkpoints::REQUEST_KEY);
                    journal.notes = Object::from_iter([(TRIES, u64::from(attempt) as f64)]);
                    if let Some(header) = header {
                        journal.notes.insert(checkpoints::REQUEST_KEY, header);
                    }
                }
                RunEvent::NodeFinished { node, task, changed, .. } => {
                    journal.in_flight = None;
                    journal.recorded.push_back(RecordedStep {
                        node,
                        task: Some(task),
                        changed,
                        woken_by: None,
                        redo: None,
                    });
                }
                RunEvent::NodeSilent { node } => {
                    journal.in_flight = None;
                    journal.recorded.push_back(RecordedStep {
                        node,
                        task: None,
                        changed: model::StepChanges::default(),
                        woken_by: None,
                        redo: None,
                    });
                }
                // What wakes a run that waits for another one, or for a person, is none of the
                // calls from outside.
                RunEvent::RunPaused { waits_for: Some(_), .. }
                | RunEvent::RunPaused { asks: true, .. } => {}
                RunEvent::RunPaused { node, params, .. } => {
                    journal.asleep = Some((node, params.unwrap_or_default()))
                }
                RunEvent::RunResumed { items } => {
                    journal.asleep = None;
                    journal.wake(items);
                }
                RunEvent::RunFinished { status, .. } if status != RunStatus::Waiting => {
                    journal.finished = Some(status)
                }
                RunEvent::ModelUsed { spent, .. } => journal.spent.add(&spent),
                RunEvent::RunFinished { .. }
                | RunEvent::NodeLog { .. }
                | RunEvent::StageReached { .. }
                | RunEvent::SubNodeCalled { .. } => {}
            }
        }
        journal
    }

    /// Which of its waits a sleeping run is at, counted from zero, and since when it was on its way
    /// there: from its start, or from when it was last woken.
    pub(crate) fn current_wait(&self, started_ms: i64) -> (usize, i64) {
        let is_wait = |step: &RecordedStep| {
            step.task.as_ref().is_some_and(|task| task.status == TaskStatus::Waiting)
        };
        let waits: Vec<usize> = (0..)
            .zip(&self.recorded)
            .filter(|(_, step)| is_wait(step))
            .map(|(index, _)| index)
            .collect();
        let since_ms = match waits.len() {
            0 | 1 => Some(started_ms),
            n => self
                .recorded
                .iter()
                .skip(waits[n - 2] + 1)
                .find_map(|step| step.task.as_ref())
                .map(|task| task.start_time_ms),
        };
        (waits.len().saturating_sub(1), since_ms.unwrap_or(i64::MAX))
    }

    /// Whether it sleeps at this one of its waits, where a call from outside wakes it.
    pub(crate) fn sleeps_at(&self, wait: usize) -> bool {
        self.asleep.is_some() && self.current_wait(0).0 == wait
    }

    /// Notes what woke the run on the step it slept after. A step that it slept in is taken again.
    pub(crate) fn wake(&mut self, items: Option<Items>) {
        if self.in_flight.is_some() {
            return;
        }
        let waiting = |step: &&mut RecordedStep| {
            step.task.as_ref().is_some_and(|task| task.status == TaskStatus::Waiting)
        };
        if let Some(step) = self.recorded.iter_mut().rev().find(waiting) {
            step.woken_by = items;
        }
    }

    pub(crate) fn resumable(&self, workflow: &LoadedWorkflow, now_ms: i64) -> Resumable {
        match &self.in_flight {
            Some(name) if !self.may_repeat(workflow.plan.node(name), now_ms) => {
                Resumable::Uncertain { node: name.clone() }
            }
            _ => Resumable::Safe,
        }
    }

    /// Whether the step that was cut off may be taken again without anybody looking.
    fn may_repeat(&self, node: Option<&PlanNode>, now_ms: i64) -> bool {
        let Some(node) = node else { return false };
        // JavaScript may run again as long as it has asked for nothing outside.
        let has_reached_out = self.notes.contains_key(checkpoints::REACHED_OUT);
        node.safe_to_repeat
            || (!has_reached_out && node.may_repeat_unseen())
            || self.has_known_key(node, now_ms)
    }

    /// Whether each request of the step carried a key by which the service still knows it again.
    /// What an older version sent carried other keys, and no note of them.
    fn has_known_key(&self, node: &PlanNode, now_ms: i64) -> bool {
        let sent = self.notes.get(checkpoints::REQUEST_KEY).and_then(Value::as_str);
        let age_ms = now_ms.saturating_sub(self.in_flight_since_ms);
        sent.is_some() && sent == node.key_header.as_deref() && age_ms < KEY_LIFETIME_MS
    }

    /// The run as the runner takes it up again.
    pub(crate) fn into_resume_state(
        self,
        execution: Execution,
        callers: Vec<CallerAccount>,
        workflow: Arc<LoadedWorkflow>,
        length: JournalLength,
        continuation: Continuation,
    ) -> ResumeState {
        let started = self.started;
        let mode =
            started.as_ref().map_or_else(|| Str::from("trigger"), |started| started.mode.clone());
        let cause = match mode.as_str() {
            "error" => StartCause::Error,
            "integrated" => StartCause::Workflow,
            _ => StartCause::Hand,
        };
        let called_by_model = started.as_ref().and_then(|started| started.called_by_model);
        let (node, items, extent) = started
            .map(|started| (started.node, started.items, started.extent))
            .unwrap_or_default();
        let interrupted = self.in_flight.is_some() && !self.is_paused;
        let notes = if self.in_flight.is_some() { self.notes } else { Object::new() };
        // Rows of older versions have none.
        let (own, all) = (self.spent, execution.spent);
        let spent = SpendingTotal {
            tokens: own.tokens.max(all.tokens),
            dollars: own.dollars.max(all.dollars),
        };
        let written = JournalProgress {
            segments: length.segments,
            parts: length.parts,
            events: self.n_events,
        };
        ResumeState {
            execution,
            callers,
            called_by_model,
            workflow,
            cause,
            node,
            items,
            mode,
            extent,
            recorded: self.recorded,
            notes,
            interrupted,
            spent,
            written,
            continuation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Item, StepChanges, TaskData, json};
    use std::collections::BTreeMap;

    fn finished(node: &str, status: TaskStatus) -> RunEvent {
        let task = TaskData {
            start_time_ms: 0,
            execution_index: 0,
            execution_time_ms: 0,
            source: Vec::new(),
            data: BTreeMap::new(),
            error: None,
            status,
            input_override: None,
            hints: Vec::new(),
            metadata: None,
        };
        RunEvent::NodeFinished {
            node: node.into(),
            run_index: 0,
            task: Arc::new(task),
            changed: StepChanges::default(),
        }
    }

    #[test]
    fn a_step_that_is_cut_off_twice_keeps_all_of_its_notes() {
        let recorded = |key: &str| RunEvent::StepRecorded {
            node: "Agent".into(),
            key: key.into(),
            value: Value::Null,
        };
        let started =
            || RunEvent::NodeStarted { node: "Agent".into(), run_index: 0, started_ms: 0 };
        let journal = JournalState::read(vec![
            started(),
            recorded("model 1"),
            started(),
            recorded("tool 1.1"),
            started(),
        ]);
        assert_eq!(
            journal.notes.keys().map(Str::as_str).collect::<Vec<_>>(),
            ["model 1", "tool 1.1"]
        );
        let again = JournalState::read(vec![
            started(),
            recorded("model 1"),
            finished("Agent", TaskStatus::Success),
            started(),
        ]);
        assert!(again.notes.is_empty(), "another run of the node begins anew");
    }

    #[test]
    fn a_key_is_relied_on_only_where_the_journal_says_that_it_was_sent() {
        let noted = RunEvent::StepRecorded {
            node: "Pay".into(),
            key: checkpoints::REQUEST_KEY.into(),
            value: "Idempotency-Key".into(),
        };
        let started =
            || RunEvent::NodeStarted { node: "Pay".into(), run_index: 0, started_ms: 1000 };
        let error = model::RunError {
            code: model::Code::UPSTREAM_STATUS,
            message: "503".into(),
            description: None,
            hint: None,
            name: Str::new(),
            node: None,
            item: None,
            context: Object::new(),
        };
        let retried = RunEvent::NodeRetried { node: "Pay".into(), attempt: 1, error };
        let document = json!({ "nodes": [{
            "name": "Pay", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "position": [0, 0],
            "parameters": { "method": "POST", "url": "http://x.test", "options": { "idempotencyKeyHeader": "Idempotency-Key" } }
        }], "connections": {} });
        let workflow = model::Workflow::from_value(&document).unwrap();
        let plan = engine::Plan::new(&workflow, &nodes::registry());
        let may_repeat = |events: Vec<RunEvent>, now_ms: i64| {
            JournalState::read(events).may_repeat(plan.node("Pay"), now_ms)
        };
        assert!(may_repeat(vec![started(), noted.clone()], 2000));
        assert!(may_repeat(vec![started(), noted.clone(), started()], 2000), "cut off twice");
        assert!(may_repeat(vec![started(), noted.clone(), retried], 2000), "on its second try");
        assert!(!may_repeat(vec![started()], 2000), "an older version sent another key");
        assert!(!may_repeat(vec![started(), noted.clone()], 1000 + KEY_LIFETIME_MS));
        let other = RunEvent::StepRecorded {
            node: "Pay".into(),
            key: checkpoints::REQUEST_KEY.into(),
            value: "X-Key".into(),
        };
        assert!(!may_repeat(vec![started(), other], 2000), "another header");
    }

    #[test]
    fn what_a_model_that_called_had_come_across_outlives_the_process() {
        let met = Some(Exposure { untrusted: true, private: false });
        let started = RunEvent::RunStarted {
            run_id: "1".into(),
            workflow_id: "w".into(),
            workflow_name: "W".into(),
            mode: "integrated".into(),
            started_ms: 0,
            start_node: None,
            items: None,
            extent: RunRange::default(),
            called_by_model: met,
        };
        let slept =
            [started, finished("Wait", TaskStatus::Waiting), RunEvent::RunResumed { items: None }];
        assert_eq!(
            JournalState::read(slept.to_vec()).started.and_then(|started| started.called_by_model),
            met
        );
        assert_eq!(
            crate::execute::steps::JournalSteps::read(slept.to_vec()).called_by_model,
            met,
            "a fork and a replay know it too"
        );
    }

    #[test]
    fn what_wakes_a_caller_is_not_taken_for_what_woke_it_earlier() {
        let paused = |node: &str, waits_for: Option<&str>| RunEvent::RunPaused {
            node: node.into(),
            until_ms: None,
            params: None,
            waits_for: waits_for.map(Str::from),
            asks: false,
        };
        let items = Items::one(Item::new(json!({ "from": "outside" })));
        let journal = JournalState::read(vec![
            finished("Wait", TaskStatus::Waiting),
            paused("Wait", None),
            RunEvent::RunResumed { items: Some(items) },
            RunEvent::NodeStarted { node: "Call".into(), run_index: 0, started_ms: 0 },
            paused("Call", Some("2")),
            RunEvent::RunResumed { items: None },
        ]);
        assert_eq!(journal.in_flight.as_deref(), Some("Call"));
        assert!(journal.asleep.is_none(), "no call from outside wakes it");
        assert!(journal.recorded[0].woken_by.is_some());
    }
}
