//! JSON that the API does not look into: workflow documents, the data of items, and what is sent
//! back unused.

use super::inline::inline_schema;
use model::{Object, Value};
use schemars::json_schema;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

/// Any JSON: workflow documents and the data of items are opaque to the API.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Json(pub(crate) Value);

/// The name by which [`Json`] asks the reader of a request for a value as it is: serde would have
/// it copied piece by piece, and bodies may be large.
pub(super) const PASSED_VALUE: &str = "wire::Json";

thread_local! {
    static PASSED: Cell<Option<Value>> = const { Cell::new(None) };
}

/// Hands a value to the [`Json`] that has asked for it.
pub(super) fn pass_value(value: Value) {
    PASSED.set(Some(value));
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_newtype_struct(PASSED_VALUE, JsonVisitor).map(Self)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(PASSED.take().unwrap_or(Value::Null))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        Value::deserialize(input)
    }
}

inline_schema!(Json, json_schema!({}));

/// Any JSON object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct JsonObject(pub(crate) Value);

impl JsonObject {
    pub(crate) fn into_object(self) -> Object {
        match self.0 {
            Value::Object(fields) => Arc::unwrap_or_clone(fields),
            _ => Object::new(),
        }
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        match Json::deserialize(input)? {
            Json(value) if value.is_object() => Ok(Self(value)),
            _ => Err(de::Error::custom("must be an object")),
        }
    }
}

inline_schema!(JsonObject, json_schema!({ "type": "object" }));

/// The nodes of a workflow document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct JsonNodes(pub(crate) Value);

impl<'de> Deserialize<'de> for JsonNodes {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let Json(value) = Json::deserialize(input)?;
        match value.as_array() {
            Some(nodes) if nodes.iter().all(Value::is_object) => Ok(Self(value)),
            Some(_) => Err(de::Error::custom("contains a value that is not an object")),
            None => Err(de::Error::custom("must be a list")),
        }
    }
}

inline_schema!(JsonNodes, json_schema!({ "type": "array", "items": { "type": "object" } }));

/// What a client got and sends back; it is taken and not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Echoed;

impl<'de> Deserialize<'de> for Echoed {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        de::IgnoredAny::deserialize(input).map(|_| Self)
    }
}

inline_schema!(Echoed, json_schema!({}));
