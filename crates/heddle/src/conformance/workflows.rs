//! Cases with the complete order and outputs of a run: the engine's own and flows of published
//! workflows.

use super::compare::{difference, short};
use super::harness::CaseHarness;
use super::{CaseResult, CaseRunner, result};
use engine::{RunOutcome, RunStart};
use model::{Kind, Object, Str, TaskData, Value, Workflow};

pub(super) fn run(runner: &CaseRunner<'_>, case: &Object) -> CaseResult {
    let outcome = runner.runtime.block_on(outcome_of(case));
    result(case, outcome.map_or_else(Some, |outcome| judge(case, &outcome)))
}

async fn outcome_of(case: &Object) -> Result<RunOutcome, String> {
    let mut document = case.get("workflow").cloned().unwrap_or_default();
    if let Some(order) = case.get("executionOrder") {
        document.set_path("settings.executionOrder", order.clone());
    }
    let workflow = Workflow::from_value(&document).ok_or("the case's workflow is not an object")?;
    let start = RunStart {
        node: case.get("start").and_then(Value::as_str).map(Str::from),
        ..RunStart::default()
    };
    let is_flow = case.contains_key("start");
    let world = CaseHarness {
        timezone: if is_flow { "UTC" } else { "America/New_York" },
        ..CaseHarness::default()
    };
    world.run(&workflow, start).await
}

fn judge(case: &Object, outcome: &RunOutcome) -> Option<String> {
    let volatile: Vec<&str> = case
        .get("volatile")
        .and_then(Value::as_array)
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let failure = outcome
        .error
        .as_ref()
        .map(|error| format!(" (the run failed in {:?}: {})", error.node, error.message))
        .unwrap_or_default();
    if let Some(expected) = case.get("expectedOrder") {
        let order = Value::array(outcome.order().into_iter().map(Value::from).collect());
        if let Some(problem) = difference(expected, &order) {
            return Some(format!("order: {problem}; ran {}{failure}", short(&order)));
        }
    }
    let all_outputs = case.get("compareOutputs").and_then(Value::as_str) != Some("first");
    for (node, runs) in case.get("expectedRuns").and_then(Value::as_object)?.iter() {
        if volatile.contains(&node.as_str()) {
            continue;
        }
        let found = Value::array(
            outcome.runs_of(node).iter().map(|task| outputs_of(task, all_outputs)).collect(),
        );
        let wanted = Value::array(
            runs.as_array().unwrap_or_default().iter().map(|run| strip(run, all_outputs)).collect(),
        );
        if let Some(problem) = difference(&wanted, &found) {
            return Some(format!("'{node}' {problem}{failure}"));
        }
    }
    None
}

/// The outputs of a run as the corpus writes them: items without pairing, trailing empty outputs
/// taken off.
fn outputs_of(task: &TaskData, all: bool) -> Value {
    let Some(outputs) = task.data.get(&Kind::Main) else { return Value::Null };
    let outputs = outputs.iter().map(|items| match items {
        Some(items) => {
            Value::array(items.iter().map(|item| without_pairs(&item.to_value())).collect())
        }
        None => Value::array(Vec::new()),
    });
    strip(&Value::array(outputs.collect()), all)
}

fn strip(run: &Value, all: bool) -> Value {
    let Some(outputs) = run.as_array() else { return run.clone() };
    let mut outputs: Vec<Value> = outputs
        .iter()
        .map(|items| {
            Value::array(items.as_array().unwrap_or_default().iter().map(without_pairs).collect())
        })
        .collect();
    outputs.truncate(if all { usize::MAX } else { 1 });
    while outputs.last().is_some_and(|items| items.as_array().is_some_and(<[Value]>::is_empty)) {
        outputs.pop();
    }
    Value::array(outputs)
}

/// An item as far as it counts.
fn without_pairs(item: &Value) -> Value {
    let mut item = item.clone();
    let fields = item.make_object();
    fields.retain(|key, _| matches!(key, "json" | "binary"));
    // The corpus keeps these fields of a file.
    if let Some(files) = fields.get("binary").and_then(Value::as_object) {
        let kept = files.iter().map(|(name, file)| {
            let mut file = file.as_object().cloned().unwrap_or_default();
            file.retain(|key, _| matches!(key, "mimeType" | "fileName" | "fileExtension" | "data"));
            (name.clone(), Value::object(file))
        });
        let kept: Object = kept.collect();
        fields.insert("binary", kept);
    }
    item
}
