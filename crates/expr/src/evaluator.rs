//! Sends each expression to the evaluator that can take it.

use crate::native::NativeFailure;
use crate::sandbox::{self, ExpressionCode, Sandbox, SandboxLimits, Thrown};
use crate::template::TemplatePart;
use crate::{ExprError, Scope, Template};
use model::{Str, Value};
use std::sync::{Mutex, PoisonError};

/// Which evaluator takes an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EvalRoute {
    /// The native one where it can, the sandbox for the rest.
    #[default]
    Auto,
    /// The native one alone; what it declines is an error.
    Native,
    /// The sandbox alone.
    Sandbox,
}

/// Evaluates the expressions of one run. Made at no cost; the sandbox starts when an expression
/// first needs it.
pub struct Evaluator {
    route: EvalRoute,
    thrown: Thrown,
    sandbox: Mutex<sandbox::SandboxSession>,
    /// What comes out may be as large as this, whichever evaluator made it.
    output_bytes: Option<usize>,
}

impl Evaluator {
    pub fn new(route: EvalRoute) -> Self {
        let sandbox = Mutex::new(Sandbox::new().session(SandboxLimits::expression()));
        Self { route, thrown: Thrown::default(), sandbox, output_bytes: None }
    }

    /// Reports what the expression's own JavaScript throws instead of taking it as no value.
    #[must_use]
    pub fn reporting_exceptions(mut self) -> Self {
        self.thrown = Thrown::IsReported;
        self
    }

    /// Refuses to put out what is larger than this, in bytes of its JSON.
    #[must_use]
    pub fn putting_out_at_most(mut self, output_bytes: usize) -> Self {
        self.sandbox = Mutex::new(
            Sandbox::new().session(SandboxLimits { output_bytes, ..SandboxLimits::expression() }),
        );
        self.output_bytes = Some(output_bytes);
        self
    }

    /// The value of a template: the raw value of a single `{{ … }}`, otherwise text.
    pub fn evaluate(&self, template: &Template, scope: &dyn Scope) -> Result<Value, ExprError> {
        let value = match self.route {
            EvalRoute::Auto => {
                template.evaluate_with(scope, |source| self.in_sandbox(source, scope))
            }
            EvalRoute::Native => template.evaluate_native(scope).map_err(|failure| match failure {
                NativeFailure::Error(error) => error,
                NativeFailure::Declined => {
                    ExprError::Sandbox { detail: Str::from("the native evaluator declined") }
                }
            }),
            EvalRoute::Sandbox => {
                template.evaluate_all_with(|source| self.in_sandbox(source, scope))
            }
        }?;
        match self.output_bytes {
            Some(limit_bytes) if !fits(&value, &mut { limit_bytes }) => {
                Err(ExprError::Output { limit_bytes })
            }
            _ => Ok(value),
        }
    }

    /// What keeps a template from being evaluated at all, if anything does. Nothing of it is
    /// evaluated.
    pub fn malformed(&self, template: &Template) -> Option<ExprError> {
        let mut sandbox = self.sandbox.lock().unwrap_or_else(PoisonError::into_inner);
        template.parts().iter().find_map(|part| match part {
            TemplatePart::Code { source, native: None } => {
                sandbox.compile(&ExpressionCode::new(source.clone())).err()
            }
            TemplatePart::Code { .. } | TemplatePart::Text(_) => None,
        })
    }

    fn in_sandbox(&self, source: &str, scope: &dyn Scope) -> Result<Value, ExprError> {
        let mut sandbox = self.sandbox.lock().unwrap_or_else(PoisonError::into_inner);
        sandbox.evaluate(&ExpressionCode { source: source.into(), thrown: self.thrown }, scope)
    }
}

/// Takes the size of a value's JSON from what is left, counted as in the sandbox. Ends where
/// nothing is left: a small value may be endless when it is written out.
fn fits(value: &Value, left: &mut usize) -> bool {
    let mut take = |bytes: usize| left.checked_sub(bytes).map(|rest| *left = rest).is_some();
    match value {
        Value::Undefined | Value::Null | Value::Bool(_) => true,
        Value::Number(_) => take(8),
        Value::String(text) => take(text.len() + 2),
        Value::Date(date) => take(date.iso.len() + 2),
        Value::Array(values) => {
            take(2 + values.len()) && values.iter().all(|element| fits(element, left))
        }
        Value::Object(fields) => {
            take(2) && fields.iter().all(|(name, field)| fits_named(name, field, left))
        }
    }
}

fn fits_named(name: &str, field: &Value, left: &mut usize) -> bool {
    left.checked_sub(name.len() + 4).map(|rest| *left = rest).is_some() && fits(field, left)
}

impl Default for Evaluator {
    fn default() -> Self {
        Self::new(EvalRoute::Auto)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::FakeScope;
    use model::json;

    #[test]
    fn issue_14_09_what_comes_out_is_limited_whichever_evaluator_made_it() {
        let scope =
            FakeScope::with_json(json!({ "s": "x".repeat(2_000), "list": [[1, 2, 3], "abc"] }));
        for route in [EvalRoute::Native, EvalRoute::Sandbox, EvalRoute::Auto] {
            let session = Evaluator::new(route).putting_out_at_most(1_000);
            let value = |source: &str| session.evaluate(&Template::parse(source), &scope);
            for source in [
                "={{ $json.s }}",
                "={{ $json }}",
                "={{ [$json.s.slice(0, 600), $json.s.slice(0, 600)] }}",
                "=a {{ $json.s }}",
            ] {
                assert_eq!(
                    value(source),
                    Err(ExprError::Output { limit_bytes: 1_000 }),
                    "{source} {route:?}"
                );
            }
            // Much larger written out than it is in memory.
            let shared =
                value("={{ [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].reduce((a, x) => [a, a], 'x') }}");
            assert_eq!(shared, Err(ExprError::Output { limit_bytes: 1_000 }), "{route:?}");
            assert_eq!(value("={{ $json.list }}"), Ok(json!([[1, 2, 3], "abc"])), "{route:?}");
        }
    }
}
