//! Events of runs as they happen, for watchers. Many may wait for a slow watcher, so none of them
//! holds items.

use crate::trace::TraceEvent;
use model::{Items, Object, RunError, RunEvent, StepChanges, Str, TaskData, Value};
use node_api::trigger::StreamChunk;
use std::sync::Arc;

/// A line, a note or the fields of an error that take more than this are not sent along.
const MAX_BYTES: usize = 16 << 10;

/// An event as it happens, for watchers.
#[derive(Clone, Debug)]
pub struct LiveEvent {
    pub run_id: Str,
    pub workflow_id: Str,
    /// The run that started this one.
    pub parent: Option<Str>,
    /// The event's place among those of its run.
    pub seq: u64,
    /// With counts in place of items.
    pub event: RunEvent,
    /// Something of it was too large to be sent along; the execution has it.
    pub is_cut: bool,
    /// The `traceparent` of the call that began the run.
    pub trace: Option<Str>,
    /// What the event says about an agent, for whoever makes traces.
    pub agent_event: Option<Arc<TraceEvent>>,
}

/// A chunk of a response as it is sent, for watchers.
#[derive(Clone, Debug)]
pub struct LiveChunk {
    pub run_id: Str,
    pub workflow_id: Str,
    pub chunk: StreamChunk,
}

impl LiveEvent {
    pub(crate) fn new(
        run_id: Str,
        workflow_id: Str,
        parent: Option<Str>,
        seq: u64,
        event: &RunEvent,
    ) -> Self {
        let trace = match event {
            RunEvent::RunStarted { mode, items, .. } if mode == "webhook" => {
                items.as_ref().and_then(trace_of)
            }
            _ => None,
        };
        let mut is_cut = false;
        let event = without_items(event, &mut is_cut);
        let agent_event = None;
        Self { run_id, workflow_id, parent, seq, event, is_cut, trace, agent_event }
    }
}

/// The item that a run began with has the headers of its call.
fn trace_of(items: &Items) -> Option<Str> {
    let text: Str = items.first()?.json.get("headers")?.get("traceparent")?.as_str()?.into();
    (text.len() <= MAX_BYTES).then_some(text)
}

fn without_items(event: &RunEvent, is_cut: &mut bool) -> RunEvent {
    let mut event = event.clone();
    match &mut event {
        RunEvent::RunStarted { items, .. } | RunEvent::RunResumed { items } => *items = None,
        RunEvent::NodeFinished { task, changed, .. } => {
            *task = Arc::new(count_only(task, is_cut));
            *changed = StepChanges::default();
        }
        RunEvent::SubNodeCalled { task, .. } => *task = Arc::new(count_only(task, is_cut)),
        RunEvent::NodeLog { line, .. } => truncate(line, is_cut),
        RunEvent::StepRecorded { value, .. } => {
            let mut left = MAX_BYTES;
            if !value.fits_within(&mut left) {
                (*value, *is_cut) = (Value::Undefined, true);
            }
        }
        RunEvent::NodeRetried { error, .. } | RunEvent::RunFinished { error: Some(error), .. } => {
            truncate_error(error, is_cut)
        }
        RunEvent::StageReached { reached, .. } => {
            let mut left = MAX_BYTES;
            if !reached.detail.fits_within(&mut left) {
                (reached.detail, *is_cut) = (Value::Undefined, true);
            }
        }
        RunEvent::RunPaused { params, .. } => *params = None,
        RunEvent::RunFinished { error: None, .. }
        | RunEvent::NodeStarted { .. }
        | RunEvent::ModelUsed { .. }
        | RunEvent::NodeSilent { .. } => {}
    }
    event
}

/// A record of a step that says how many items there are.
fn count_only(task: &TaskData, is_cut: &mut bool) -> TaskData {
    let count = |items: &Option<Items>| items.as_ref().map(|items| Items::counted(items.len()));
    let data = task.data.iter().map(|(kind, outputs)| (*kind, outputs.iter().map(count).collect()));
    let mut lean = TaskData {
        data: data.collect(),
        input_override: None,
        hints: Vec::new(),
        metadata: None,
        ..task.clone()
    };
    if let Some(error) = &mut lean.error {
        truncate_error(error, is_cut);
    }
    match task.reused_from() {
        Some(run) => lean.mark_reused_from(run),
        None => lean,
    }
}

fn truncate_error(error: &mut RunError, is_cut: &mut bool) {
    truncate(&mut error.message, is_cut);
    if let Some(description) = &mut error.description {
        truncate(description, is_cut);
    }
    let mut left = MAX_BYTES;
    if !error.context.iter().all(|(_, value)| value.fits_within(&mut left)) {
        (error.context, *is_cut) = (Object::new(), true);
    }
}

fn truncate(text: &mut Str, is_cut: &mut bool) {
    if text.len() > MAX_BYTES {
        *text = text[..text.floor_char_boundary(MAX_BYTES)].into();
        *is_cut = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Item, Kind, TaskStatus, json};
    use std::collections::BTreeMap;

    fn live(event: &RunEvent) -> LiveEvent {
        LiveEvent::new("1".into(), "w".into(), None, 1, event)
    }

    fn finished(items: Items) -> RunEvent {
        let task = TaskData {
            start_time_ms: 0,
            execution_index: 0,
            execution_time_ms: 0,
            source: Vec::new(),
            data: BTreeMap::from([(Kind::Main, vec![Some(items), None])]),
            error: None,
            status: TaskStatus::Success,
            input_override: None,
            hints: Vec::new(),
            metadata: None,
        };
        RunEvent::NodeFinished {
            node: "A".into(),
            run_index: 0,
            task: Arc::new(task),
            changed: StepChanges::default(),
        }
    }

    #[test]
    fn events_for_listeners_hold_no_items() {
        let file = Arc::new(vec![("data".into(), model::Binary::default())]);
        let mut item = Item::new(json!({ "headers": { "traceparent": "00-a" } }));
        item.binary = Some(file.clone());
        let items: Items = vec![item.clone(), item].into();
        let references = Arc::strong_count(&file);
        let events = [
            RunEvent::RunStarted {
                run_id: "1".into(),
                workflow_id: "w".into(),
                workflow_name: "W".into(),
                mode: "webhook".into(),
                started_ms: 0,
                start_node: None,
                items: Some(items.clone()),
                extent: model::RunRange::default(),
                called_by_model: None,
            },
            finished(items.clone()),
            RunEvent::RunResumed { items: Some(items) },
        ];
        let sent: Vec<LiveEvent> = events.iter().map(live).collect();
        drop(events);
        assert_eq!((references, Arc::strong_count(&file)), (3, 1), "somebody holds items");
        assert_eq!(sent[0].trace.as_deref(), Some("00-a"));
        let RunEvent::NodeFinished { task, .. } = &sent[1].event else { panic!("{:?}", sent[1]) };
        assert_eq!(
            (task.output(0).map(Items::len), task.output(1).map(Items::len)),
            (Some(2), None)
        );
    }

    #[test]
    fn what_is_too_large_for_listeners_is_cut_and_said_to_be() {
        let line = |text: String| live(&RunEvent::NodeLog { node: "A".into(), line: text.into() });
        assert!(!line("short".into()).is_cut);
        let long = line("ä".repeat(1 << 20));
        let RunEvent::NodeLog { line, .. } = &long.event else { panic!("{long:?}") };
        assert!(long.is_cut && line.len() <= MAX_BYTES && line.starts_with('ä'));
        let note = |value: Value| {
            live(&RunEvent::StepRecorded { node: "A".into(), key: "tool 1".into(), value })
        };
        assert!(!note(json!({ "result": 1 })).is_cut);
        assert!(note(json!({ "result": "x".repeat(1 << 20) })).is_cut);
    }
}
