//! Data that only one model of one provider understands, with the names of both, so that no other
//! model gets it.

use model::{Object, Str, Value};
use node_api::ai::{ModelInfo, Opaque};

/// Packs data for the way back to the model that it came from.
pub(super) fn bind(info: &ModelInfo, data: Value) -> Opaque {
    let packed: Object =
        [("model", Value::String(info.model.clone())), ("data", data)].into_iter().collect();
    Opaque { provider: info.provider.clone(), data: packed.into() }
}

/// The data, if it is this model's.
pub(super) fn unbind<'a>(opaque: Option<&'a Opaque>, info: &ModelInfo) -> Option<&'a Value> {
    let opaque = opaque.filter(|opaque| opaque.provider == info.provider)?;
    let model = opaque.data.get("model").and_then(Value::as_str)?;
    if model == info.model { opaque.data.get("data") } else { None }
}

/// The text of a field; empty where there is none.
pub(super) fn text_of(value: &Value, field: &str) -> Str {
    match value.get(field) {
        Some(Value::String(text)) => text.clone(),
        _ => Str::new(),
    }
}
