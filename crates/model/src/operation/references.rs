//! Where a node's parameters mention other nodes: in expressions and in code, nowhere else.

use crate::rename::{rename_all, rename_in_template};
use crate::{Object, Str, Value};
use std::sync::Arc;

type NewName<'a> = &'a dyn Fn(&str) -> Option<Str>;

/// Follows new names in the parameters of a node.
pub(super) fn rename(fields: &mut Object, new_name: NewName<'_>) {
    if let Some(parameters) = fields.get_mut("parameters")
        && let Some(renamed) = renamed(parameters, "", "", new_name)
    {
        *parameters = renamed;
    }
}

/// Like [`rename`]; a node in which nothing changes stays shared.
pub(super) fn rename_in_node(node: &mut Value, new_name: NewName<'_>) {
    let change =
        node.get("parameters").and_then(|parameters| renamed(parameters, "", "", new_name));
    if let Some(change) = change {
        node.make_object().insert("parameters", change);
    }
}

/// The value with new names in it; `None` if it has none. `outer` is the key of the object that
/// `key` stands in.
fn renamed(value: &Value, outer: &str, key: &str, new_name: NewName<'_>) -> Option<Value> {
    match value {
        Value::String(text) if is_code(outer, key) => rename_all(text, new_name).map(Value::String),
        // The HTML of a template is evaluated without a leading `=`.
        Value::String(text) if text.starts_with('=') || key == "html" => {
            rename_in_template(text, new_name).map(Value::String)
        }
        Value::Array(values) => {
            let mut changed: Option<Arc<Vec<Value>>> = None;
            for (at, element) in values.iter().enumerate() {
                if let Some(element) = renamed(element, outer, key, new_name) {
                    Arc::make_mut(changed.get_or_insert_with(|| values.clone()))[at] = element;
                }
            }
            changed.map(Value::Array)
        }
        Value::Object(object) => {
            let mut changed: Option<Arc<Object>> = None;
            for (name, field) in object.iter() {
                if let Some(field) = renamed(field, key, name, new_name) {
                    Arc::make_mut(changed.get_or_insert_with(|| object.clone()))
                        .insert(name.clone(), field);
                }
            }
            changed.map(Value::Object)
        }
        _ => None,
    }
}

/// Parameters whose whole text is JavaScript.
fn is_code(outer: &str, key: &str) -> bool {
    matches!(key, "jsCode" | "functionCode")
        || (key == "code" && matches!(outer, "execute" | "supplyData"))
}
