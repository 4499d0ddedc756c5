//! Between [`Value`] and Rust structs, through serde.

use crate::{Object, Str, Value};
use serde::de::{self, DeserializeOwned, IntoDeserializer, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Reads a struct out of a value; `null` and missing fields are told apart as serde does it.
pub fn from_value<T: DeserializeOwned>(value: &Value) -> Result<T, de::value::Error> {
    T::deserialize(Ref(value))
}

/// Turns anything serialisable into a value.
pub fn to_value<T: Serialize>(value: &T) -> Result<Value, serde_json::Error> {
    serde_json::to_value(value).map(Value::from)
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Undefined | Value::Null => out.serialize_unit(),
            Value::Bool(flag) => out.serialize_bool(*flag),
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                out.serialize_i64(*number as i64)
            }
            Value::Number(number) if number.is_finite() => out.serialize_f64(*number),
            Value::Number(_) => out.serialize_unit(),
            Value::String(text) => out.serialize_str(text),
            Value::Date(date) => out.serialize_str(&date.iso),
            Value::Array(values) => {
                let mut sequence = out.serialize_seq(Some(values.len()))?;
                for value in values.iter() {
                    sequence.serialize_element(value)?;
                }
                sequence.end()
            }
            Value::Object(object) => object.serialize(out),
        }
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(None)?;
        for (key, value) in self.iter().filter(|(_, value)| !value.is_undefined()) {
            map.serialize_entry(key.as_str(), value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(ValueVisitor)
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        match Value::deserialize(input)? {
            Value::Object(object) => Ok(std::sync::Arc::unwrap_or_clone(object)),
            other => Err(de::Error::custom(format_args!(
                "expected an object, found {}",
                other.kind_name()
            ))),
        }
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a JSON value")
    }
    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Bool(flag))
    }
    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Number(number as f64))
    }
    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Number(number as f64))
    }
    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Number(number))
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Undefined)
    }
    fn visit_some<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        Value::deserialize(input)
    }
    fn visit_seq<A: de::SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = sequence.next_element()? {
            values.push(value);
        }
        Ok(Value::array(values))
    }
    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Object::new();
        while let Some((key, value)) = map.next_entry::<String, Value>()? {
            object.insert(key, value);
        }
        Ok(Value::object(object))
    }
}

/// A borrowed value as a deserializer.
struct Ref<'a>(&'a Value);

impl<'de> Deserializer<'de> for Ref<'_> {
    type Error = de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Undefined => visitor.visit_none(),
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                visitor.visit_i64(*number as i64)
            }
            Value::Number(number) => visitor.visit_f64(*number),
            Value::String(text) => visitor.visit_str(text),
            Value::Date(date) => visitor.visit_str(&date.iso),
            Value::Array(values) => {
                visitor.visit_seq(de::value::SeqDeserializer::new(values.iter().map(Ref)))
            }
            Value::Object(object) => {
                let fields = object.iter().filter(|(_, value)| !value.is_undefined());
                visitor.visit_map(de::value::MapDeserializer::new(
                    fields.map(|(key, value)| (KeyDeserializer(key), Ref(value))),
                ))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        if self.0.is_nullish() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::String(text) => visitor.visit_enum(text.as_str().into_deserializer()),
            Value::Object(object) => {
                let fields = object.iter().map(|(key, value)| (KeyDeserializer(key), Ref(value)));
                visitor.visit_enum(de::value::MapAccessDeserializer::new(
                    de::value::MapDeserializer::new(fields),
                ))
            }
            other => Err(de::Error::custom(format_args!(
                "expected one of the options, found {}",
                other.kind_name()
            ))),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl IntoDeserializer<'_> for Ref<'_> {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

struct KeyDeserializer<'a>(&'a Str);

impl<'a> IntoDeserializer<'_> for KeyDeserializer<'a> {
    type Deserializer = de::value::StrDeserializer<'a, de::value::Error>;
    fn into_deserializer(self) -> Self::Deserializer {
        self.0.as_str().into_deserializer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[derive(Deserialize, Debug, PartialEq)]
    #[serde(rename_all = "camelCase")]
    struct TestParams {
        max_items: usize,
        keep: TestKeep,
        note: Option<String>,
    }

    #[derive(Deserialize, Debug, PartialEq)]
    #[serde(rename_all = "camelCase")]
    enum TestKeep {
        FirstItems,
    }

    #[test]
    fn a_struct_is_read_from_a_value() {
        let params: TestParams =
            from_value(&json!({ "maxItems": 3, "keep": "firstItems", "note": null })).unwrap();
        assert_eq!(params, TestParams { max_items: 3, keep: TestKeep::FirstItems, note: None });
        assert!(
            from_value::<TestParams>(&json!({ "maxItems": -1, "keep": "firstItems" })).is_err()
        );
    }
}
