//! A small world for tests of both evaluators: a few nodes with their items, nothing behind them.

pub mod cases;

use crate::{ExprError, PreviousNode, Scope};
use model::{Item, Items, Object, Str, Value};
use std::collections::BTreeMap;

/// A scope made of plain data. Fields are public so that a test sets what it needs and leaves the
/// rest.
#[derive(Clone, Debug)]
pub struct FakeScope {
    /// The name of the node whose parameter is evaluated; used in error texts only.
    pub node: Str,
    pub items: Vec<Item>,
    pub item_index: usize,
    pub run_index: usize,
    pub previous: Option<PreviousNode>,
    /// Output 0 of every other node; a node with `None` exists but has not run.
    pub nodes: BTreeMap<Str, Option<Vec<Item>>>,
    pub parameters: Object,
    pub variables: BTreeMap<Str, Value>,
    pub from_ai: BTreeMap<Str, Value>,
    pub now_ms: i64,
    pub timezone: Str,
}

impl Default for FakeScope {
    fn default() -> Self {
        Self {
            node: "node".into(),
            items: Vec::new(),
            item_index: 0,
            run_index: 0,
            previous: None,
            nodes: BTreeMap::new(),
            parameters: Object::new(),
            variables: BTreeMap::new(),
            from_ai: BTreeMap::new(),
            // 2024-05-06T07:08:09.010Z
            now_ms: 1_714_979_289_010,
            timezone: "America/New_York".into(),
        }
    }
}

impl FakeScope {
    /// One input item with this JSON.
    pub fn with_json(json: impl Into<Value>) -> Self {
        Self { items: vec![Item::new(json)], ..Self::default() }
    }

    /// Adds a node that has run and put out items with this JSON.
    pub fn with_node(mut self, name: &str, items: impl IntoIterator<Item = Value>) -> Self {
        self.nodes.insert(name.into(), Some(items.into_iter().map(Item::new).collect()));
        self
    }

    pub fn with_variable(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    fn output_of(&self, node: &str) -> Result<&[Item], ExprError> {
        match self.nodes.get(node) {
            None => Err(ExprError::data("Referenced node doesn't exist")),
            Some(None) => Err(ExprError::data(format!("Node '{node}' hasn't been executed"))),
            Some(Some(items)) => Ok(items),
        }
    }
}

impl Scope for FakeScope {
    fn item(&self) -> Option<Item> {
        self.items.get(self.item_index).cloned()
    }

    fn missing_item(&self) -> ExprError {
        ExprError::data(format!("Node '{}' hasn't been executed", self.node))
    }

    fn item_index(&self) -> usize {
        self.item_index
    }

    fn run_index(&self) -> usize {
        self.run_index
    }

    fn input(&self) -> Items {
        self.items.clone().into()
    }

    fn previous(&self) -> Option<PreviousNode> {
        self.previous.clone()
    }

    fn node_items(
        &self,
        node: &str,
        _output: Option<usize>,
        run: Option<usize>,
    ) -> Result<Items, ExprError> {
        if run.is_some_and(|run| run > 0) {
            return Err(ExprError::data(format!(
                "Run {} of node \"{node}\" not found",
                run.unwrap_or_default()
            )));
        }
        self.output_of(node).map(|items| items.to_vec().into())
    }

    fn paired_item(&self, node: &str, index: Option<usize>) -> Result<Option<Item>, ExprError> {
        let items = self.output_of(node)?;
        items
            .get(index.unwrap_or(self.item_index))
            .or(items.first())
            .cloned()
            .map(Some)
            .ok_or_else(|| ExprError::data("No path back to referenced node"))
    }

    fn has_node(&self, node: &str) -> bool {
        self.nodes.contains_key(node)
    }

    fn is_executed(&self, node: &str) -> bool {
        matches!(self.nodes.get(node), Some(Some(_)))
    }

    fn parameter(
        &self,
        node: Option<&str>,
        name: &str,
        _item_index: Option<usize>,
    ) -> Result<Value, ExprError> {
        Ok(self.written_parameters(node)?.get(name).cloned().unwrap_or_default())
    }

    fn written_parameters(&self, node: Option<&str>) -> Result<Value, ExprError> {
        match node {
            Some(name) if !self.has_node(name) => {
                Err(ExprError::data("Referenced node doesn't exist"))
            }
            _ => Ok(Value::object(self.parameters.clone())),
        }
    }

    fn context(&self, _node: Option<&str>) -> Result<Value, ExprError> {
        Ok(Value::empty_object())
    }

    fn variable(&self, name: &str) -> Result<Option<Value>, ExprError> {
        match self.variables.get(name) {
            None if name == "$env" => Err(ExprError::data("access to env vars denied")),
            found => Ok(found.cloned()),
        }
    }

    fn variable_names(&self) -> Vec<Str> {
        self.variables.keys().cloned().collect()
    }

    fn ai_value(&self, key: &str, default: Option<Value>) -> Result<Value, ExprError> {
        match (self.from_ai.get(key), default) {
            (Some(value), _) => Ok(value.clone()),
            (None, Some(default)) => Ok(default),
            (None, None) => Err(ExprError::data(format!("No value given for '{key}'"))),
        }
    }

    fn now_ms(&self) -> i64 {
        self.now_ms
    }

    fn timezone(&self) -> &str {
        &self.timezone
    }
}
