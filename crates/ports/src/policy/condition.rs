//! What a rule asks of an argument of a call.

use super::pattern::Patterns;
use model::{Object, Str, Value};

/// The longest argument that is compared with names. A model writes arguments, and comparing takes
/// the time of both lengths multiplied.
const MAX_COMPARED_BYTES: usize = 4096;

/// A condition on one argument.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentCondition {
    /// Where it stands, such as `amount` or `customer.id`.
    pub path: Str,
    pub bound: Bound,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// A number above this.
    Above(f64),
    /// A number below this.
    Below(f64),
    /// A text, number or truth value that is one of these.
    OneOf(Patterns),
    /// The same for one that is none of these.
    NoneOf(Patterns),
}

/// Whether a condition holds. What cannot be told restricts: a rule that forbids or asks applies,
/// one that permits does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    No,
    Unknown,
    Yes,
}

impl Certainty {
    fn of(holds: bool) -> Self {
        if holds { Certainty::Yes } else { Certainty::No }
    }
}

impl ArgumentCondition {
    pub(super) fn holds(&self, arguments: &Object) -> Certainty {
        let found = match arguments.get(self.path.as_str()) {
            Some(value) => Some(value),
            None => get_path(arguments, &self.path),
        };
        let number = || found.and_then(Value::as_f64).filter(|number| !number.is_nan());
        let word = || match found {
            Some(value @ (Value::String(_) | Value::Number(_) | Value::Bool(_))) => {
                Some(value.to_js_string()).filter(|word| word.len() <= MAX_COMPARED_BYTES)
            }
            _ => None,
        };
        let known = match &self.bound {
            Bound::Above(bound) => number().map(|number| number > *bound),
            Bound::Below(bound) => number().map(|number| number < *bound),
            Bound::OneOf(names) => word().map(|word| names.allow(&word)),
            Bound::NoneOf(names) => word().map(|word| !names.allow(&word)),
        };
        known.map_or(Certainty::Unknown, Certainty::of)
    }
}

fn get_path<'o>(arguments: &'o Object, path: &str) -> Option<&'o Value> {
    let (first, rest) = path.split_once('.')?;
    rest.split('.').try_fold(arguments.get(first)?, |value, name| match value {
        Value::Array(values) => values.get(name.parse::<usize>().ok()?),
        value => value.get(name),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Pattern;
    use super::*;
    use model::json;

    fn holds(path: &str, bound: Bound, arguments: Value) -> Certainty {
        let condition = ArgumentCondition { path: path.into(), bound };
        condition.holds(arguments.as_object().unwrap())
    }

    #[test]
    fn what_cannot_be_compared_is_unknown_and_not_no() {
        let above = |arguments| holds("pay.amount", Bound::Above(100.0), arguments);
        assert_eq!(above(json!({ "pay": { "amount": 100.5 } })), Certainty::Yes);
        assert_eq!(above(json!({ "pay": { "amount": 100 } })), Certainty::No);
        assert_eq!(above(json!({ "pay.amount": 101 })), Certainty::Yes);
        for odd in [
            json!({}),
            json!({ "pay": { "amount": "100000" } }),
            json!({ "pay": { "amount": null } }),
            json!({ "pay": { "amount": [101] } }),
            json!({ "pay": 5 }),
        ] {
            assert_eq!(above(odd.clone()), Certainty::Unknown, "{odd:?}");
        }
        let ours = || Patterns(vec![Pattern::new("*@ours.example").unwrap()]);
        let outside = |arguments| holds("to.0", Bound::NoneOf(ours()), arguments);
        assert_eq!(outside(json!({ "to": ["ada@ours.example"] })), Certainty::No);
        assert_eq!(outside(json!({ "to": ["eve@theirs.example"] })), Certainty::Yes);
        assert_eq!(outside(json!({ "to": "ada@ours.example" })), Certainty::Unknown);
        let long = format!("{}@ours.example", "a".repeat(MAX_COMPARED_BYTES));
        assert_eq!(outside(json!({ "to": [(long.as_str())] })), Certainty::Unknown, "too long");
        assert_eq!(
            holds(
                "live",
                Bound::OneOf(Patterns(vec![Pattern::new("true").unwrap()])),
                json!({ "live": true })
            ),
            Certainty::Yes
        );
    }
}
