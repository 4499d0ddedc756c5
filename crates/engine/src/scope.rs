//! What an expression sees of a run: the engine's side of [`expr::Scope`].

mod guards;
mod nodes;
mod paired;
mod vars;

pub use vars::{ExecutionVars, Vars};

use crate::params::CompiledParam;
use crate::plan::{Plan, PlanNode};
use crate::run::host::expression_error;
use expr::{Evaluator, ExprError, PreviousNode, Scope};
use model::{Gaps, Item, Items, Kind, Object, Source, Str, TaskData, Value};
use node_api::NodeError;
use std::sync::Arc;

/// The key by which a service knows the request for an item again, whenever the step is taken.
const IDEMPOTENCY_KEY: &str = "$idempotencyKey";

/// The records of a run so far, per node of the plan.
#[derive(Clone, Default)]
pub struct RunData {
    runs: Vec<Vec<Arc<TaskData>>>,
    /// Nodes in the order they were first executed.
    order: Vec<usize>,
}

impl RunData {
    pub fn new(plan: &Plan) -> Self {
        Self { runs: vec![Vec::new(); plan.nodes.len()], order: Vec::new() }
    }

    pub fn push(&mut self, node: usize, task: Arc<TaskData>) {
        if self.runs[node].is_empty() {
            self.order.push(node);
        }
        self.runs[node].push(task);
    }

    pub fn of(&self, node: usize) -> &[Arc<TaskData>] {
        self.runs.get(node).map_or(&[], Vec::as_slice)
    }

    pub fn order(&self) -> &[usize] {
        &self.order
    }
}

impl Plan {
    /// A node's parameters as they stand before any run: expressions see the workflow, the clock
    /// and `$vars`, but no items. Those that only a call gives a value stay as they are written.
    pub fn static_params(
        &self,
        name: &str,
        now_ms: i64,
        variables: &Object,
    ) -> Result<Value, NodeError> {
        let Some(index) = self.index_of(name) else { return Ok(Value::empty_object()) };
        let node = &self.nodes[index];
        let vars = Vars { timezone: "UTC".into(), variables: variables.clone(), ..Vars::default() };
        let view = RunView {
            plan: self,
            data: &RunData::new(self),
            node: index,
            inputs: &[],
            sources: &[],
            item_index: 0,
            run_index: 0,
            vars: &vars,
            now_ms,
            extra: None,
            called: None,
            parameters: &node.raw_params,
            depth: 0,
            contexts: &|_| Object::new(),
        };
        let (early, late) = node.params_before_calls();
        let mut params = early
            .resolve(&Evaluator::default(), &view)
            .map_err(|error| expression_error(error, ""))?;
        let mut gaps = Gaps::default();
        for (path, written) in late {
            params
                .put_path_within(&path, written, &mut gaps)
                .map_err(|error| NodeError::parameter(&path, error.to_string()))?;
        }
        node.check_guards(&params)?;
        node.check_ranges("", &params)?;
        Ok(params)
    }
}

/// One expression's place in a run.
#[derive(Clone, Copy)]
pub struct RunView<'a> {
    pub plan: &'a Plan,
    pub data: &'a RunData,
    /// The node the expression belongs to.
    pub node: usize,
    /// What arrived at each of its inputs.
    pub inputs: &'a [Option<Items>],
    /// Where it came from.
    pub sources: &'a [Option<Source>],
    pub item_index: usize,
    pub run_index: usize,
    pub vars: &'a Vars,
    pub now_ms: i64,
    /// Names that only this evaluation has, such as `$response`.
    pub extra: Option<&'a Object>,
    /// The call that the node answers as a tool.
    pub called: Option<&'a ToolCallScope>,
    /// The parameters of the node, as they are written.
    pub parameters: &'a Value,
    /// What looping nodes share with expressions.
    pub contexts: &'a (dyn Fn(usize) -> Object + Sync),
    /// How many expressions deep this one is asked for by another.
    pub depth: usize,
}

/// What expressions of a node see while a model calls it as a tool.
#[derive(Clone)]
pub struct ToolCallScope {
    /// What the model gave: `$fromAI` reads it.
    pub arguments: Object,
    /// The item that the agent works on. Fields that it does not have are the model's.
    pub item: Item,
    /// Names the call within the run, and is the same when it is made again.
    pub call: Str,
}

impl ToolCallScope {
    pub fn new(arguments: Object, item: Option<Item>, call: Str) -> Self {
        let mut item = item.unwrap_or_else(|| Item::new(Object::new()));
        let mut fields = arguments.clone();
        if let Value::Object(own) = &item.json {
            fields.extend(own.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        item.json = fields.into();
        Self { arguments, item, call }
    }
}

impl RunView<'_> {
    /// The input that expressions look at: the first that has any items.
    fn main_input(&self) -> Option<(usize, &Items)> {
        let arrived = || {
            self.inputs
                .iter()
                .enumerate()
                .filter_map(|(index, items)| items.as_ref().map(|items| (index, items)))
        };
        arrived().find(|(_, items)| !items.is_empty()).or_else(|| arrived().next())
    }

    /// The parameters of a node, or of this one, as they are written.
    fn written(&self, node: Option<&str>) -> Result<&Value, ExprError> {
        match node {
            None => Ok(self.parameters),
            Some(name) => Ok(&self.plan.nodes[self.find(name)?].raw_params),
        }
    }

    /// One parameter. Its expression sees what this node sees, whichever node it is written in.
    fn evaluated_parameter(&self, node: Option<&str>, name: &str) -> Result<Value, ExprError> {
        /// Expressions that refer to expressions. Every parameter may refer to all.
        const MAX_DEPTH: usize = 4;
        let Some(written) = self.written(node)?.get(name) else { return Ok(Value::Undefined) };
        let written = match written.get("__rl").and_then(Value::as_bool) {
            Some(true) => written.get("value").unwrap_or(&Value::Undefined),
            _ => written,
        };
        let Some(text) = written.as_str().filter(|text| text.starts_with('=')) else {
            return Ok(written.clone());
        };
        let refers_to_itself = text
            .strip_prefix("={{ $parameter.")
            .and_then(|rest| rest.strip_suffix(" }}"))
            .is_some_and(|referred| referred == name);
        if refers_to_itself || self.depth >= MAX_DEPTH {
            return Ok(Value::Undefined);
        }
        // The session of this evaluation is busy with the expression that asks.
        let view = RunView { depth: self.depth + 1, ..*self };
        CompiledParam::new(written).resolve(&Evaluator::default(), &view)
    }

    /// `$agentInfo`: what is connected to an agent.
    fn agent_info(&self, agent: &PlanNode) -> Value {
        let tools = agent.suppliers.iter().filter(|supplier| supplier.kind == Kind::AiTool).map(
            |supplier| {
                let tool = &self.plan.nodes[supplier.node];
                let fields = [
                    ("connected", Value::from(true)),
                    ("name", tool.info.name.clone().into()),
                    ("nodeType", tool.info.type_name.clone().into()),
                    ("hasCredentials", (!tool.credentials.is_empty()).into()),
                ];
                Object::from_iter(fields).into()
            },
        );
        let has_memory = agent.suppliers.iter().any(|supplier| supplier.kind == Kind::AiMemory);
        Object::from_iter([
            ("memoryConnectedToAgent", Value::from(has_memory)),
            ("tools", Value::array(tools.collect::<Vec<_>>())),
        ])
        .into()
    }

    fn request_key(&self) -> Option<Str> {
        let node = &self.plan.nodes[self.node].info.name;
        let (run_index, item) = (self.run_index, self.item_index);
        self.vars.execution.request_key((&self.plan.id, node), run_index, item, self.called)
    }

    fn find(&self, name: &str) -> Result<usize, ExprError> {
        self.plan.index_of(name).ok_or_else(|| ExprError::Data {
            message: "Referenced node doesn't exist".into(),
            description: Some(
                format!("The node '{name}' doesn't exist, but it's used in an expression here.")
                    .into(),
            ),
            kind: Some("paired_item_non_existent".into()),
        })
    }
}

impl Scope for RunView<'_> {
    fn item(&self) -> Option<Item> {
        if let Some(called) = self.called {
            return Some(called.item.clone());
        }
        self.main_input().and_then(|(_, items)| items.get(self.item_index))
    }

    fn missing_item(&self) -> ExprError {
        nodes::not_executed(&self.plan.nodes[self.node].info.name)
    }

    fn item_index(&self) -> usize {
        self.item_index
    }

    fn run_index(&self) -> usize {
        self.run_index
    }

    fn input(&self) -> Items {
        self.main_input().map(|(_, items)| items.clone()).unwrap_or_default()
    }

    fn previous(&self) -> Option<PreviousNode> {
        let (index, _) = self.main_input()?;
        let source = self.sources.get(index)?.as_ref()?;
        Some(PreviousNode { name: source.node.clone(), output: source.output, run: source.run })
    }

    fn node_items(
        &self,
        node: &str,
        output: Option<usize>,
        run: Option<usize>,
    ) -> Result<Items, ExprError> {
        self.items_of(node, output, run)
    }

    fn paired_item(&self, node: &str, index: Option<usize>) -> Result<Option<Item>, ExprError> {
        self.paired_with(node, index.unwrap_or(self.item_index))
    }

    fn traced_item(
        &self,
        node: &str,
        from: &PreviousNode,
        position: usize,
    ) -> Result<Option<Item>, ExprError> {
        self.traced_from(node, from, position)
    }

    fn runs_of(&self, node: &str) -> usize {
        self.plan.index_of(node).map_or(0, |index| self.data.of(index).len())
    }

    fn has_node(&self, node: &str) -> bool {
        self.plan.index_of(node).is_some()
    }

    fn is_executed(&self, node: &str) -> bool {
        self.plan.index_of(node).is_some_and(|index| !self.data.of(index).is_empty())
    }

    fn parameter(
        &self,
        node: Option<&str>,
        name: &str,
        item_index: Option<usize>,
    ) -> Result<Value, ExprError> {
        let item_index = item_index.unwrap_or(self.item_index);
        RunView { item_index, ..*self }.evaluated_parameter(node, name)
    }

    fn written_parameters(&self, node: Option<&str>) -> Result<Value, ExprError> {
        self.written(node).cloned()
    }

    fn context(&self, node: Option<&str>) -> Result<Value, ExprError> {
        let index = node.map_or(Ok(self.node), |name| self.find(name))?;
        Ok(Value::object((self.contexts)(index)))
    }

    fn variable(&self, name: &str) -> Result<Option<Value>, ExprError> {
        if let Some(value) = self.extra.and_then(|extra| extra.get(name)) {
            return Ok(Some(value.clone()));
        }
        let node = &self.plan.nodes[self.node];
        Ok(Some(match name {
            "$nodeId" => node.info.id.clone().into(),
            "$nodeVersion" => node.info.version.into(),
            "$webhookId" => node.webhook_id.clone().into(),
            "$position" | "$thisItemIndex" => self.item_index.into(),
            "$thisRunIndex" => self.run_index.into(),
            "$workflow" => Object::from_iter([
                ("id", Value::from(self.plan.id.clone())),
                ("name", Value::from(self.plan.name.clone())),
                ("active", Value::from(self.plan.active)),
            ])
            .into(),
            IDEMPOTENCY_KEY => self.request_key().into(),
            "$agentInfo" if !node.suppliers.is_empty() => self.agent_info(node),
            _ => return self.vars.get(name),
        }))
    }

    fn variable_names(&self) -> Vec<Str> {
        let own = [
            "$nodeId",
            "$nodeVersion",
            "$webhookId",
            "$position",
            "$thisItemIndex",
            "$thisRunIndex",
            "$workflow",
            "$agentInfo",
            IDEMPOTENCY_KEY,
        ];
        let extra = self.extra.into_iter().flat_map(Object::keys).cloned();
        own.iter().map(|name| Str::from(*name)).chain(self.vars.names()).chain(extra).collect()
    }

    fn ai_value(&self, key: &str, default: Option<Value>) -> Result<Value, ExprError> {
        if let Some(called) = self.called {
            return Ok(called.arguments.get(key).cloned().or(default).unwrap_or_default());
        }
        let given = self
            .extra
            .and_then(|extra| extra.get("$fromAIValues"))
            .and_then(|values| values.get(key))
            .cloned();
        let from_item = || self.item().and_then(|item| item.json.get(key).cloned());
        Ok(given.or_else(from_item).or(default).unwrap_or_default())
    }

    fn now_ms(&self) -> i64 {
        self.now_ms
    }

    fn timezone(&self) -> &str {
        self.plan.timezone.as_ref().unwrap_or(&self.vars.timezone)
    }
}
