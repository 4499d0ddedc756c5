//! Texts whose limits are part of their type: what is checked when a request is read is what its
//! description says.

use super::inline::with;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

/// A limit that is none.
pub(crate) const UNLIMITED: usize = usize::MAX;

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

    pub(super) fn schema() -> Schema {
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

/// What is said about a length that does not fit.
pub(super) fn outside<const MIN: usize, const MAX: usize>(of_what: &str) -> String {
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
        Self::schema()
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

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        with(with(Text::<MIN, MAX>::schema(), "format", "password"), "writeOnly", true)
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

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::super::testing::{problem, schema};
    use super::*;
    use model::json;

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
    fn a_name_is_trimmed_and_counted_in_characters() {
        assert_eq!(read::<Name<3>>(&json!("  äöü ")).unwrap().0, "äöü");
        for bad in [json!(""), json!("  "), json!("abcd")] {
            assert_eq!(problem::<Name<3>>(bad).unwrap(), "must have 1 to 3 characters");
        }
        assert_eq!(schema::<Name<3>>()["maxLength"], 3);
    }

    #[test]
    fn a_text_that_stands_for_something_says_what_it_must_be() {
        struct Answer;
        impl<'de> Deserialize<'de> for Answer {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                parse_text(input, "the answer", |text| (text == "42").then_some(Self))
            }
        }
        assert_eq!(problem::<Answer>(json!("42")), None);
        for bad in [json!("41"), json!(42), json!(null)] {
            assert_eq!(problem::<Answer>(bad).unwrap(), "must be the answer");
        }
    }
}
