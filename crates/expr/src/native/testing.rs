//! A small scope for tests.

use super::{NativeFailure, Program};
use crate::{ExprError, PreviousNode, Scope};
use model::{Item, Items, Str, Value};

pub(crate) struct TestScope {
    pub(crate) items: Vec<Item>,
    pub(crate) now_ms: i64,
}

impl TestScope {
    pub(crate) fn new(json: Value) -> Self {
        // 2026-01-15T12:34:56.789Z
        Self { items: vec![Item::new(json)], now_ms: 1_768_480_496_789 }
    }
}

impl Scope for TestScope {
    fn item(&self) -> Option<Item> {
        self.items.first().cloned()
    }
    fn item_index(&self) -> usize {
        0
    }
    fn run_index(&self) -> usize {
        0
    }
    fn input(&self) -> Items {
        self.items.clone().into()
    }
    fn previous(&self) -> Option<PreviousNode> {
        Some(PreviousNode { name: "Before".into(), output: 0, run: 0 })
    }
    fn node_items(
        &self,
        node: &str,
        _: Option<usize>,
        _: Option<usize>,
    ) -> Result<Items, ExprError> {
        if self.has_node(node) {
            Ok(self.input())
        } else {
            Err(ExprError::data("Referenced node doesn't exist"))
        }
    }
    fn paired_item(&self, node: &str, index: Option<usize>) -> Result<Option<Item>, ExprError> {
        Ok(self.node_items(node, None, None)?.get(index.unwrap_or(0)))
    }
    fn has_node(&self, node: &str) -> bool {
        node == "Before" || node == "it's"
    }
    fn is_executed(&self, node: &str) -> bool {
        node == "Before"
    }
    fn parameter(
        &self,
        node: Option<&str>,
        name: &str,
        _: Option<usize>,
    ) -> Result<Value, ExprError> {
        Ok(self.written_parameters(node)?.get(name).cloned().unwrap_or_default())
    }
    fn written_parameters(&self, _: Option<&str>) -> Result<Value, ExprError> {
        Ok(model::json!({ "mode": "fast" }))
    }
    fn context(&self, _: Option<&str>) -> Result<Value, ExprError> {
        Ok(model::json!({ "currentRunIndex": 2 }))
    }
    fn variable(&self, name: &str) -> Result<Option<Value>, ExprError> {
        match name {
            "$vars" => Ok(Some(model::json!({ "color": "red" }))),
            "$env" => Err(ExprError::Forbidden { message: "access to env vars denied".into() }),
            _ => Ok(None),
        }
    }
    fn variable_names(&self) -> Vec<Str> {
        vec!["$vars".into()]
    }
    fn ai_value(&self, key: &str, default: Option<Value>) -> Result<Value, ExprError> {
        Ok(if key == "known" { "from the model".into() } else { default.unwrap_or_default() })
    }
    fn now_ms(&self) -> i64 {
        self.now_ms
    }
    fn timezone(&self) -> &str {
        "America/New_York"
    }
}

pub(crate) fn evaluate(source: &str, json: Value) -> Result<Value, NativeFailure> {
    Program::compile(source).ok_or(NativeFailure::Declined)?.evaluate(&TestScope::new(json))
}

/// The expression must have this value, both written as JSON.
#[track_caller]
pub(crate) fn check(source: &str, json: Value, expected: Value) {
    match evaluate(source, json) {
        Ok(value) => assert_eq!(value, expected, "{source}"),
        Err(failure) => panic!("{source}: {failure:?}"),
    }
}

#[track_caller]
pub(crate) fn check_declined(source: &str, json: Value) {
    let result = evaluate(source, json);
    assert_eq!(result, Err(NativeFailure::Declined), "{source}");
}
