//! Texts, numbers and lists whose limits are part of their type: what is checked when a request is
//! read is what its description says.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// A limit that is none.
pub(crate) const UNLIMITED: usize = usize::MAX;
pub(crate) const ANY_NUMBER: u64 = u64::MAX;

/// A text of at least `MIN` characters and at most `MAX` bytes that the database can store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Text<const MIN: usize, const MAX: usize>(String);

/// The id of something that is stored.
pub(crate) type Id = Text<1, 100>;

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

impl<const MIN: usize, const MAX: usize> Deref for Text<MIN, MAX> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const MIN: usize, const MAX: usize> From<Text<MIN, MAX>> for model::Str {
    fn from(text: Text<MIN, MAX>) -> Self {
        text.0.into()
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Text<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_str(TextVisitor::<MIN, MAX>).map(Self)
    }
}

struct TextVisitor<const MIN: usize, const MAX: usize>;

impl<const MIN: usize, const MAX: usize> Visitor<'_> for TextVisitor<MIN, MAX> {
    type Value = String;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        if text.contains('\0') {
            return Err(E::custom("contains a character that cannot be stored"));
        }
        match text.chars().count() >= MIN && text.len() <= MAX {
            true => Ok(text.to_owned()),
            false => Err(E::custom(outside::<MIN, MAX>("characters"))),
        }
    }
}

fn outside<const MIN: usize, const MAX: usize>(of_what: &str) -> String {
    match MAX {
        UNLIMITED if MIN == 1 => "must not be empty".to_owned(),
        UNLIMITED => format!("must have at least {MIN} {of_what}"),
        _ => format!("must have {MIN} to {MAX} {of_what}"),
    }
}

impl<const MIN: usize, const MAX: usize> JsonSchema for Text<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "string" });
        if MIN > 0 {
            schema.insert("minLength".into(), MIN.into());
        }
        if MAX < UNLIMITED {
            schema.insert("maxLength".into(), MAX.into());
        }
        schema
    }
}

/// A name as people write it: at most `MAX` characters, without space around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name<const MAX: usize>(String);

impl<const MAX: usize> From<Name<MAX>> for model::Str {
    fn from(name: Name<MAX>) -> Self {
        name.0.into()
    }
}

impl<'de, const MAX: usize> Deserialize<'de> for Name<MAX> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = Text::<0, UNLIMITED>::deserialize(input)?;
        let name = text.trim();
        match (1..=MAX).contains(&name.chars().count()) {
            true => Ok(Self(name.to_owned())),
            false => Err(de::Error::custom(format_args!("must have 1 to {MAX} characters"))),
        }
    }
}

impl<const MAX: usize> JsonSchema for Name<MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1, "maxLength": MAX })
    }
}

/// A text that is never shown: a password or a token.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SecretText<const MIN: usize, const MAX: usize>(Text<MIN, MAX>);

impl<const MIN: usize, const MAX: usize> SecretText<MIN, MAX> {
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn into_revealed(self) -> String {
        self.0.0
    }
}

impl<const MIN: usize, const MAX: usize> fmt::Debug for SecretText<MIN, MAX> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SecretText(…)")
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for SecretText<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        Text::deserialize(input).map(Self)
    }
}

impl<const MIN: usize, const MAX: usize> JsonSchema for SecretText<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "SecretText".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = Text::<MIN, MAX>::json_schema(generator);
        schema.insert("format".into(), "password".into());
        schema.insert("writeOnly".into(), true.into());
        schema
    }
}

/// A text that stands for something else. `expected` says what: "a time such as …".
pub(super) fn parse_text<'de, D: Deserializer<'de>, T>(
    input: D,
    expected: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T, D::Error> {
    input.deserialize_str(ParseVisitor { expected, parse })
}

struct ParseVisitor<'a, F> {
    expected: &'a str,
    parse: F,
}

impl<T, F: FnOnce(&str) -> Option<T>> Visitor<'_> for ParseVisitor<'_, F> {
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.expected)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        let Self { expected, parse } = self;
        parse(text).ok_or_else(|| E::invalid_value(Unexpected::Other("text"), &expected))
    }
}

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoundedInt<const MIN: u64, const MAX: u64>(u64);

/// A count, or a place in a list.
pub(crate) type Count = BoundedInt<0, ANY_NUMBER>;

impl<const MIN: u64, const MAX: u64> BoundedInt<MIN, MAX> {
    pub(crate) fn get(self) -> u64 {
        self.0
    }

    pub(crate) fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for BoundedInt<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_u64(IntVisitor::<MIN, MAX>).map(Self)
    }
}

struct IntVisitor<const MIN: u64, const MAX: u64>;

impl<const MIN: u64, const MAX: u64> Visitor<'_> for IntVisitor<MIN, MAX> {
    type Value = u64;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match MAX {
            ANY_NUMBER => write!(out, "a whole number from {MIN}"),
            _ => write!(out, "a whole number from {MIN} to {MAX}"),
        }
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<u64, E> {
        match (MIN..=MAX).contains(&number) {
            true => Ok(number),
            false => Err(E::invalid_value(Unexpected::Unsigned(number), &self)),
        }
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<u64, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }
}

impl<const MIN: u64, const MAX: u64> JsonSchema for BoundedInt<MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "BoundedInt".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "integer", "minimum": MIN });
        if MAX < ANY_NUMBER {
            schema.insert("maximum".into(), MAX.into());
        }
        schema
    }
}

/// A number from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Fraction(pub(crate) f64);

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(input)?;
        match (0.0..=1.0).contains(&number) {
            true => Ok(Self(number)),
            false => Err(de::Error::custom("must be a number from 0 to 1")),
        }
    }
}

impl JsonSchema for Fraction {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Fraction".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
    }
}

/// A list of `MIN` to `MAX` entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List<T, const MIN: usize, const MAX: usize>(pub(crate) Vec<T>);

impl<'de, T: Deserialize<'de>, const MIN: usize, const MAX: usize> Deserialize<'de>
    for List<T, MIN, MAX>
{
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_seq(ListVisitor::<T, MIN, MAX>(PhantomData)).map(Self)
    }
}

struct ListVisitor<T, const MIN: usize, const MAX: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MIN: usize, const MAX: usize> Visitor<'de>
    for ListVisitor<T, MIN, MAX>
{
    type Value = Vec<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<Vec<T>, A::Error> {
        let outside = || de::Error::custom(outside::<MIN, MAX>("entries"));
        let mut read = Vec::new();
        // What is too long is not read to its end.
        if entries.size_hint().is_some_and(|length| length > MAX) {
            return Err(outside());
        }
        while let Some(entry) = entries.next_element()? {
            read.push(entry);
        }
        if (MIN..=MAX).contains(&read.len()) { Ok(read) } else { Err(outside()) }
    }
}

impl<T: JsonSchema, const MIN: usize, const MAX: usize> JsonSchema for List<T, MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("List_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let entries = generator.subschema_for::<T>();
        let mut schema = json_schema!({ "type": "array", "items": entries });
        if MIN > 0 {
            schema.insert("minItems".into(), MIN.into());
        }
        if MAX < UNLIMITED {
            schema.insert("maxItems".into(), MAX.into());
        }
        schema
    }
}

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::*;
    use model::{Value, json};

    fn problem<T: serde::de::DeserializeOwned>(value: Value) -> Option<String> {
        read::<T>(&value).err().map(|error| error.problem)
    }

    fn schema<T: JsonSchema>() -> serde_json::Value {
        SchemaGenerator::default().into_root_schema_for::<T>().to_value()
    }

    #[test]
    fn a_text_has_its_length_and_can_be_stored() {
        assert_eq!(read::<Text<1, 4>>(&json!("äö")).unwrap().as_str(), "äö");
        let outside = Some("must have 2 to 4 characters".to_owned());
        assert_eq!(problem::<Text<2, 4>>(json!("ä")), outside, "characters at least");
        assert_eq!(problem::<Text<2, 4>>(json!("äöü")), outside, "bytes at most");
        assert_eq!(
            problem::<Text<0, 4>>(json!("a\0")).unwrap(),
            "contains a character that cannot be stored"
        );
        let empty = problem::<Text<1, UNLIMITED>>(json!(""));
        assert_eq!(empty.unwrap(), "must not be empty");
        let described = schema::<Text<2, 4>>();
        assert_eq!((&described["minLength"], &described["maxLength"]), (&2.into(), &4.into()));
        assert!(schema::<Text<0, UNLIMITED>>().get("maxLength").is_none());
    }

    #[test]
    fn a_secret_is_not_shown() {
        let secret: SecretText<1, 9> = read(&json!("hunter2")).unwrap();
        assert_eq!(secret.reveal(), "hunter2");
        assert!(!format!("{secret:?}").contains("hunter2"));
        assert_eq!(schema::<SecretText<1, 9>>()["format"], "password");
    }

    #[test]
    fn a_number_is_whole_and_within_its_bounds() {
        assert_eq!(read::<BoundedInt<1, 9>>(&json!(9)).unwrap().get(), 9);
        for bad in [json!(0), json!(10), json!(-1), json!(1.5), json!("1"), json!(null)] {
            let expected = Some("must be a whole number from 1 to 9".to_owned());
            assert_eq!(problem::<BoundedInt<1, 9>>(bad), expected);
        }
        assert_eq!(problem::<Count>(json!(-1)).unwrap(), "must be a whole number from 0");
        assert_eq!(schema::<BoundedInt<1, 9>>()["maximum"], 9);
        assert!(schema::<Count>().get("maximum").is_none());
        assert_eq!(problem::<Fraction>(json!(1.1)).unwrap(), "must be a number from 0 to 1");
        assert_eq!(problem::<Fraction>(json!("1")).unwrap(), "must be a number");
    }

    #[test]
    fn a_list_has_its_length() {
        assert_eq!(read::<List<Id, 1, 2>>(&json!(["a", "b"])).unwrap().0.len(), 2);
        for bad in [json!([]), json!(["a", "b", "c"])] {
            let expected = Some("must have 1 to 2 entries".to_owned());
            assert_eq!(problem::<List<Id, 1, 2>>(bad), expected);
        }
        assert_eq!(read::<List<Id, 1, 2>>(&json!([1])).unwrap_err().path, "[0]");
        assert_eq!(schema::<List<Id, 1, 2>>()["maxItems"], 2);
    }
}
