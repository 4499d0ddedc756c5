//! What an expression would give at a place in a run that is over, or in one that has not begun:
//! for showing it while it is written.

use crate::plan::Plan;
use crate::run::host::expression_error;
use crate::scope::{RunData, RunView, Vars};
use expr::{Evaluator, Template};
use model::{Items, Object, Source, Str, TaskData, Value};
use node_api::NodeError;
use std::sync::Arc;

/// The largest value that an expression gives while it is written. Nobody reads more of one.
const MAX_OUTPUT_BYTES: usize = 12 << 20;

/// An expression and where it stands.
pub struct Preview<'a> {
    pub plan: &'a Plan,
    /// What nodes put out, by name; pinned data stands in for those that are not there.
    pub run_data: &'a [(Str, Vec<Arc<TaskData>>)],
    pub node: usize,
    pub expression: &'a str,
    pub item: usize,
    pub run: usize,
    pub vars: &'a Vars,
    pub now_ms: i64,
}

/// Evaluates it. Nothing outside is reached and nothing is kept; the sandbox has its limits.
pub fn preview(asked: &Preview<'_>) -> Result<Value, NodeError> {
    let plan = asked.plan;
    let mut data = RunData::new(plan);
    for (name, runs) in asked.run_data {
        let Some(node) = plan.index_of(name) else { continue };
        runs.iter()
            .filter(|task| task.serves().is_none())
            .for_each(|task| data.push(node, task.clone()));
    }
    let sources = sources(plan, &data, asked.node, asked.run);
    let inputs: Vec<Option<Items>> = sources
        .iter()
        .map(|source| source.as_ref().and_then(|source| fed_by(plan, &data, source)))
        .collect();
    let view = RunView {
        plan,
        data: &data,
        node: asked.node,
        inputs: &inputs,
        sources: &sources,
        item_index: asked.item,
        run_index: asked.run,
        vars: asked.vars,
        now_ms: asked.now_ms,
        extra: None,
        called: None,
        parameters: &plan.nodes[asked.node].raw_params,
        depth: 0,
        contexts: &|_| Object::new(),
    };
    let text = if asked.expression.starts_with('=') {
        asked.expression.to_owned()
    } else {
        format!("={}", asked.expression)
    };
    let session = Evaluator::default().putting_out_at_most(MAX_OUTPUT_BYTES);
    session.evaluate(&Template::parse(&text), &view).map_err(|error| expression_error(error, ""))
}

/// What fed a node in a run of it, or what would: the last run of each node before it. A node that
/// serves another stands where that one does.
fn sources(plan: &Plan, data: &RunData, node: usize, run: usize) -> Vec<Option<Source>> {
    if let Some(task) = data.of(node).get(run) {
        return task.source.clone();
    }
    let found = &plan.nodes[node];
    if found.inputs.iter().all(Vec::is_empty)
        && let Some(above) = plan
            .nodes
            .iter()
            .position(|other| other.suppliers.iter().any(|supplier| supplier.node == node))
        && above != node
        && !plan.nodes[above].inputs.iter().all(Vec::is_empty)
    {
        return sources(plan, data, above, run);
    }
    let feeding = found.inputs.iter().map(|from| {
        let has_data = |target: &&crate::plan::PlanTarget| {
            !data.of(target.node).is_empty() || plan.nodes[target.node].pinned.is_some()
        };
        let target = from.iter().find(has_data)?;
        let last = data.of(target.node).len().saturating_sub(1);
        Some(Source {
            node: plan.nodes[target.node].info.name.clone(),
            output: target.index,
            run: last,
        })
    });
    feeding.collect()
}

/// The items of an output, or what is pinned in their place.
fn fed_by(plan: &Plan, data: &RunData, source: &Source) -> Option<Items> {
    let from = plan.index_of(&source.node)?;
    match data.of(from).get(source.run) {
        Some(task) => task.output(source.output).cloned(),
        None => plan.nodes[from].pinned.clone(),
    }
}
