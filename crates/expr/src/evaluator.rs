//! Sends each expression to the evaluator that can take it.

use crate::native::Failure;
use crate::sandbox::{self, ExpressionCode, Limits, Sandbox, Thrown};
use crate::template::Part;
use crate::{Error, Scope, Template};
use model::{Str, Value};
use std::sync::{Mutex, PoisonError};

/// Which evaluator takes an expression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// The native one where it can, the sandbox for the rest.
    #[default]
    Auto,
    /// The native one alone; what it declines is an error.
    Native,
    /// The sandbox alone.
    Sandbox,
}

/// Evaluates the expressions of one run. Made at no cost; the sandbox starts when an expression first needs it.
pub struct Session {
    route: Route,
    thrown: Thrown,
    sandbox: Mutex<sandbox::Session>,
}

impl Session {
    pub fn new(route: Route) -> Self {
        Self { route, thrown: Thrown::default(), sandbox: Mutex::new(Sandbox::new().session(Limits::expression())) }
    }

    /// Reports what the expression's own JavaScript throws instead of taking it as no value.
    #[must_use]
    pub fn reporting_exceptions(mut self) -> Self {
        self.thrown = Thrown::IsReported;
        self
    }

    /// Refuses what is larger than this to come out of the sandbox.
    #[must_use]
    pub fn putting_out_at_most(mut self, output_bytes: usize) -> Self {
        self.sandbox = Mutex::new(Sandbox::new().session(Limits { output_bytes, ..Limits::expression() }));
        self
    }

    /// The value of a template: the raw value of a single `{{ … }}`, otherwise text.
    pub fn evaluate(&self, template: &Template, scope: &dyn Scope) -> Result<Value, Error> {
        match self.route {
            Route::Auto => template.evaluate_with(scope, |source| self.in_sandbox(source, scope)),
            Route::Native => template.evaluate_native(scope).map_err(|failure| match failure {
                Failure::Error(error) => error,
                Failure::Declined => Error::Sandbox { detail: Str::from("the native evaluator declined") },
            }),
            Route::Sandbox => template.evaluate_all_with(|source| self.in_sandbox(source, scope)),
        }
    }

    /// What keeps a template from being evaluated at all, if anything does. Nothing of it is evaluated.
    pub fn malformed(&self, template: &Template) -> Option<Error> {
        let mut sandbox = self.sandbox.lock().unwrap_or_else(PoisonError::into_inner);
        template.parts().iter().find_map(|part| match part {
            Part::Code { source, native: None } => sandbox.compile(&ExpressionCode::new(source.clone())).err(),
            Part::Code { .. } | Part::Text(_) => None,
        })
    }

    fn in_sandbox(&self, source: &str, scope: &dyn Scope) -> Result<Value, Error> {
        let mut sandbox = self.sandbox.lock().unwrap_or_else(PoisonError::into_inner);
        sandbox.evaluate(&ExpressionCode { source: source.into(), thrown: self.thrown }, scope)
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new(Route::Auto)
    }
}
