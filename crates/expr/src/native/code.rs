//! Programs of Code nodes that only compute: constants, functions and a result, and fields set on
//! the item at hand.
//!
//! The rest is declined and runs in the sandbox from the beginning. That is safe because nothing
//! outside is touched: the item that a program changes is a copy, and one that something else holds
//! on to is not changed at all.

use super::ast::Builtin;
use super::eval::{EvalMode, Machine};
use super::value::{self, Js};
use super::{EvalResult, Interrupt, ProgramInner, meter, names, parser, read};
use crate::{ExprError, PreviousNode, Scope};
use model::{Item, Items, Str, Value};
use std::cell::RefCell;
use std::sync::Arc;

/// A program that the native evaluator understands, ready to run any number of times.
#[derive(Clone, Debug)]
pub struct NativeCode {
    inner: Arc<ProgramInner>,
}

impl NativeCode {
    /// Reads the source of a Code node. `None`: not for this evaluator, or not JavaScript at all.
    pub fn compile(source: &str) -> Option<NativeCode> {
        read(source, parser::parse_code).map(|inner| NativeCode { inner })
    }

    /// What the program returns when it is run once for all items. `None`: the sandbox has to run
    /// it.
    pub fn for_all(&self, scope: &dyn Scope) -> Option<Value> {
        self.run(&CodeScope { scope, item: None })
    }

    /// What it returns for the scope's item. `None`: the sandbox has to run it.
    pub fn for_item(&self, mut item: Item, scope: &dyn Scope) -> Option<Value> {
        // Its own copy: whether anything else holds on to it can then be told by counting.
        let Value::Object(fields) = &mut item.json else { return None };
        *fields = Arc::new((**fields).clone());
        self.run(&CodeScope { scope, item: Some(RefCell::new(item)) })
    }

    fn run(&self, around: &CodeScope<'_>) -> Option<Value> {
        let _meter = meter::Meter::short();
        let mut machine = Machine::new(&self.inner, around);
        machine.mode = EvalMode::Code { item: around.item.as_ref() };
        let returned = machine.eval(&self.inner.root).and_then(Js::into_value).and_then(|value| {
            value::check_output(&value)?;
            Ok(value)
        });
        // An error is told by the sandbox, which knows the line.
        returned.ok().filter(|value| !value.is_undefined() && is_plain(value))
    }
}

/// Whether a method is JavaScript's own. Code nodes do not have the extension functions of
/// expressions.
pub(super) fn has_method(object: &Js, name: &str) -> bool {
    let is_own = match object {
        Js::Value(Value::String(_) | Value::Array(_)) => names::is_prototype_method(name),
        Js::Value(Value::Number(_)) => matches!(name, "toFixed" | "toPrecision" | "toExponential"),
        Js::Value(Value::Date(_)) | Js::DateTime(_) | Js::Span(_) | Js::RegExp(_) | Js::Set(_) => {
            true
        }
        Js::Input | Js::Node(_) => return true,
        _ => false,
    };
    is_own && !names::is_extension(name)
}

/// Whether a function is there in Code nodes too.
pub(super) fn has_function(function: Builtin) -> bool {
    use Builtin::*;
    matches!(
        function,
        ParseInt
            | ParseFloat
            | IsNaN
            | IsFinite
            | EncodeUri
            | EncodeUriComponent
            | DecodeUri
            | DecodeUriComponent
            | String
            | Number
            | Boolean
            | Node
    )
}

/// A number from 0 up to 1, as `Math.random()` gives one: good for tests and shuffling, not for
/// secrets.
pub(super) fn random() -> EvalResult<f64> {
    thread_local! {
        static STATE: RefCell<u64> = const { RefCell::new(0) };
    }
    STATE.with_borrow_mut(|state| {
        while *state == 0 {
            let mut seed = [0; 8];
            getrandom::fill(&mut seed).map_err(|_| Interrupt::Declined)?;
            *state = u64::from_le_bytes(seed);
        }
        // xorshift64*: 53 of its bits make the fraction.
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        let bits = state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11;
        Ok(bits as f64 / (1_u64 << 53) as f64)
    })
}

/// Dates have a form of their own on their way out of the sandbox.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Date(_) => false,
        Value::Array(values) => values.iter().all(is_plain),
        Value::Object(fields) => fields.iter().all(|(_, value)| is_plain(value)),
        _ => true,
    }
}

/// The scope of a program: the node's, with the item as the program has changed it, or with none.
struct CodeScope<'s> {
    scope: &'s dyn Scope,
    item: Option<RefCell<Item>>,
}

impl Scope for CodeScope<'_> {
    fn item(&self) -> Option<Item> {
        self.item.as_ref().map(|item| item.borrow().clone())
    }
    fn item_index(&self) -> usize {
        self.scope.item_index()
    }
    fn run_index(&self) -> usize {
        self.scope.run_index()
    }
    fn input(&self) -> Items {
        self.scope.input()
    }
    fn previous(&self) -> Option<PreviousNode> {
        self.scope.previous()
    }
    fn node_items(
        &self,
        node: &str,
        output: Option<usize>,
        run: Option<usize>,
    ) -> Result<Items, ExprError> {
        self.scope.node_items(node, output, run)
    }
    fn paired_item(&self, node: &str, index: Option<usize>) -> Result<Option<Item>, ExprError> {
        match self.item {
            None if index.is_none() => Err(self.missing_item()),
            _ => self.scope.paired_item(node, index),
        }
    }
    fn traced_item(
        &self,
        node: &str,
        from: &PreviousNode,
        position: usize,
    ) -> Result<Option<Item>, ExprError> {
        self.scope.traced_item(node, from, position)
    }
    fn runs_of(&self, node: &str) -> usize {
        self.scope.runs_of(node)
    }
    fn has_node(&self, node: &str) -> bool {
        self.scope.has_node(node)
    }
    fn is_executed(&self, node: &str) -> bool {
        self.scope.is_executed(node)
    }
    fn parameter(
        &self,
        node: Option<&str>,
        name: &str,
        item_index: Option<usize>,
    ) -> Result<Value, ExprError> {
        self.scope.parameter(node, name, item_index)
    }
    fn written_parameters(&self, node: Option<&str>) -> Result<Value, ExprError> {
        self.scope.written_parameters(node)
    }
    fn context(&self, node: Option<&str>) -> Result<Value, ExprError> {
        self.scope.context(node)
    }
    fn variable(&self, name: &str) -> Result<Option<Value>, ExprError> {
        self.scope.variable(name)
    }
    fn variable_names(&self) -> Vec<Str> {
        self.scope.variable_names()
    }
    fn ai_value(&self, key: &str, default: Option<Value>) -> Result<Value, ExprError> {
        self.scope.ai_value(key, default)
    }
    fn now_ms(&self) -> i64 {
        self.scope.now_ms()
    }
    fn timezone(&self) -> &str {
        self.scope.timezone()
    }
}
