//! The parameters behind `?`: read like the fields of a body, but from text.

use super::field_error::FieldError;
use super::read::read;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, MapAccess, Unexpected, Visitor,
};
use std::borrow::Cow;

/// Reads the parameters of an address. Of one that is given twice, the last counts.
pub(crate) fn read_query<T: DeserializeOwned>(query: &str) -> Result<T, FieldError> {
    let mut fields: Vec<Parameter<'_>> = Vec::new();
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        fields.retain(|(known, _)| *known != name);
        fields.push((name, text));
    }
    T::deserialize(MapAccessDeserializer::new(Parameters { fields: &fields, current: None }))
}

type Parameter<'a> = (Cow<'a, str>, Cow<'a, str>);

struct Parameters<'a> {
    fields: &'a [Parameter<'a>],
    current: Option<&'a Parameter<'a>>,
}

impl<'de> MapAccess<'de> for Parameters<'_> {
    type Error = FieldError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, FieldError> {
        let Some((first, rest)) = self.fields.split_first() else { return Ok(None) };
        (self.current, self.fields) = (Some(first), rest);
        seed.deserialize(StrDeserializer::new(&first.0)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, FieldError> {
        let (name, text) = self.current.ok_or_else(|| FieldError::new("has no value"))?;
        seed.deserialize(TextReader(text)).map_err(|error| error.within(name))
    }
}

/// The text of a parameter as a deserializer.
struct TextReader<'a>(&'a str);

impl<'de> Deserializer<'de> for TextReader<'_> {
    type Error = FieldError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        visitor.visit_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(FieldError::must_be("true or false")),
        }
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.0.parse() {
            Ok(number) => visitor.visit_u64(number),
            Err(_) => Err(de::Error::invalid_type(Unexpected::Other("text"), &visitor)),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.0.parse::<f64>() {
            Ok(number) if number.is_finite() => visitor.visit_f64(number),
            _ => Err(FieldError::must_be("a number")),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        visitor.visit_enum(StrDeserializer::new(self.0))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u128 f32 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct identifier ignored_any
    }
}

/// JSON as the text of a parameter.
#[derive(Debug)]
pub(crate) struct JsonText<T>(pub(crate) T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for JsonText<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = String::deserialize(input)?;
        let value = model::json::parse(&text).map_err(|_| de::Error::custom("is not JSON"))?;
        let read = read(&value);
        read.map(Self).map_err(|error| match error.path.is_empty() {
            true => de::Error::custom(error.problem),
            false => de::Error::custom(format_args!("is invalid: {error}")),
        })
    }
}

impl<T> JsonSchema for JsonText<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "JsonText".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cursor, PageLimit, Text, to_cursor};
    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "camelCase")]
    struct ThingQuery {
        #[serde(default)]
        limit: PageLimit,
        #[serde(default)]
        cursor: Cursor<i64>,
        include_data: Option<bool>,
        version: Option<f64>,
        kind: Option<ThingKind>,
        node: Text<1, 5>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "camelCase")]
    enum ThingKind {
        Small,
        Large,
    }

    #[test]
    fn parameters_are_read_from_their_text() {
        let cursor = to_cursor("-7");
        let query = format!("node=a&limit=250&cursor={cursor}&includeData=true&version=1.5");
        let read: ThingQuery = read_query(&query).unwrap();
        assert_eq!((read.limit.get(), read.cursor), (250, Cursor(Some(-7))));
        assert_eq!((read.include_data, read.version, read.kind), (Some(true), Some(1.5), None));
        let read: ThingQuery = read_query("cursor=&node=a%2B&node=b&kind=large").unwrap();
        assert_eq!((read.limit.get(), read.cursor), (100, Cursor(None)));
        assert_eq!((read.node.as_str(), read.kind), ("b", Some(ThingKind::Large)));
    }

    #[derive(Debug, Deserialize)]
    struct FilterQuery {
        filter: JsonText<Filter>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Filter {
        name: Text<1, 5>,
    }

    #[test]
    fn json_in_a_parameter_is_read_like_a_body() {
        let filter = |json: &str| {
            let text: String = form_urlencoded::byte_serialize(json.as_bytes()).collect();
            let read: Result<FilterQuery, FieldError> = read_query(&format!("filter={text}"));
            read.map(|read| read.filter.0.name).map_err(|error| error.to_string())
        };
        assert_eq!(filter(r#"{"name":"a"}"#).unwrap().as_str(), "a");
        assert_eq!(filter("{").unwrap_err(), "'filter' is not JSON");
        assert_eq!(filter("[]").unwrap_err(), "'filter' must be an object");
        assert_eq!(filter("{}").unwrap_err(), "'filter' is invalid: 'name' is missing");
    }

    #[test]
    fn a_parameter_that_does_not_fit_is_named() {
        for (query, problem) in [
            ("", "'node' is missing"),
            ("node=", "'node' must have 1 to 5 characters"),
            ("node=a&limit=0", "'limit' must be a whole number from 1 to 250"),
            ("node=a&limit=251", "'limit' must be a whole number from 1 to 250"),
            ("node=a&limit=", "'limit' must be a whole number from 1 to 250"),
            ("node=a&limit=1.0", "'limit' must be a whole number from 1 to 250"),
            ("node=a&cursor=x", "'cursor' must be a cursor returned by this list"),
            ("node=a&cursor=YQ", "'cursor' must be a cursor returned by this list"),
            ("node=a&includeData=1", "'includeData' must be true or false"),
            ("node=a&version=inf", "'version' must be a number"),
            ("node=a&kind=tiny", "'kind' must be small or large"),
        ] {
            assert_eq!(read_query::<ThingQuery>(query).unwrap_err().to_string(), problem);
        }
    }
}
