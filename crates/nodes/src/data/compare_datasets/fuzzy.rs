//! When two values count as equal, strictly or with small differences of type tolerated.

use crate::data::fields::identity;
use node_api::prelude::*;
use std::hash::{BuildHasher as _, RandomState};

#[derive(Clone, Copy)]
pub(super) enum Equality {
    Strict,
    Fuzzy { null_is_zero: bool },
}

impl Equality {
    pub(super) fn new(fuzzy: bool, version: f64) -> Self {
        if fuzzy { Equality::Fuzzy { null_is_zero: version >= 2.0 } } else { Equality::Strict }
    }

    pub(super) fn is_fuzzy(self) -> bool {
        matches!(self, Equality::Fuzzy { .. })
    }

    pub(super) fn holds(self, one: &Value, two: &Value) -> bool {
        let Equality::Fuzzy { null_is_zero } = self else { return one == two };
        if !one.is_null() && !two.is_null() && one.type_of() == two.type_of() {
            return one == two;
        }
        if is_blank(one) && is_blank(two) {
            return true;
        }
        let either = |fits: fn(&Value, &Value) -> bool| fits(one, two) || fits(two, one);
        either(|one, two| is_blank(one) && two.is_undefined())
            || (null_is_zero
                && either(|one, two| {
                    one.is_null() && (*two == Value::Number(0.0) || two.as_str() == Some("0"))
                }))
            || either(equals_loosely)
            || one == two
    }
}

impl Equality {
    /// Words that stand for a value. Two values that count as equal have one of them in common;
    /// values that do not may have one, too.
    pub(super) fn index_keys(self, value: &Value) -> Vec<String> {
        let null_is_zero = matches!(self, Equality::Fuzzy { null_is_zero: true });
        let mut words = Vec::new();
        let mut add = |word: &str| words.push(word.to_owned());
        if is_blank(value) || value.is_undefined() {
            add("blank");
        }
        match value {
            Value::Null if null_is_zero => add("zero"),
            Value::Undefined | Value::Null => {}
            Value::Bool(flag) => add(if *flag { "yes" } else { "no" }),
            Value::Number(number) => {
                // Zero and minus zero are one number.
                add(&format!("text {}", model::number_to_string(*number + 0.0)));
                if *number == 0.0 {
                    ["zero", "no"].into_iter().for_each(&mut add);
                } else if *number == 1.0 {
                    add("yes");
                }
            }
            Value::String(text) => {
                add(&format!("text {text}"));
                match text.as_str() {
                    "1" => add("yes"),
                    "0" => ["zero", "no"].into_iter().for_each(&mut add),
                    text if text.eq_ignore_ascii_case("true") => add("yes"),
                    text if text.eq_ignore_ascii_case("false") => add("no"),
                    text if text.trim_start().starts_with(['{', '[']) => {
                        if let Ok(parsed) = model::json::parse(text) {
                            add(&identity(&parsed));
                        }
                    }
                    _ => {}
                }
            }
            Value::Date(_) | Value::Array(_) | Value::Object(_) => add(&identity(value)),
        }
        words
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        _ => false,
    }
}

/// Whether one value is the other in another type.
fn equals_loosely(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(_), Value::String(text)) => one.to_js_string() == *text,
        (Value::Object(_) | Value::Array(_), Value::String(text)) => {
            model::json::parse(text).is_ok_and(|parsed| parsed == *one)
        }
        (Value::Bool(flag), Value::String(text)) => {
            text.eq_ignore_ascii_case(if *flag { "true" } else { "false" })
                || text == if *flag { "1" } else { "0" }
        }
        (Value::Bool(flag), Value::Number(number)) => *number == f64::from(u8::from(*flag)),
        _ => false,
    }
}

/// Places by words for the first value; whether they fit is seen from all of their values.
pub(super) struct FuzzyIndex {
    hasher: RandomState,
    /// A number for a word, and an entry that has it, in order. Two words may share a number.
    words: Vec<(u64, usize)>,
    /// Places with their values.
    entries: Vec<(usize, Vec<Value>)>,
}

impl FuzzyIndex {
    pub(super) fn new(equality: Equality, entries: Vec<(usize, Vec<Value>)>) -> Self {
        let hasher = RandomState::new();
        let mut words = Vec::with_capacity(entries.len());
        for (number, (_, values)) in entries.iter().enumerate() {
            let of_first =
                values.first().map(|first| equality.index_keys(first)).unwrap_or_default();
            words.extend(of_first.iter().map(|word| (hasher.hash_one(word.as_str()), number)));
        }
        words.sort_unstable();
        Self { hasher, words, entries }
    }

    /// The entries with a word, in order.
    pub(super) fn entries_with_key(
        &self,
        word: &str,
    ) -> impl Iterator<Item = &(usize, Vec<Value>)> {
        let wanted = self.hasher.hash_one(word);
        let from = self.words.partition_point(|(number, _)| *number < wanted);
        let same = self.words[from..].iter().take_while(move |(number, _)| *number == wanted);
        same.filter_map(|(_, entry)| self.entries.get(*entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_differences_of_type_are_tolerated() {
        let fuzzy = Equality::new(true, 2.0);
        for (one, two) in [
            (json!(3), json!("3")),
            (json!(true), json!("TRUE")),
            (json!("0"), json!(false)),
            (json!(1), json!(true)),
            (json!(null), json!("")),
            (json!([]), json!(null)),
            (json!([1, 2]), json!("[1, 2]")),
            (json!(null), json!(0)),
        ] {
            assert!(fuzzy.holds(&one, &two) && fuzzy.holds(&two, &one), "{one:?} {two:?}");
        }
        assert!(fuzzy.holds(&Value::Undefined, &json!("")));
        // What is found by a word is all that would be found by trying each.
        let all = [
            Value::Undefined,
            json!(null),
            json!(""),
            json!([]),
            json!({}),
            json!(0),
            json!(-0.0),
            json!(1),
            json!(3),
            json!(1.5),
            json!("0"),
            json!("1"),
            json!("3"),
            json!("TRUE"),
            json!("false"),
            json!(true),
            json!(false),
            json!([1, 2]),
            json!("[1, 2]"),
            json!({ "b": 1, "a": [0] }),
            json!(" {\"a\": [0], \"b\": 1}"),
            json!("{"),
            json!("x"),
            Value::Number(f64::NAN),
            json!("NaN"),
        ];
        for equality in [fuzzy, Equality::new(true, 1.0)] {
            for (one, two) in all.iter().flat_map(|one| all.iter().map(move |two| (one, two))) {
                let shares_a_word = equality
                    .index_keys(one)
                    .iter()
                    .any(|word| equality.index_keys(two).contains(word));
                assert!(shares_a_word || !equality.holds(one, two), "{one:?} {two:?}");
            }
        }
        assert!(!fuzzy.holds(&json!(3), &json!("3.0")));
        assert!(!Equality::new(true, 1.0).holds(&json!(null), &json!(0)));
        assert!(!Equality::new(false, 2.0).holds(&json!(3), &json!("3")));
    }
}
