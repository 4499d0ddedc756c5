//! The configuration of the strict agent, checked against its schema.

use model::{Str, Value};
use std::sync::LazyLock;

/// The contract as it is published.
pub const SCHEMA: &str = include_str!("agent-core.react.schema.json");

#[expect(clippy::disallowed_methods, reason = "the contract is a part of the program")]
static VALIDATOR: LazyLock<Option<jsonschema::Validator>> = LazyLock::new(|| {
    serde_json::from_str(SCHEMA)
        .ok()
        .and_then(|schema: serde_json::Value| jsonschema::validator_for(&schema).ok())
});

#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    pub max_iterations: usize,
    pub allowed_tools: Vec<Str>,
    pub stop_conditions: Vec<StopCondition>,
    pub debug: bool,
}

/// What ends the loop beside a final answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopCondition {
    FinalAnswer,
    /// The model is at least this sure.
    Confidence(f64),
    Iterations(usize),
}

impl Config {
    /// Reads a configuration; says what is wrong with one that does not fit.
    #[expect(clippy::disallowed_methods, reason = "converts a value that is already parsed")]
    pub fn read(value: &Value) -> Result<Self, Str> {
        let given: serde_json::Value =
            serde_json::from_str(&model::json::to_string(value)).unwrap_or_default();
        if let Some(validator) = VALIDATOR.as_ref() {
            let problems: Vec<String> = validator
                .iter_errors(&given)
                .map(|error| format!("{}: {error}", error.instance_path()))
                .collect();
            if !problems.is_empty() {
                return Err(problems.join("; ").into());
            }
        }
        let list = |key: &str| value.get(key).and_then(Value::as_array).unwrap_or_default().iter();
        let stop_conditions =
            list("stopConditions").map(StopCondition::read).collect::<Result<_, _>>()?;
        Ok(Self {
            max_iterations: value.get("maxIterations").and_then(Value::as_usize).unwrap_or(5),
            allowed_tools: list("allowedTools").filter_map(Value::as_str).map(Str::from).collect(),
            stop_conditions,
            debug: value.get("debug").and_then(Value::as_bool).unwrap_or_default(),
        })
    }
}

impl StopCondition {
    fn read(value: &Value) -> Result<Self, Str> {
        let number = value.get("value").and_then(Value::as_f64);
        match (value.get("type").and_then(Value::as_str), number) {
            (Some("confidence_threshold"), Some(number)) if (0.0..=1.0).contains(&number) => {
                Ok(StopCondition::Confidence(number))
            }
            (Some("confidence_threshold"), _) => {
                Err("a confidence_threshold must be a number from 0 to 1".into())
            }
            (Some("iteration_limit"), Some(number)) if number >= 1.0 => {
                Ok(StopCondition::Iterations(number as usize))
            }
            (Some("iteration_limit"), _) => {
                Err("an iteration_limit must be a number of at least 1".into())
            }
            _ => Ok(StopCondition::FinalAnswer),
        }
    }
}
