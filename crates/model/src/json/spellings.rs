//! Numbers that a document spells otherwise than we would (`1.0`, `1e3`, 20 digits), by their
//! place.

use crate::{Str, Value};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher as _};

/// Where a document spells a number in its own way.
///
/// The writer uses the old spelling as long as the number there still has the same value.
#[derive(Clone, Debug, Default)]
pub struct Spellings {
    by_place: HashMap<ValuePath, Str>,
}

/// The place of a value in a document: a hash of the keys that lead to it.
///
/// Keeping the keys themselves would multiply a document of many numbers below a long key by that
/// key's length. Two places with one hash do no harm: a spelling is only used for a number of its
/// value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ValuePath(u64);

impl ValuePath {
    pub const TOP: ValuePath = ValuePath(0);

    pub fn key(self, key: &str) -> ValuePath {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.0);
        hasher.write(key.as_bytes());
        ValuePath(hasher.finish())
    }

    pub fn index(self, index: usize) -> ValuePath {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(self.0);
        hasher.write_usize(index);
        hasher.write_u8(1);
        ValuePath(hasher.finish())
    }
}

impl Spellings {
    pub fn is_empty(&self) -> bool {
        self.by_place.is_empty()
    }

    pub fn note(&mut self, place: ValuePath, spelled: &str) {
        self.by_place.insert(place, spelled.into());
    }

    pub fn get(&self, place: ValuePath) -> Option<&str> {
        self.by_place.get(&place).map(Str::as_str)
    }

    /// Takes over the spellings of a value that another document holds at another place.
    pub fn carry(&mut self, source: &Spellings, from: ValuePath, to: ValuePath, value: &Value) {
        match value {
            Value::Number(_) => {
                if let Some(spelled) = source.get(from) {
                    self.note(to, spelled);
                }
            }
            Value::Array(values) => {
                for (index, element) in values.iter().enumerate() {
                    self.carry(source, from.index(index), to.index(index), element);
                }
            }
            Value::Object(object) => {
                for (key, field) in object.iter() {
                    self.carry(source, from.key(key), to.key(key), field);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{parse_with_spellings, to_pretty_string};

    #[test]
    fn a_value_keeps_its_spellings_at_another_place() {
        let (value, spellings) = parse_with_spellings(r#"{"old":[1,{"a":2.50}]}"#).unwrap();
        let moved = crate::json!({ "new": value.get("old") });
        let mut kept = Spellings::default();
        kept.carry(
            &spellings,
            ValuePath::TOP.key("old"),
            ValuePath::TOP.key("new"),
            value.get("old").unwrap(),
        );
        assert!(to_pretty_string(&moved, &kept).contains("2.50"));
    }

    #[test]
    fn many_numbers_below_a_long_key_are_noted_without_the_key() {
        let text = format!("{{\"{}\":[{}1.0]}}", "k".repeat(1_000_000), "1.0,".repeat(50_000));
        let (value, spellings) = parse_with_spellings(&text).unwrap();
        // With the key beside each number this would be 50 GB.
        assert_eq!(spellings.by_place.len(), 50_001);
        assert_eq!(to_pretty_string(&value, &spellings).matches("1.0").count(), 50_001);
    }
}
