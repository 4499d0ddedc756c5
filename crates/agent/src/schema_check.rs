//! The shape that data must have, by a JSON Schema.

use crate::schema::{PatternBudget, SchemaProblem, Validator, read_cost, validator};
use model::Value;

/// A schema, ready to be held against data.
pub struct SchemaCheck {
    validator: Validator,
}

impl SchemaCheck {
    /// Or why the schema is none.
    pub fn new(schema: &Value) -> Result<Self, String> {
        let read = || {
            Ok(Self { validator: validator(&as_serde(schema)?, &mut PatternBudget::default())? })
        };
        compute::for_size(read_cost(schema), read).map_err(|busy| busy.to_string())?
    }

    /// What is wrong with a value, each with its place; nothing if it fits.
    pub fn problems(&self, value: &Value) -> Vec<String> {
        let given = match as_serde(value) {
            Ok(given) => given,
            Err(problem) => return vec![problem],
        };
        let told = |problem: SchemaProblem| match problem.path.as_str() {
            "" => problem.text,
            place => format!("{place}: {}", problem.text),
        };
        self.validator.problems(&given).into_iter().map(told).collect()
    }
}

#[expect(clippy::disallowed_methods, reason = "converts a value that is already parsed")]
fn as_serde(value: &Value) -> Result<serde_json::Value, String> {
    serde_json::from_str(&model::json::to_string(value)).map_err(|error| error.to_string())
}
