//! Schemas of small types, which are written out wherever the types are used.

use schemars::Schema;

/// Says what a type is in JSON.
macro_rules! inline_schema {
    ($type:ident, $schema:expr) => {
        impl schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $schema
            }
        }
    };
}

pub(super) use inline_schema;

/// A schema that says one thing more.
pub(super) fn with(mut schema: Schema, key: &str, value: impl Into<serde_json::Value>) -> Schema {
    schema.insert(key.into(), value.into());
    schema
}
