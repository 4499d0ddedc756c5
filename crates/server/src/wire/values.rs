//! The values that the types of the API are made of.

use super::inline::inline_schema;
use super::text::parse_text;
use model::Value;
use schemars::json_schema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A moment, in milliseconds since 1970; ISO 8601 in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timestamp(pub(crate) i64);

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(time) => out.collect_str(&format_args!("{time:.3}")),
            Err(_) => out.serialize_unit(),
        }
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        parse_text(input, "a time such as 2026-01-31T12:00:00Z", |text| {
            text.parse::<jiff::Timestamp>().ok().map(|time| Self(time.as_millisecond()))
        })
    }
}

inline_schema!(Timestamp, json_schema!({ "type": "string", "format": "date-time" }));

/// The id of an execution: a number here, text in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExecutionId(pub(crate) i64);

impl Serialize for ExecutionId {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ExecutionId {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        parse_text(input, "an execution ID", |text| text.parse().ok().map(Self))
    }
}

inline_schema!(ExecutionId, json_schema!({ "type": "string" }));

/// A number as JavaScript writes it: without a fraction where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Number(pub(crate) f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        Value::Number(self.0).serialize(out)
    }
}

inline_schema!(Number, json_schema!({ "type": "number" }));
