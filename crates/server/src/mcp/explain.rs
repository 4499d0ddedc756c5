//! Says why an execution failed or waits, with all that is needed to repair the workflow.

use super::api_tools::{ToolContext, pick};
use super::arguments::read;
use super::results::structured;
use super::run_tools::{error_fields, items_of, outline, summary};
use crate::api::ApiRequest;
use crate::error::ApiError;
use crate::wire::mcp as wire;
use model::{Code, Object, Str, Value};
use rmcp::model::CallToolResult;

/// Items of the failing step that are shown.
const SHOWN_ITEMS: u64 = 3;

/// What one item takes in the explanation; a larger one is shown by its fields.
const MAX_ITEM_BYTES: usize = 4 << 10;

/// What one text of an item takes that is too large.
const MAX_TEXT: usize = 200;

pub(super) async fn explain(
    context: ToolContext<'_>,
    arguments: Object,
) -> Result<CallToolResult, ApiError> {
    let wire::ExecutionTool { id } = read(&arguments)?;
    let outline = outline(context, &id).await?;
    let mut told = summary(&outline);
    let failed = failing_step(&outline);
    if let Some((node, error)) = &failed {
        let mut step = Object::from_iter([("node", Value::from(node.clone()))]);
        if let Some(error) = error {
            let fields = error_fields(error);
            if let Some(code) = fields.get("code").and_then(Value::as_str) {
                told.insert("errorPage", format!("docs/errors/{code}.md"));
                if let Some(code) = Code::from_name(code) {
                    told.insert("meaning", code.summary());
                }
            }
            step.insert("error", fields);
        }
        if let Some(found) = node_in_document(context, &id, node).await? {
            step.extend(pick(&found, &["type", "typeVersion", "parameters"]));
        }
        // A step that failed before it was fed has no input.
        if let Ok(page) = items_of(context, &id, node, "input", SHOWN_ITEMS).await {
            let items = page.get("items").or_else(|| page.get("data"));
            let items = items.and_then(Value::as_array).unwrap_or_default();
            step.insert("input", items.iter().map(trimmed).collect::<Vec<_>>());
            if let Some(total) = page.get("total") {
                step.insert("inputItems", total.clone());
            }
        }
        told.insert("failedAt", step);
    }
    told.insert("explanation", words(&told, failed.as_ref().map(|(node, _)| node)));
    Ok(structured(&told.into()))
}

/// The step that failed, or the one at which a run stands.
fn failing_step(outline: &Value) -> Option<(Str, Option<Value>)> {
    let error = outline.get("error").filter(|error| error.is_object());
    let nodes = outline.get("nodes").and_then(Value::as_object);
    let runs = || {
        nodes.into_iter().flat_map(Object::iter).flat_map(|(node, runs)| {
            runs.as_array().unwrap_or_default().iter().map(move |run| (node, run))
        })
    };
    let place = |run: &Value| run.get("executionIndex").and_then(Value::as_f64).unwrap_or(-1.0);
    let last = |status: &str| {
        runs()
            .filter(|(_, run)| run.get("status").and_then(Value::as_str) == Some(status))
            .max_by(|(_, one), (_, other)| place(one).total_cmp(&place(other)))
    };
    let named = error.and_then(|error| {
        let node = error.get("node")?;
        node.get("name").unwrap_or(node).as_str().map(Str::from)
    });
    if let Some(node) = named {
        return Some((node, error.cloned()));
    }
    if let Some((node, run)) = last("error") {
        return Some((node.clone(), run.get("error").or(error).cloned()));
    }
    last("waiting").or_else(|| last("running")).map(|(node, _)| (node.clone(), error.cloned()))
}

/// A node as the execution ran it.
async fn node_in_document(
    context: ToolContext<'_>,
    id: &str,
    node: &str,
) -> Result<Option<Value>, ApiError> {
    let request = ApiRequest::get("/executions").segment(id).segment("document");
    let document = match context.send(request).await {
        Ok(document) => document,
        // It is not kept any more.
        Err(error) if error.code == Code::NOT_FOUND => return Ok(None),
        Err(error) => return Err(error),
    };
    let nodes = document
        .get_path("workflow.nodes")
        .or_else(|| document.get("nodes"))
        .and_then(Value::as_array)
        .unwrap_or_default();
    let is_it = |found: &&Value| found.get("name").and_then(Value::as_str) == Some(node);
    Ok(nodes.iter().find(is_it).cloned())
}

/// An item without what makes it large.
fn trimmed(item: &Value) -> Value {
    let json = item.get("json").unwrap_or(item);
    let mut left = MAX_ITEM_BYTES;
    if json.fits_within(&mut left) {
        return json.clone();
    }
    let Some(fields) = json.as_object() else { return cut(json) };
    let mut shown = Object::new();
    let mut left = MAX_ITEM_BYTES;
    for (key, value) in fields.iter() {
        let value = cut(value);
        if !value.fits_within(&mut left) {
            shown.insert("…", format!("{} fields in all", fields.len()));
            break;
        }
        shown.insert(key.clone(), value);
    }
    shown.into()
}

fn cut(value: &Value) -> Value {
    let mut left = MAX_TEXT;
    match value {
        value if value.fits_within(&mut left) => value.clone(),
        Value::String(text) => {
            format!("{}… ({} bytes)", text.chars().take(MAX_TEXT).collect::<String>(), text.len())
                .into()
        }
        Value::Array(values) => format!("[list of {}]", values.len()).into(),
        Value::Object(fields) => format!("{{object with {} fields}}", fields.len()).into(),
        other => other.clone(),
    }
}

/// The same in one sentence or two.
fn words(told: &Object, node: Option<&Str>) -> String {
    let text = |key: &str| told.get(key).and_then(Value::as_str).unwrap_or_default();
    let at = node.map(|node| format!(" at '{node}'")).unwrap_or_default();
    let of_error = |key: &str| {
        let step = told.get("failedAt").and_then(|step| step.get("error"));
        step.or_else(|| told.get("error"))
            .and_then(|error| error.get(key))
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    match text("status") {
        "success" => "The execution succeeded.".to_owned(),
        "waiting" => format!("The execution waits{at}."),
        "running" => format!("The execution is running{at}."),
        status => {
            let (message, hint) = (of_error("message"), of_error("hint"));
            let code = of_error("code");
            let code = if code.is_empty() { String::new() } else { format!(" ({code})") };
            format!("The execution ended with '{status}'{at}{code}. {message} {hint}")
                .trim()
                .to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn the_step_that_failed_last_is_the_one_to_look_at() {
        let outline = json!({ "error": { "message": "no" }, "nodes": {
            "A": [{ "executionIndex": 0, "status": "success" }],
            "B": [{ "executionIndex": 1, "status": "error", "error": { "message": "first" } }],
            "C": [{ "executionIndex": 2, "status": "error", "error": { "message": "last" } }] } });
        let (node, error) = failing_step(&outline).unwrap();
        assert_eq!((node.as_str(), error), ("C", Some(json!({ "message": "last" }))));
        assert_eq!(failing_step(&json!({ "nodes": {} })), None);
    }

    #[test]
    fn a_large_item_is_shown_by_its_fields() {
        let item = json!({ "json": { "id": 7, "text": ("x".repeat(10_000)), "list": [1, 2] } });
        let shown = trimmed(&item);
        assert_eq!(shown.get("id"), Some(&json!(7)));
        assert!(shown.get("text").unwrap().as_str().unwrap().ends_with("(10000 bytes)"));
        let mut left = MAX_ITEM_BYTES;
        assert!(shown.fits_within(&mut left));
    }

    #[test]
    fn a_failure_is_told_with_its_code_and_hint() {
        let told = json!({ "status": "error", "error": { "message": "It broke.", "code": "NODE_FAILED", "hint": "Fix it." } });
        let told = told.as_object().unwrap();
        let expected = "The execution ended with 'error' at 'B' (NODE_FAILED). It broke. Fix it.";
        assert_eq!(words(told, Some(&"B".into())), expected);
    }
}
