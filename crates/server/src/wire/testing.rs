//! What tests of small types ask: what is wrong with a value, and how a type is described.

use super::read::read;
use model::Value;
use schemars::{JsonSchema, SchemaGenerator};
use serde::de::DeserializeOwned;

pub(super) fn problem<T: DeserializeOwned>(value: Value) -> Option<String> {
    read::<T>(&value).err().map(|error| error.problem)
}

pub(super) fn schema<T: JsonSchema>() -> serde_json::Value {
    SchemaGenerator::default().into_root_schema_for::<T>().to_value()
}
