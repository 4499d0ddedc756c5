//! Results of tools, in words that a model may read and within a limit.

use crate::error::ApiError;
use model::{Code, Items, Object, Value};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};

/// The text of one result. What is longer is cut, and says so.
pub(super) const MAX_RESULT_BYTES: usize = 256 << 10;

/// A request that no tool can answer.
pub(super) fn protocol_error(problem: impl Into<String>) -> ErrorData {
    ErrorData::internal_error(problem.into(), None)
}

pub(super) fn unknown_tool(name: &str) -> ErrorData {
    let name: String = name.chars().take(100).collect();
    ErrorData::invalid_params(format!("Unknown tool: {name}"), None)
}

pub(super) fn text(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(capped(text.into()))])
}

pub(super) fn failure(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(capped(text.into()))])
}

/// What went wrong, with its code and what to do about it.
pub(super) fn api_failure(error: &ApiError) -> CallToolResult {
    let hint = error.hint.as_ref().map(|hint| format!(" {hint}")).unwrap_or_default();
    failure(format!("{} ({}).{hint}", error.message.trim_end_matches('.'), error.code.name()))
}

/// An object, as data and as text.
pub(super) fn structured(value: &Value) -> CallToolResult {
    let words = model::json::to_string(value);
    if words.len() > MAX_RESULT_BYTES {
        return text(words);
    }
    let mut result = CallToolResult::success(vec![ContentBlock::text(words)]);
    result.structured_content = to_serde(value);
    result
}

/// The JSON of a list of items, as far as it fits; and how many there are.
pub(super) fn items_value(items: Option<&Items>) -> (Value, usize, bool) {
    let Some(items) = items else { return (Value::array(Vec::new()), 0, false) };
    let (mut shown, mut left) = (Vec::new(), MAX_RESULT_BYTES);
    for item in items.iter() {
        if !item.json.fits_within(&mut left) {
            return (Value::array(shown), items.len(), true);
        }
        shown.push(item.json);
    }
    (Value::array(shown), items.len(), false)
}

/// A value of ours in the form that the protocol's types have.
pub(super) fn to_serde(value: &Value) -> Option<serde_json::Value> {
    serde_json::to_value(value).ok()
}

pub(super) fn to_json_object(value: &Value) -> JsonObject {
    match to_serde(value) {
        Some(serde_json::Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}

/// The arguments of a call, in our form.
pub(super) fn arguments_of(given: Option<JsonObject>, length: usize) -> Result<Object, ApiError> {
    let Some(given) = given else { return Ok(Object::new()) };
    let unreadable =
        |problem: String| ApiError::new(Code::REQUEST_BODY, format!("The arguments: {problem}"));
    let read = compute::for_size(length, || model::to_value(&given))?;
    let value = read.map_err(|error| unreadable(error.to_string()))?;
    value.as_object().cloned().ok_or_else(|| unreadable("not an object".into()))
}

fn capped(mut text: String) -> String {
    let length = text.len();
    if length > MAX_RESULT_BYTES {
        let end = (0..=MAX_RESULT_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push_str(&format!("\n[cut: {end} of {length} bytes]"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Item, json};

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        let result = text("ä".repeat(MAX_RESULT_BYTES));
        let shown = result.content[0].as_text().unwrap().text.clone();
        assert!(shown.len() < MAX_RESULT_BYTES + 100);
        assert!(shown.ends_with(&format!("of {} bytes]", 2 * MAX_RESULT_BYTES)));
    }

    #[test]
    fn items_are_given_as_far_as_they_fit() {
        let item = |length: usize| Item::new(Object::from_iter([("a", "x".repeat(length))]));
        let few: Items = [item(1), item(2)].into_iter().collect();
        let (shown, n_items, is_cut) = items_value(Some(&few));
        assert_eq!((shown, n_items, is_cut), (json!([{ "a": "x" }, { "a": "xx" }]), 2, false));
        let many: Items = [item(10), item(MAX_RESULT_BYTES), item(10)].into_iter().collect();
        let (shown, n_items, is_cut) = items_value(Some(&many));
        assert_eq!((shown.as_array().unwrap().len(), n_items, is_cut), (1, 3, true));
        assert_eq!(items_value(None), (json!([]), 0, false));
    }
}
