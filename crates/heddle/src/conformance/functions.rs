//! Helper functions that cases call by their names in n8n, and what does the same here.

use model::Value;

/// Calls a function; an unknown name is an error.
pub(crate) fn call(function: &str, arguments: &[Value]) -> Result<Value, String> {
    let _ = arguments;
    Err(format!("there is no function '{function}' here"))
}
