//! Fields of requests that may be `null`.

use super::Echoed;
use super::inline::inline_schema;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use std::borrow::Cow;

/// Marks a field that may be absent and may be `null`; removed from the finished schema.
pub(super) const MAY_BE_NULL: &str = "x-may-be-null";

/// A field of a request that may be absent and may be `null`, which are the same.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename = "Nullable")]
pub(crate) struct Nullable<T>(pub(crate) Option<T>);

/// The name by which the reader of a request knows where `null` is allowed.
pub(super) const NULLABLE: &str = "Nullable";

impl<T> Default for Nullable<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: JsonSchema> JsonSchema for Nullable<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Nullable{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Option::<T>::json_schema(generator);
        schema.insert(MAY_BE_NULL.into(), true.into());
        schema
    }
}

/// A field of a change: left as it is, removed, or set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Patch<T> {
    #[default]
    Absent,
    Null,
    Value(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        Nullable::deserialize(input).map(|Nullable(value)| value.map_or(Self::Null, Self::Value))
    }
}

impl<T: JsonSchema> JsonSchema for Patch<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Patch{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Nullable::<T>::json_schema(generator)
    }
}

/// A field that is known and cannot be set: it may be `null`.
pub(crate) struct OnlyNull;

impl<'de> Deserialize<'de> for OnlyNull {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        match Nullable::<Echoed>::deserialize(input)? {
            Nullable(None) => Ok(Self),
            Nullable(Some(Echoed)) => Err(de::Error::custom("must be null")),
        }
    }
}

inline_schema!(OnlyNull, json_schema!({ "nullable": true, MAY_BE_NULL: true }));
