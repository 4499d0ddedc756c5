//! The ranges of numbers: which values the parameters of a node may have.

use crate::defaults::{ParamScope, is_shown};
use crate::param::{Param, ParamKind};
use crate::spec::Spec;
use model::{Object, Str, Value};

/// The numbers that one value among the parameters of a node may be.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberRange {
    /// Where the value is, such as `rules.values[0].output`.
    pub path: String,
    pub label: Str,
    pub min: Option<f64>,
    pub max: Option<f64>,
}

impl NumberRange {
    /// Whether a value is no number, or one in the range. Text that spells a number counts.
    pub fn allows(&self, value: &Value) -> bool {
        let number = match value {
            Value::Number(number) => Some(*number),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        number.is_none_or(|number: f64| {
            self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max)
        })
    }

    /// The range in words, such as `from 1 to 10`.
    pub fn words(&self) -> String {
        match (self.min, self.max) {
            (Some(min), Some(max)) => format!("from {min} to {max}"),
            (Some(min), None) => format!("at least {min}"),
            (None, Some(max)) => format!("at most {max}"),
            (None, None) => "a number".into(),
        }
    }
}

impl Spec {
    /// The ranges of all numbers that the form shows for these values, which have their defaults.
    pub fn ranges(&self, version: f64, values: &Object) -> Vec<NumberRange> {
        let mut found = Vec::new();
        collect(&self.params, values, &ParamScope { version, top: None }, "", &mut found);
        found
    }
}

fn collect(
    params: &[Param],
    values: &Object,
    scope: &ParamScope<'_>,
    prefix: &str,
    found: &mut Vec<NumberRange>,
) {
    for param in params {
        let Some(value) = values.get(&param.name) else { continue };
        let is_asked =
            || is_shown(param, values, scope) && is_only_form(params, param, values, scope);
        let top = scope.top.unwrap_or(values);
        let inner = ParamScope { version: scope.version, top: Some(top) };
        match &param.kind {
            ParamKind::Number { min, max } if (min.is_some() || max.is_some()) && is_asked() => {
                found.push(NumberRange {
                    path: format!("{prefix}{}", param.name),
                    label: if param.label.is_empty() { &param.name } else { &param.label }.clone(),
                    min: *min,
                    max: *max,
                });
            }
            ParamKind::Collection { params: fields } => {
                if let Some(chosen) = value.as_object().filter(|_| is_asked()) {
                    collect(fields, chosen, &inner, &format!("{prefix}{}.", param.name), found);
                }
            }
            ParamKind::Groups { groups, .. } => {
                let Some(chosen) = value.as_object().filter(|_| is_asked()) else { continue };
                for group in groups {
                    let place = format!("{prefix}{}.{}", param.name, group.name);
                    match chosen.get(&group.name) {
                        Some(Value::Object(fields)) => {
                            collect(&group.params, fields, &inner, &format!("{place}."), found);
                        }
                        Some(Value::Array(entries)) => {
                            for (at, entry) in entries.iter().enumerate() {
                                let Some(fields) = entry.as_object() else { continue };
                                let place = format!("{place}[{at}].");
                                collect(&group.params, fields, &inner, &place, found);
                            }
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether no other form of the parameter is shown as well, as may be while an expression decides.
fn is_only_form(params: &[Param], param: &Param, values: &Object, scope: &ParamScope<'_>) -> bool {
    let is_other = |other: &&Param| other.name == param.name && !std::ptr::eq(*other, param);
    !params.iter().filter(is_other).any(|other| is_shown(other, values, scope))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::param::FieldGroup;
    use model::json;

    fn spec() -> Spec {
        Spec::new("test", &[1.0], "Test", "").params([
            Param::choice("mode", "Mode", &[("a", "A"), ("b", "B")]),
            Param::number("count", "Count", 3).at_least(1.0).show("mode", &["a"]),
            Param::number("count", "Count", 7).between(5.0, 9.0).show("mode", &["b"]),
            Param::collection("options", "Options", [Param::number("n", "N", 0).between(0.0, 1.0)]),
            Param::repeated(
                "rules",
                "Rules",
                [FieldGroup::new("values", "Rule", [Param::number("n", "N", 0).at_least(0.0)])],
            ),
        ])
    }

    fn paths(given: Value) -> Vec<String> {
        let spec = spec();
        let values = spec.complete(1.0, given.as_object().unwrap());
        let words = |range: NumberRange| format!("{} {}", range.path, range.words());
        spec.ranges(1.0, &values).into_iter().map(words).collect()
    }

    #[test]
    fn the_shown_form_gives_the_range_wherever_the_number_is() {
        assert_eq!(paths(json!({})), ["count at least 1"]);
        assert_eq!(
            paths(json!({ "mode": "b", "options": { "n": 2 }, "rules": { "values": [{}, {}] } })),
            [
                "count from 5 to 9",
                "options.n from 0 to 1",
                "rules.values[0].n at least 0",
                "rules.values[1].n at least 0"
            ]
        );
        assert_eq!(paths(json!({ "mode": "={{ $json.mode }}" })), [""; 0]);
    }

    #[test]
    fn numbers_and_texts_that_spell_one_are_compared() {
        let range =
            NumberRange { path: "n".into(), label: "N".into(), min: Some(1.0), max: Some(10.0) };
        for allowed in [json!(1), json!(10), json!("5"), json!(""), json!("x"), Value::Null] {
            assert!(range.allows(&allowed), "{allowed:?}");
        }
        for refused in [json!(0), json!(10.5), json!(" 11 ")] {
            assert!(!range.allows(&refused), "{refused:?}");
        }
    }
}
