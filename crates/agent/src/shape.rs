//! The shape that data must have, by a JSON Schema.

use crate::schema::validator;
use jsonschema::Validator;
use model::Value;

/// How many problems are told at once.
const MAX_PROBLEMS: usize = 5;

/// A schema, ready to be held against data.
pub struct Shape {
    validator: Validator,
}

impl Shape {
    /// Or why the schema is none.
    pub fn new(schema: &Value) -> Result<Self, String> {
        Ok(Self { validator: validator(&as_serde(schema)?)? })
    }

    /// What is wrong with a value, each with its place; nothing if it fits.
    pub fn problems(&self, value: &Value) -> Vec<String> {
        let given = match as_serde(value) {
            Ok(given) => given,
            Err(problem) => return vec![problem],
        };
        let told = |error: jsonschema::ValidationError<'_>| match error.instance_path().to_string() {
            place if place.is_empty() => error.to_string(),
            place => format!("{place}: {error}"),
        };
        self.validator.iter_errors(&given).take(MAX_PROBLEMS).map(told).collect()
    }
}

fn as_serde(value: &Value) -> Result<serde_json::Value, String> {
    serde_json::from_str(&model::json::to_string(value)).map_err(|error| error.to_string())
}
