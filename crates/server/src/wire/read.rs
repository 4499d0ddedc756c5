//! Reads the types of requests from JSON that is already parsed. What does not fit is refused with
//! the name of its field, and nothing is converted: `"1"` is not `1`, and an absent field is not
//! `null`. No error repeats a value, which may be a secret.

use super::field_error::FieldError;
use super::json::{PASSED_VALUE, pass_value};
use super::optional::NULLABLE;
use model::{Object, Str, Value};
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer as _, Unexpected,
    Visitor,
};

/// Reads a request body, or a part of one.
pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> Result<T, FieldError> {
    T::deserialize(ValueReader { value, may_be_null: false })
}

/// A value as a deserializer.
struct ValueReader<'a> {
    value: &'a Value,
    may_be_null: bool,
}

impl<'a> ValueReader<'a> {
    fn new(value: &'a Value) -> Self {
        Self { value, may_be_null: false }
    }

    fn refuse<'de, V: Visitor<'de>>(&self, visitor: &V) -> FieldError {
        de::Error::invalid_type(Unexpected::Other(self.value.kind_name()), visitor)
    }
}

impl<'de> Deserializer<'de> for ValueReader<'_> {
    type Error = FieldError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.value {
            Value::Undefined | Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(*flag),
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                visitor.visit_i64(*number as i64)
            }
            Value::Number(number) => visitor.visit_f64(*number),
            Value::String(text) => visitor.visit_str(text),
            Value::Date(date) => visitor.visit_str(&date.iso),
            Value::Array(values) => visitor.visit_seq(List { values, next: 0 }),
            Value::Object(fields) => visitor.visit_map(Fields::new(fields)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.value {
            Value::Bool(flag) => visitor.visit_bool(*flag),
            _ => Err(FieldError::must_be("true or false")),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.value {
            Value::Number(number) => visitor.visit_f64(*number),
            _ => Err(FieldError::must_be("a number")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.value {
            Value::String(text) => visitor.visit_str(text),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.value {
            Value::Array(values) => visitor.visit_seq(List { values, next: 0 }),
            _ => Err(FieldError::must_be("a list")),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.value {
            Value::Object(fields) => visitor.visit_map(Fields::new(fields)),
            _ => Err(FieldError::must_be("an object")),
        }
    }

    /// Only from an object: serde would also take the fields of a struct from a list.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        match self.value.as_str() {
            Some(text) => visitor.visit_enum(text.into_deserializer()),
            None => Err(FieldError::must_be_one_of(words)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        match self.value {
            Value::Null if self.may_be_null => visitor.visit_none(),
            value => visitor.visit_some(ValueReader::new(value)),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, FieldError> {
        match name {
            NULLABLE => visitor.visit_newtype_struct(ValueReader { may_be_null: true, ..self }),
            PASSED_VALUE => {
                pass_value(self.value.clone());
                visitor.visit_unit()
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldError> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char bytes byte_buf unit unit_struct tuple
        tuple_struct identifier
    }
}

struct List<'a> {
    values: &'a [Value],
    next: usize,
}

impl<'de> de::SeqAccess<'de> for List<'_> {
    type Error = FieldError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, FieldError> {
        let Some(value) = self.values.get(self.next) else { return Ok(None) };
        let index = self.next;
        self.next += 1;
        let read = seed.deserialize(ValueReader::new(value));
        read.map(Some).map_err(|error| error.within(format_args!("[{index}]")))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.values.len() - self.next)
    }
}

struct Fields<'a, I> {
    fields: I,
    current: Option<(&'a Str, &'a Value)>,
}

impl<'a> Fields<'a, ()> {
    fn new(fields: &'a Object) -> Fields<'a, impl Iterator<Item = (&'a Str, &'a Value)>> {
        Fields { fields: fields.iter(), current: None }
    }
}

impl<'a, 'de, I: Iterator<Item = (&'a Str, &'a Value)>> de::MapAccess<'de> for Fields<'a, I> {
    type Error = FieldError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, FieldError> {
        self.current = self.fields.next();
        let Some((key, _)) = self.current else { return Ok(None) };
        seed.deserialize(StrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, FieldError> {
        let (key, value) = self.current.ok_or_else(|| FieldError::new("has no value"))?;
        seed.deserialize(ValueReader::new(value)).map_err(|error| error.within(key))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BoundedInt, JsonObject, Nullable, Patch, Text};
    use super::*;
    use model::json;
    use serde::Deserialize;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Thing {
        name: Text<1, 5>,
        size: Option<BoundedInt<1, 9>>,
        #[serde(default)]
        parent_id: Patch<Text<1, 5>>,
        #[serde(default)]
        note: Nullable<Text<0, 5>>,
        #[serde(default)]
        parts: Vec<Part>,
        #[serde(default)]
        is_new: bool,
        data: Option<JsonObject>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Part {
        kind: Kind,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "camelCase")]
    enum Kind {
        Small,
        Large,
        Huge,
    }

    fn refused(value: Value) -> String {
        read::<Thing>(&value).unwrap_err().to_string()
    }

    #[test]
    fn a_type_is_read_and_its_json_is_shared() {
        let sent = json!({ "name": "a", "size": 9, "parts": [{ "kind": "large" }], "isNew": true,
            "data": { "x": [1, null] } });
        let thing: Thing = read(&sent).unwrap();
        assert_eq!(thing.size.map(|size| size.get()), Some(9));
        assert_eq!(thing.parts, [Part { kind: Kind::Large }]);
        assert!(thing.is_new);
        let data = thing.data.unwrap().0;
        assert_eq!(Some(&data), sent.get("data"));
        match (&data, sent.get("data")) {
            (Value::Object(read), Some(Value::Object(sent))) => {
                assert!(std::sync::Arc::ptr_eq(read, sent));
            }
            _ => panic!("not an object"),
        }
    }

    #[test]
    fn an_error_names_the_field_and_what_it_must_be() {
        for (value, problem) in [
            (json!([]), "'' must be an object"),
            (json!({}), "'name' is missing"),
            (json!({ "name": 1 }), "'name' must be a string"),
            (json!({ "name": "a", "other": "b" }), "'other' is not a field that can be set here"),
            (json!({ "name": "a", "size": "1" }), "'size' must be a whole number from 1 to 9"),
            (json!({ "name": "a", "size": 1.5 }), "'size' must be a whole number from 1 to 9"),
            (json!({ "name": "a", "isNew": 1 }), "'isNew' must be true or false"),
            (json!({ "name": "a", "isNew": "true" }), "'isNew' must be true or false"),
            (json!({ "name": "a", "parts": {} }), "'parts' must be a list"),
            (json!({ "name": "a", "parts": [["small"]] }), "'parts[0]' must be an object"),
            (json!({ "name": "a", "parts": [{}] }), "'parts[0].kind' is missing"),
            (
                json!({ "name": "a", "parts": [{ "kind": "small" }, { "kind": "tiny" }] }),
                "'parts[1].kind' must be small, large or huge",
            ),
            (
                json!({ "name": "a", "parts": [{ "kind": 1 }] }),
                "'parts[0].kind' must be small, large or huge",
            ),
            (json!({ "name": "a", "data": [] }), "'data' must be an object"),
        ] {
            assert_eq!(refused(value), problem);
        }
    }

    #[test]
    fn null_is_only_read_where_it_means_something() {
        assert_eq!(
            refused(json!({ "name": "a", "size": null })),
            "'size' must be a whole number from 1 to 9"
        );
        assert_eq!(refused(json!({ "name": "a", "data": null })), "'data' must be an object");
        let parent = |value: Value| read::<Thing>(&value).unwrap().parent_id;
        assert_eq!(parent(json!({ "name": "a" })), Patch::Absent);
        assert_eq!(parent(json!({ "name": "a", "parentId": null })), Patch::Null);
        assert!(matches!(parent(json!({ "name": "a", "parentId": "p" })), Patch::Value(_)));
        assert_eq!(refused(json!({ "name": "a", "parentId": 1 })), "'parentId' must be a string");
        let note = |value: Value| read::<Thing>(&value).unwrap().note.0;
        assert_eq!(note(json!({ "name": "a", "note": null })), None);
        assert!(note(json!({ "name": "a", "note": "n" })).is_some());
    }

    #[test]
    fn an_error_never_repeats_a_value() {
        for value in [json!("secret"), json!(["secret"]), json!({ "secret": 1 })] {
            let error = refused(json!({ "name": (value) }));
            assert!(!error.contains("secret"), "{error}");
        }
        let error = refused(json!({ "name": "secret word" }));
        assert_eq!(error, "'name' must have 1 to 5 characters");
    }
}
