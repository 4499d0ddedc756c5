//! The `$` names that are the same for every node of a run.

use expr::Error;
use model::{Object, Str, Value};

/// Plain data that expressions may read, fixed when the run starts.
#[derive(Clone, Debug, Default)]
pub struct Vars {
    /// The zone of workflows that name none.
    pub timezone: Str,
    /// `$execution`.
    pub execution: Object,
    /// `$vars`.
    pub variables: Object,
    /// `$env`, or nothing if expressions may not read the environment.
    pub environment: Option<Object>,
    /// `$mode`.
    pub mode: Str,
    /// Anything else, by its name with `$`.
    pub more: Object,
}

impl Vars {
    pub(super) fn get(&self, name: &str) -> Result<Option<Value>, Error> {
        Ok(Some(match name {
            "$execution" => self.execution.clone().into(),
            "$vars" => self.variables.clone().into(),
            "$mode" => self.mode.clone().into(),
            "$secrets" => Value::empty_object(),
            "$env" => match &self.environment {
                Some(environment) => environment.clone().into(),
                None => {
                    return Err(Error::Data {
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
        ["$execution", "$vars", "$mode", "$secrets", "$env"].into_iter().map(Str::from).chain(self.more.keys().cloned())
    }
}
