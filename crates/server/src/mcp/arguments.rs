//! The arguments of management tools, read as their types say, and the schemas made of those types.

use super::results::to_json_object;
use crate::error::ApiError;
use crate::wire;
use model::{Object, Value};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;

pub(super) fn read<T: DeserializeOwned>(arguments: &Object) -> Result<T, ApiError> {
    Ok(wire::read::read(&Value::from(arguments.clone()))?)
}

/// The JSON Schema of the arguments, without references.
pub(super) fn schema<T: JsonSchema>() -> JsonObject {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let mut schema = to_json_object(&model::to_value(&schema).unwrap_or_default());
    for key in ["$schema", "title", "description"] {
        schema.remove(key);
    }
    // What may be left out may not be `null`.
    let properties = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut);
    for property in properties.into_iter().flat_map(|properties| properties.values_mut()) {
        if let Some(serde_json::Value::Array(types)) = property.get_mut("type") {
            types.retain(|kind| kind != "null");
            if let [only] = types.as_slice() {
                property["type"] = only.clone();
            }
        }
    }
    schema
}
