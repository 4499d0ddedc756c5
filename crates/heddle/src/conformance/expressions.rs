//! Cases of one expression or one helper function each.

use super::compare::{difference, matches_pattern, short};
use super::{CaseResult, CaseRunner, context, functions, result};
use model::{Object, Value};
use std::path::Path;

pub(super) fn run(runner: &CaseRunner<'_>, case: &Object, folder: Option<&Path>) -> CaseResult {
    let found = match case.get("function").and_then(Value::as_str) {
        Some(function) => functions::call(
            function,
            case.get("args").and_then(Value::as_array).unwrap_or_default(),
        ),
        None => context::evaluate(case, folder, &context::Instance::corpus(), runner.evaluator)
            .map_err(|error| error.to_string()),
    };
    result(case, judge(case, &found))
}

/// What is wrong with a result; nothing if it is as expected.
fn judge(case: &Object, found: &Result<Value, String>) -> Option<String> {
    if let Some(expected) = case.get("expectedError") {
        return match found {
            Ok(value) => {
                Some(format!("expected an error ({}), found {}", short(expected), short(value)))
            }
            Err(message) => {
                let fitting =
                    match (expected.as_str(), expected.get("$regex").and_then(Value::as_str)) {
                        (Some(part), _) => message.contains(part),
                        (None, Some(pattern)) => matches_pattern(pattern, message),
                        (None, None) => true,
                    };
                (!fitting)
                    .then(|| format!("expected the error {}, found '{message}'", short(expected)))
            }
        };
    }
    let expected = case.get("expected").unwrap_or(&Value::Undefined);
    let value = match found {
        Ok(value) => value,
        Err(message) => {
            return Some(format!("expected {}, found the error '{message}'", short(expected)));
        }
    };
    match case.get("match").and_then(Value::as_str) {
        Some("truthy") => {
            (!value.is_truthy()).then(|| format!("expected a truthy value, found {}", short(value)))
        }
        Some("falsy") => {
            value.is_truthy().then(|| format!("expected a falsy value, found {}", short(value)))
        }
        Some("subset") => {
            difference(&Object::from_iter([("$objectContaining", expected.clone())]).into(), value)
        }
        _ => difference(expected, value),
    }
}
