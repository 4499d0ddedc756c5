//! The schemas of the types, in the form of OpenAPI 3.0.

use super::optional::MAY_BE_NULL;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

const PREFIX: &str = "#/components/schemas/";

/// A type of the API, as the table of operations names it.
pub(crate) type WireType = fn(&mut SchemaGenerator) -> Schema;

/// The schema of a type, or a reference to it.
pub(crate) fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// A parameter of an address, as its type describes it.
pub(crate) struct QueryParam {
    pub(crate) name: String,
    pub(crate) is_required: bool,
    pub(crate) description: Option<Value>,
    pub(crate) schema: Value,
}

/// The parameters that a type describes.
pub(crate) type QueryType = fn() -> Vec<QueryParam>;

pub(crate) fn query_params<T: JsonSchema>() -> Vec<QueryParam> {
    let inline = |settings: &mut SchemaSettings| settings.inline_subschemas = true;
    let settings = SchemaSettings::openapi3().for_deserialize().with(inline);
    let schema = finished(settings.into_generator().into_root_schema_for::<T>().to_value());
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object).cloned();
    let param = |(name, mut schema): (String, Value)| QueryParam {
        is_required: required.iter().any(|required| *required == name),
        description: schema.as_object_mut().and_then(|fields| fields.remove("description")),
        name,
        schema,
    };
    properties.into_iter().flatten().map(param).collect()
}

/// Collects the types that are used, and gives their schemas by name.
pub(crate) struct Components {
    requests: SchemaGenerator,
    responses: SchemaGenerator,
}

impl Components {
    pub(crate) fn new() -> Self {
        Self {
            requests: SchemaSettings::openapi3().for_deserialize().into_generator(),
            responses: SchemaSettings::openapi3().for_serialize().into_generator(),
        }
    }

    /// What a request brings.
    pub(crate) fn request(&mut self, schema: WireType) -> Value {
        finished(schema(&mut self.requests).to_value())
    }

    /// What a response or an event says.
    pub(crate) fn response(&mut self, schema: WireType) -> Value {
        finished(schema(&mut self.responses).to_value())
    }

    /// All named schemas, by name.
    pub(crate) fn into_schemas(mut self) -> Map<String, Value> {
        let requests = self.requests.take_definitions(true);
        let responses = self.responses.take_definitions(true);
        let mut named: Vec<(String, Value)> = requests
            .into_iter()
            .chain(responses)
            .map(|(name, schema)| (component_name(&name), finished(schema)))
            .collect();
        named.sort_by(|(one, _), (other, _)| one.cmp(other));
        named.into_iter().collect()
    }
}

/// `ExecutionOutline` is called `executionOutline`.
fn component_name(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

fn finished(mut schema: Value) -> Value {
    finish(&mut schema);
    schema
}

fn finish(schema: &mut Value) {
    match schema {
        Value::Array(parts) => parts.iter_mut().for_each(finish),
        Value::Object(fields) => {
            fields.values_mut().for_each(finish);
            if let Some(Value::String(reference)) = fields.get_mut("$ref") {
                let name = reference.strip_prefix(PREFIX).map(component_name);
                *reference = name.map_or_else(String::new, |name| format!("{PREFIX}{name}"));
            }
            // JSON has one kind of number; the width of ours is no promise.
            if matches!(fields.get("type"), Some(Value::String(kind)) if kind == "integer" || kind == "number")
            {
                fields.remove("format");
            }
            if fields.get("default") == Some(&Value::Null) {
                fields.remove("default");
            }
            join_null(fields);
            finish_properties(fields);
        }
        _ => {}
    }
}

/// A reference that may be `null` is written with `nullable`, as other schemas are.
fn join_null(fields: &mut Map<String, Value>) {
    let null = json!({ "enum": [null], "nullable": true });
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf")
        && let [_, second] = choices.as_slice()
        && *second == null
    {
        choices.truncate(1);
        let only = std::mem::take(choices);
        fields.remove("anyOf");
        fields.insert("allOf".into(), only.into());
        fields.insert("nullable".into(), true.into());
    }
    if fields.get("nullable") == Some(&Value::Bool(true))
        && let Some(Value::Array(choices)) = fields.get_mut("enum")
        && choices.len() > 1
    {
        choices.retain(|choice| !choice.is_null());
    }
}

/// A field that may be absent is never `null`, unless it says so.
fn finish_properties(fields: &mut Map<String, Value>) {
    let required = fields.get("required").cloned().unwrap_or_default();
    let is_required =
        |name: &str| required.as_array().is_some_and(|names| names.iter().any(|one| one == name));
    let Some(Value::Object(properties)) = fields.get_mut("properties") else { return };
    for (name, property) in properties {
        let Value::Object(property) = property else { continue };
        if property.remove(MAY_BE_NULL).is_none() && !is_required(name) {
            property.remove("nullable");
        }
        if !property.contains_key("nullable")
            && property.len() == 1
            && let Some(Value::Array(parts)) = property.get_mut("allOf")
            && let Some(Value::Object(only)) = parts.first_mut().map(Value::take)
        {
            *property = only;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Nullable, Page, Timestamp};
    use super::*;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Thing {
        made_at: Timestamp,
        parent: Option<Box<Thing>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        size: Option<u32>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is of interest")]
    struct ThingInput {
        name: Option<String>,
        #[serde(default)]
        folder: Nullable<String>,
        place: Nullable<String>,
    }

    #[test]
    fn absent_and_null_are_told_apart() {
        let mut components = Components::new();
        let list = components.response(schema_of::<Page<Thing>>);
        assert_eq!(list, json!({ "$ref": "#/components/schemas/thingList" }));
        components.request(schema_of::<ThingInput>);
        let schemas = components.into_schemas();
        let thing = &schemas["thing"];
        assert_eq!(thing["required"], json!(["madeAt", "parent"]));
        let parent =
            json!({ "allOf": [{ "$ref": "#/components/schemas/thing" }], "nullable": true });
        assert_eq!(thing["properties"]["parent"], parent);
        assert_eq!(thing["properties"]["size"], json!({ "type": "integer", "minimum": 0 }));
        let input = &schemas["thingInput"];
        assert_eq!(input["required"], json!(["place"]));
        assert_eq!(input["properties"]["name"], json!({ "type": "string" }));
        assert_eq!(input["properties"]["folder"], json!({ "type": "string", "nullable": true }));
    }
}
