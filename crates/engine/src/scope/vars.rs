//! The `$` names that are the same for every node of a run.

use crate::options::{RecordedStep, RunOptions};
use crate::ports::{Addresses, Random};
use crate::request_key::{RequestKeys, RequestPlace};
use crate::scope::ToolCallScope;
use expr::ExprError;
use model::{Object, Str, TaskStatus, Value};
use node_api::host::Feature;
use std::sync::Arc;

/// Plain data that expressions may read, fixed when the run starts.
#[derive(Clone, Default)]
pub struct Vars {
    /// The zone of workflows that name none.
    pub timezone: Str,
    /// `$execution`.
    pub execution: ExecutionVars,
    /// `$vars`.
    pub variables: Object,
    /// `$env`, or nothing if expressions may not read the environment.
    pub environment: Option<Object>,
    /// `$mode`.
    pub mode: Str,
    /// Anything else, by its name with `$`.
    pub more: Object,
}

/// What `$execution` is made of. Most runs never ask for it.
#[derive(Clone, Default)]
pub struct ExecutionVars {
    pub id: Str,
    /// `test` or `production`.
    pub mode: &'static str,
    pub addresses: Option<Arc<dyn Addresses>>,
    /// The wait that the run comes to next, or is at, counted from zero.
    pub wait: usize,
    /// `$idempotencyKey`, for each request another one.
    pub request_keys: RequestKeys,
}

impl ExecutionVars {
    /// The key of one request of a node, in its step or in a call of it as a tool.
    pub(crate) fn request_key(
        &self,
        (workflow_id, node): (&Str, &Str),
        run_index: usize,
        item: usize,
        called: Option<&ToolCallScope>,
    ) -> Option<Str> {
        self.request_keys.key_of(RequestPlace {
            run_id: self.id.clone(),
            workflow_id: workflow_id.clone(),
            node: node.clone(),
            run_index,
            item,
            call: called.map(|called| called.call.clone()).unwrap_or_default(),
        })
    }

    fn to_value(&self) -> Value {
        let address = |of: fn(&dyn Addresses, &str, usize) -> Str| {
            self.addresses.as_ref().map(|all| of(&**all, &self.id, self.wait)).unwrap_or_default()
        };
        let fields = [
            ("id", self.id.clone()),
            ("mode", self.mode.into()),
            ("resumeUrl", address(|all, id, wait| all.webhook(id, wait))),
            ("resumeFormUrl", address(|all, id, wait| all.form(id, wait))),
        ];
        Object::from_iter(fields).into()
    }
}

impl RunOptions {
    /// What expressions of the run may read.
    pub fn vars(&self, random: &Arc<dyn Random>) -> Vars {
        let mode = if self.mode == "manual" { "test" } else { "production" };
        // A run sleeps at every wait, so that it comes to one at most before it begins anew with
        // what it did.
        let waited = |step: &&RecordedStep| {
            step.task.as_ref().is_some_and(|task| task.status == TaskStatus::Waiting)
        };
        let wait = self.recorded.iter().filter(waited).count();
        Vars {
            timezone: self.timezone.clone(),
            execution: ExecutionVars {
                id: self.run_id.clone(),
                mode,
                addresses: self.addresses.clone(),
                wait,
                request_keys: RequestKeys::new(self.addresses.clone(), random.clone()),
            },
            variables: self.variables.clone(),
            environment: self
                .features
                .contains(&Feature::EnvironmentAccess)
                .then(|| self.environment.clone()),
            mode: self.mode.clone(),
            more: Object::new(),
        }
    }
}

impl Vars {
    pub(super) fn get(&self, name: &str) -> Result<Option<Value>, ExprError> {
        Ok(Some(match name {
            "$execution" => self.execution.to_value(),
            "$vars" => self.variables.clone().into(),
            "$mode" => self.mode.clone().into(),
            "$secrets" => Value::empty_object(),
            "$env" => match &self.environment {
                Some(environment) => environment.clone().into(),
                None => {
                    return Err(ExprError::Data {
                        message: "access to env vars denied".into(),
                        description: Some(
                            "Expressions cannot read the environment of this instance. Use a variable ($vars) or a credential instead."
                                .into(),
                        ),
                        kind: None,
                    });
                }
            },
            _ => return Ok(self.more.get(name).cloned()),
        }))
    }

    pub(super) fn names(&self) -> impl Iterator<Item = Str> {
        ["$execution", "$vars", "$mode", "$secrets", "$env"]
            .into_iter()
            .map(Str::from)
            .chain(self.more.keys().cloned())
    }
}
