//! Numbers and lists whose limits are part of their type.

use super::inline::inline_schema;
use super::text::{UNLIMITED, outside};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A bound that is none.
pub(crate) const ANY_NUMBER: u64 = u64::MAX;

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

    pub(super) fn schema() -> Schema {
        let mut schema = json_schema!({ "type": "integer", "minimum": MIN });
        if MAX < ANY_NUMBER {
            schema.insert("maximum".into(), MAX.into());
        }
        schema
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
        Self::schema()
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

inline_schema!(Fraction, json_schema!({ "type": "number", "minimum": 0, "maximum": 1 }));

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
    use super::super::Id;
    use super::super::read::read;
    use super::super::testing::{problem, schema};
    use super::*;
    use model::json;

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
