//! The native evaluator: the common forms of expressions without leaving Rust.
//!
//! It takes what it knows to mean exactly what it means in JavaScript and declines the rest: at
//! compile time where the text already tells, at run time where a value does. Declining is always
//! safe, because evaluating changes nothing.

mod arithmetic;
mod array;
mod ast;
mod builtin;
mod code;
mod date;
mod date_methods;
mod eval;
mod extension;
mod hash;
mod json;
mod lexer;
mod meter;
mod names;
mod nodes;
mod number;
mod number_methods;
mod object;
mod operators;
mod parser;
mod purity;
mod regexp;
mod statics;
mod string;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub use code::NativeCode;

use crate::{ExprError, Scope};
use ast::{Expr, FunctionDef};
use model::Value;
use std::sync::Arc;

/// Longer expressions are left to the sandbox.
const MAX_SOURCE: usize = 64 * 1024;
/// What one evaluation may do before it is stopped. Unit tests run into the limits on purpose and
/// unoptimised.
const MAX_STEPS: u64 = if cfg!(test) { 2_000_000 } else { 20_000_000 };
/// What one evaluation may put together in texts, lists and objects, also of what it has let go
/// again.
const MAX_BYTES: usize = if cfg!(test) { 8 << 20 } else { 128 << 20 };
/// What it may do on a thread that serves others as well: some milliseconds. What is longer is
/// begun again off that thread.
const INLINE_STEPS: u64 = 100_000;
const INLINE_BYTES: usize = 1 << 20;
/// What code may do there, some hundredths of a second. What is longer is left to the sandbox,
/// which holds up no other work.
const SHORT_STEPS: u64 = 200_000;

/// An expression that the native evaluator understands, ready to run any number of times.
#[derive(Clone, Debug)]
pub struct Program {
    inner: Arc<ProgramInner>,
}

#[derive(Debug)]
struct ProgramInner {
    root: Expr,
    functions: Vec<FunctionDef>,
    slots: u32,
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq)]
pub enum NativeFailure {
    /// The sandbox has to evaluate this one.
    Declined,
    Error(ExprError),
}

impl From<ExprError> for NativeFailure {
    fn from(error: ExprError) -> Self {
        NativeFailure::Error(error)
    }
}

impl Program {
    /// Reads the JavaScript between `{{` and `}}`. `None`: not for this evaluator, or not
    /// JavaScript at all.
    pub fn compile(source: &str) -> Option<Program> {
        read(source, parser::parse).map(|inner| Program { inner })
    }

    /// The value for one item. Like n8n, reading a property of `undefined` makes the whole value
    /// `undefined`.
    pub fn evaluate(&self, scope: &dyn Scope) -> Result<Value, NativeFailure> {
        if !compute::is_offloaded() {
            let meter = meter::Meter::inline();
            let evaluated = self.run(scope);
            drop(meter);
            match evaluated {
                Ok(value) => return Ok(value),
                Err(Interrupt::Unfinished) => {}
                Err(stop) => return Err(stop.into_failure()),
            }
        }
        self.evaluate_elsewhere(scope)
    }

    /// Off the threads that serve others.
    #[cold]
    fn evaluate_elsewhere(&self, scope: &dyn Scope) -> Result<Value, NativeFailure> {
        let evaluated = compute::interruptible(|| {
            let _meter = meter::Meter::start();
            self.run(scope)
        });
        match evaluated {
            Ok(evaluated) => evaluated.map_err(Interrupt::into_failure),
            Err(busy) => Err(NativeFailure::Error(busy.into())),
        }
    }

    #[expect(
        clippy::inline_always,
        reason = "a result that is copied once more costs a tenth of a short expression"
    )]
    #[inline(always)]
    fn run(&self, scope: &dyn Scope) -> EvalResult<Value> {
        let mut machine = eval::Machine::new(&self.inner, scope);
        let weighed = |value: Value| {
            if self.inner.functions.is_empty() {
                Ok(value)
            } else {
                value::check_output(&value).map(|()| value)
            }
        };
        match machine.eval(&self.inner.root).and_then(value::Js::into_value).and_then(weighed) {
            Err(Interrupt::TypeError) => Ok(Value::Undefined),
            evaluated => evaluated,
        }
    }
}

/// What evaluating an expression takes of its allowance, and what it makes; `None` if it is not for
/// this evaluator. For tests.
#[doc(hidden)]
pub fn measured(
    source: &str,
    scope: &dyn Scope,
) -> Option<(Result<Value, NativeFailure>, u64, usize)> {
    let program = Program::compile(source)?;
    let meter = meter::Meter::measured();
    let evaluated = eval::Machine::new(&program.inner, scope)
        .eval(&program.inner.root)
        .and_then(value::Js::into_value);
    let (steps, bytes) = meter.used();
    Some((evaluated.map_err(Interrupt::into_failure), steps, bytes))
}

/// Every name that something may have a method under. For tests.
#[doc(hidden)]
pub fn method_names() -> impl Iterator<Item = &'static str> {
    names::methods()
}

/// Whether evaluating an expression in the sandbox surely changes nothing of what it reads.
pub(crate) fn only_reads(source: &str) -> bool {
    read(source, parser::parse).is_some_and(|inner| purity::only_reads(&inner))
}

/// Reads a source, unless it is longer than anybody writes by hand.
fn read(
    source: &str,
    parse: impl FnOnce(lexer::ExprTokens) -> Option<ProgramInner>,
) -> Option<Arc<ProgramInner>> {
    if source.len() > MAX_SOURCE {
        return None;
    }
    parse(lexer::tokens(source)?).map(Arc::new)
}

pub(crate) use text::is_js_whitespace;

/// What `String(date)` gives for a JavaScript date.
pub(crate) fn date_text(epoch_ms: f64) -> model::Str {
    if epoch_ms.is_finite() {
        date::js_date_text(epoch_ms as i64, true)
    } else {
        "Invalid Date".into()
    }
}

/// The name of the function, if the source is one call with nothing but constants for arguments.
pub(crate) fn literal_call(source: &str) -> Option<model::Str> {
    use lexer::ExprToken;
    let tokens = lexer::tokens(source)?.list;
    let [ExprToken::Name(name), ExprToken::Sign("("), args @ .., ExprToken::Sign(")")] =
        tokens.as_slice()
    else {
        return None;
    };
    let is_constant = |arg: &[ExprToken]| match arg {
        [
            ExprToken::Text(_)
            | ExprToken::Number(_)
            | ExprToken::Keyword("true" | "false" | "null"),
        ]
        | [ExprToken::Sign("-"), ExprToken::Number(_)] => true,
        [ExprToken::Template(_, parts)] => parts.is_empty(),
        _ => false,
    };
    (!args.is_empty() && args.split(|token| *token == ExprToken::Sign(",")).all(is_constant))
        .then(|| name.clone())
}

/// Why evaluating stops early.
enum Interrupt {
    Declined,
    /// A property of `null` or `undefined` was asked for.
    TypeError,
    /// `?.` met nothing: the chain around it is `undefined`.
    Short,
    /// It takes longer than this thread has time for.
    Unfinished,
    Error(Box<ExprError>),
}

impl Interrupt {
    fn into_failure(self) -> NativeFailure {
        match self {
            Interrupt::Declined
            | Interrupt::TypeError
            | Interrupt::Short
            | Interrupt::Unfinished => NativeFailure::Declined,
            Interrupt::Error(error) => NativeFailure::Error(*error),
        }
    }
}

type EvalResult<T> = Result<T, Interrupt>;

impl From<ExprError> for Interrupt {
    fn from(error: ExprError) -> Self {
        Interrupt::Error(Box::new(error))
    }
}
