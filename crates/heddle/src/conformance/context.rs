//! Sets up the run that a recorded expression was evaluated in, and evaluates it.

use crate::cli::EvaluatorChoice;
use engine::{CompiledParam, Plan, RunData, RunView, Vars};
use expr::{EvalRoute, Evaluator};
use model::{Item, Items, Kind, Object, Source, Str, TaskData, TaskStatus, Value, Workflow};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The instance around an expression.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) timezone: String,
    /// Where the clock stands; the system's if nothing is said.
    pub(crate) now_ms: Option<i64>,
}

impl Default for Instance {
    fn default() -> Self {
        Self { timezone: "UTC".into(), now_ms: None }
    }
}

impl Instance {
    /// The one whose answers the corpus holds.
    pub(crate) fn corpus() -> Self {
        Self { timezone: "America/New_York".into(), now_ms: None }
    }
}

/// Evaluates the expression of a case. `folder` is where its fixtures and contexts are.
pub(crate) fn evaluate(
    case: &Object,
    folder: Option<&Path>,
    instance: &Instance,
    evaluator: EvaluatorChoice,
) -> Result<Value, expr::ExprError> {
    let setup = ExpressionSetup::new(case, folder)
        .map_err(|problem| expr::ExprError::Sandbox { detail: problem.into() })?;
    setup.evaluate(case, instance, evaluator)
}

/// A run that has got as far as the node with the expression.
struct ExpressionSetup {
    plan: Plan,
    data: RunData,
    node: usize,
    inputs: Vec<Option<Items>>,
    sources: Vec<Option<Source>>,
    item_index: usize,
    run_index: usize,
    parameters: Value,
}

impl ExpressionSetup {
    fn new(case: &Object, folder: Option<&Path>) -> Result<Self, String> {
        if let Some(name) = case.get("context").and_then(Value::as_str) {
            return Self::from_template(case, &read(folder, "wild_contexts", name)?);
        }
        let fixture = case
            .get("fixture")
            .and_then(Value::as_str)
            .map(|name| read(folder, "fixtures", name))
            .transpose()?;
        let active = case.get("activeNode").and_then(Value::as_str).unwrap_or("node");
        let document = match (&fixture, case.get("workflow")) {
            (Some(fixture), _) => fixture.get("workflow").cloned().unwrap_or_default(),
            (None, Some(workflow)) => workflow.clone(),
            (None, None) => single_node(active),
        };
        let mut plan = plan_of(&document)?;
        if fixture.is_some() {
            // The workflow that the fixtures were recorded with.
            plan.id = "123".into();
            plan.name = "test workflow".into();
        }
        let node =
            plan.index_of(active).ok_or_else(|| format!("the case names no node '{active}'"))?;
        let no_run = case.get("noRun").is_some_and(Value::is_truthy);
        let recorded = match &fixture {
            Some(fixture) if !no_run => fixture.get_path("run.data.resultData.runData"),
            Some(_) => None,
            None => case.get("runData"),
        };
        let data = run_data(&plan, recorded);
        let run_index = case.get("runIndex").and_then(Value::as_usize).unwrap_or(0);
        let (inputs, sources) = match &fixture {
            Some(_) => {
                let own = data.of(node).get(run_index);
                (
                    vec![own.and_then(|task| task.output(0)).cloned()],
                    own.map(|task| task.source.clone()).unwrap_or_default(),
                )
            }
            None => {
                let items = case
                    .get("items")
                    .and_then(Value::as_array)
                    .map(|items| items.iter().map(Item::from_value).collect());
                (vec![items], sources_of(case.get("inputSource")))
            }
        };
        let item_index = case.get("itemIndex").and_then(Value::as_usize).unwrap_or(0);
        let parameters = case
            .get("nodeParameters")
            .cloned()
            .unwrap_or_else(|| plan.nodes[node].raw_params.clone());
        Ok(Self { node, data, inputs, sources, item_index, run_index, parameters, plan })
    }

    /// An expression of a published workflow on its pinned data.
    fn from_template(case: &Object, context: &Value) -> Result<Self, String> {
        let plan = plan_of(context)?;
        let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or_default();
        let node = plan
            .index_of(text("activeNode"))
            .ok_or_else(|| format!("the context has no node '{}'", text("activeNode")))?;
        let mut data = RunData::new(&plan);
        // Every pinned node ran once; its items are linked to the nearest pinned node before it, by
        // index where the counts agree.
        let edges =
            Workflow::from_value(context).map(|workflow| workflow.edges()).unwrap_or_default();
        for (index, found) in plan.nodes.iter().enumerate() {
            let Some(pinned) = &found.pinned else { continue };
            let before = nearest_pinned(&plan, &edges, &found.info.name);
            let linked: Items = match &before {
                Some((_, count)) => pinned
                    .iter()
                    .enumerate()
                    .map(|(at, item)| item.paired_with(if *count == pinned.len() { at } else { 0 }))
                    .collect(),
                None => pinned.clone(),
            };
            let source = before
                .map(|(name, _)| Some(Source { node: name, output: 0, run: 0 }))
                .into_iter()
                .collect();
            data.push(index, Arc::new(task(source, vec![Some(linked)])));
        }
        let input = text("input");
        let items = plan.node(input).and_then(|found| found.pinned.clone());
        let sources = vec![Some(Source { node: input.into(), output: 0, run: 0 })];
        Ok(Self {
            node,
            data,
            inputs: vec![items],
            sources,
            item_index: 0,
            run_index: 0,
            parameters: plan.nodes[node].raw_params.clone(),
            plan,
        })
    }

    fn evaluate(
        &self,
        case: &Object,
        instance: &Instance,
        evaluator: EvaluatorChoice,
    ) -> Result<Value, expr::ExprError> {
        let globals = case.get("globals").and_then(Value::as_object);
        let more = case
            .get("additionalKeys")
            .and_then(Value::as_object)
            .or(globals)
            .cloned()
            .unwrap_or_default();
        let vars = Vars {
            timezone: instance.timezone.as_str().into(),
            environment: Some(
                case.get("env").and_then(Value::as_object).cloned().unwrap_or_default(),
            ),
            mode: case.get("mode").and_then(Value::as_str).unwrap_or("manual").into(),
            more,
            ..Vars::default()
        };
        let now_ms = case
            .get("now")
            .and_then(Value::as_str)
            .and_then(|now| now.parse::<jiff::Timestamp>().ok())
            .map(|now| now.as_millisecond());
        let now_ms =
            now_ms.or(instance.now_ms).unwrap_or_else(|| jiff::Timestamp::now().as_millisecond());
        let inputs: Vec<Option<Items>> = self
            .inputs
            .iter()
            .map(|items| items.as_ref().map(|items| items.paired_by_index(0)))
            .collect();
        let view = RunView {
            plan: &self.plan,
            data: &self.data,
            node: self.node,
            inputs: &inputs,
            sources: &self.sources,
            item_index: self.item_index,
            run_index: self.run_index,
            vars: &vars,
            now_ms,
            called: None,
            extra: None,
            parameters: &self.parameters,
            depth: 0,
            contexts: &|_| Object::new(),
        };
        // A case that names its globals was recorded below the layer that takes exceptions as no
        // value.
        let session = if globals.is_some() {
            session(evaluator).reporting_exceptions()
        } else {
            session(evaluator)
        };
        CompiledParam::new(case.get("expression").unwrap_or(&Value::Undefined))
            .resolve(&session, &view)
    }
}

/// The pinned node that comes closest before a node, with the number of its items.
fn nearest_pinned(plan: &Plan, edges: &[model::Edge], node: &str) -> Option<(Str, usize)> {
    let mut layer = vec![Str::from(node)];
    let mut seen = layer.clone();
    while !layer.is_empty() {
        let mut next = Vec::new();
        for edge in edges.iter().filter(|edge| layer.contains(&edge.to)) {
            if let Some(pinned) = plan.node(&edge.from).and_then(|found| found.pinned.as_ref()) {
                return Some((edge.from.clone(), pinned.len()));
            }
            if !seen.contains(&edge.from) {
                seen.push(edge.from.clone());
                next.push(edge.from.clone());
            }
        }
        layer = next;
    }
    None
}

fn session(evaluator: EvaluatorChoice) -> Evaluator {
    Evaluator::new(match evaluator {
        EvaluatorChoice::Auto => EvalRoute::Auto,
        EvaluatorChoice::Native => EvalRoute::Native,
        EvaluatorChoice::Sandbox => EvalRoute::Sandbox,
    })
}

fn read(folder: Option<&Path>, part: &str, name: &str) -> Result<Value, String> {
    let path = folder
        .ok_or("the case needs files that are missing")?
        .join(part)
        .join(format!("{name}.json"));
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    model::json::parse(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn plan_of(document: &Value) -> Result<Plan, String> {
    let workflow = Workflow::from_value(document).ok_or("the case's workflow is not an object")?;
    Ok(Plan::new(&workflow, &node_api::Registry::default()))
}

fn single_node(name: &str) -> Value {
    let node = Object::from_iter([
        ("name", Value::from(name)),
        ("type", "test.set".into()),
        ("id", "uuid-1234".into()),
        ("typeVersion", 1.into()),
        ("parameters", Object::new().into()),
    ]);
    Object::from_iter([
        ("nodes", Value::array(vec![node.into()])),
        ("connections", Object::new().into()),
    ])
    .into()
}

/// Run data in n8n's form as the engine keeps it.
fn run_data(plan: &Plan, recorded: Option<&Value>) -> RunData {
    let mut data = RunData::new(plan);
    for (name, runs) in recorded.and_then(Value::as_object).into_iter().flat_map(Object::iter) {
        let Some(node) = plan.index_of(name) else { continue };
        for run in runs.as_array().unwrap_or_default() {
            let outputs = run.get_path("data.main").and_then(Value::as_array).unwrap_or_default();
            let outputs = outputs
                .iter()
                .map(|items| {
                    items.as_array().map(|items| items.iter().map(Item::from_value).collect())
                })
                .collect();
            data.push(node, Arc::new(task(sources_of(Some(run)), outputs)));
        }
    }
    data
}

fn sources_of(holder: Option<&Value>) -> Vec<Option<Source>> {
    let list = holder
        .and_then(|holder| holder.get("source").or_else(|| holder.get("main")))
        .and_then(Value::as_array)
        .unwrap_or_default();
    list.iter().map(Source::from_value).collect()
}

fn task(source: Vec<Option<Source>>, outputs: Vec<Option<Items>>) -> TaskData {
    TaskData {
        start_time_ms: 0,
        execution_index: 0,
        execution_time_ms: 0,
        source,
        data: BTreeMap::from([(Kind::Main, outputs)]),
        error: None,
        status: TaskStatus::Success,
        input_override: None,
        hints: Vec::new(),
        metadata: None,
    }
}
