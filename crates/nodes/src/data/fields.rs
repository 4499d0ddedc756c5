//! How the data nodes reach into items: field names with or without dots, lists of names,
//! JavaScript's order of values.

use crate::field_type::to_number;
use model::{Gaps, PathKey, number_to_string};
use node_api::prelude::*;
use std::cmp::Ordering;

/// What n8n adds to an error when a dotted name was looked up with dot notation off.
pub(super) const DOT_NOTATION_TIP: &str = "If you're trying to use a nested field, make sure you turn off 'disable dot notation' in the node options";

/// Whether `a.b` means the field `b` inside of `a` or the field that is called `a.b`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DotNotation {
    Nested,
    Literal,
}

impl DotNotation {
    /// Reads `options.disableDotNotation`.
    pub(super) fn of(ctx: &Ctx<'_>) -> Result<Self, NodeError> {
        Ok(if ctx.flag("options.disableDotNotation", 0)? {
            DotNotation::Literal
        } else {
            DotNotation::Nested
        })
    }

    pub(super) fn get<'v>(self, json: &'v Value, field: &str) -> Option<&'v Value> {
        let found = match self {
            DotNotation::Nested => json.get_path(field),
            DotNotation::Literal => json.get(field),
        };
        found.filter(|value| !value.is_undefined())
    }

    /// Puts one of the values of an item, which share their gaps.
    pub(super) fn set(
        self,
        object: &mut Object,
        field: &str,
        value: impl Into<Value>,
        gaps: &mut Gaps,
    ) -> Result<(), NodeError> {
        match self {
            DotNotation::Nested => object.put_path_within(field, value, gaps)?,
            DotNotation::Literal => drop(object.insert(field, value)),
        }
        Ok(())
    }

    pub(super) fn remove(self, json: &mut Value, field: &str) {
        match self {
            DotNotation::Nested => drop(json.remove_path(field)),
            DotNotation::Literal if json.get(field).is_some() => {
                drop(json.make_object().remove(field))
            }
            DotNotation::Literal => {}
        }
    }
}

/// A parameter that names several fields: text with commas, a list of names, or n8n's older list of
/// `{ fieldName }`.
pub(super) fn field_list(
    ctx: &Ctx<'_>,
    param: &str,
    label: &str,
    item: usize,
) -> Result<Vec<Str>, NodeError> {
    let value = ctx.param(param, item)?;
    let entries = value.get("fields").unwrap_or(&value);
    match entries {
        Value::Undefined | Value::Null => Ok(Vec::new()),
        Value::String(text) => Ok(split_names(text)),
        Value::Array(names) => {
            let name_of = |entry: &Value| {
                entry.get("fieldName").unwrap_or(entry).as_str().map(|name| Str::from(name.trim()))
            };
            Ok(names.iter().filter_map(name_of).collect())
        }
        Value::Object(object) if object.is_empty() => Ok(Vec::new()),
        _ => {
            let message = format!(
                "The '{label}' parameter must be a string of fields separated by commas or an array of strings."
            );
            Err(NodeError::parameter(param, message).on_item(item))
        }
    }
}

/// The names in a text with commas, without the empty ones.
pub(super) fn split_names(text: &str) -> Vec<Str> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Str::from).collect()
}

/// The dotted names of all leaves of a value. Empty objects and lists have none.
pub(super) fn leaf_names(json: &Value) -> Vec<Str> {
    fn walk(value: &Value, path: &str, names: &mut Vec<Str>) {
        let mut step = |key: &str, inner: &Value| {
            let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
            walk(inner, &path, names);
        };
        match value {
            Value::Object(object) => object.iter().for_each(|(key, inner)| step(key, inner)),
            Value::Array(values) => {
                values.iter().enumerate().for_each(|(index, inner)| step(&index.to_string(), inner))
            }
            _ => names.push(path.into()),
        }
    }
    let mut names = Vec::new();
    walk(json, "", &mut names);
    names
}

/// The fields at some paths only, as lodash's `pick` gives them.
pub(super) fn pick(json: &Value, names: &[Str], dots: DotNotation) -> Result<Object, NodeError> {
    let (mut picked, mut gaps) = (Object::new(), Gaps::default());
    for name in names {
        if let Some(value) = dots.get(json, name) {
            dots.set(&mut picked, name, value.clone(), &mut gaps)?;
        }
    }
    Ok(picked)
}

/// What spreading a value into an object (`{ ...value }`) puts there.
pub(super) fn spread(target: &mut Object, value: &Value) {
    match value {
        Value::Object(object) => {
            target.extend(object.iter().map(|(key, value)| (key.clone(), value.clone())))
        }
        Value::Array(values) => target.extend(
            values.iter().enumerate().map(|(index, value)| (index.to_string(), value.clone())),
        ),
        _ => {}
    }
}

/// A text that two values share exactly when they are deeply equal, whatever the order of their
/// keys.
pub(super) fn identity(value: &Value) -> String {
    let mut out = String::new();
    write_identity(value, &mut out);
    out
}

fn write_identity(value: &Value, out: &mut String) {
    match value {
        Value::Undefined => out.push('u'),
        Value::Number(number) => out.push_str(&number_to_string(*number)),
        Value::Date(date) => {
            out.push('d');
            out.push_str(&date.iso);
        }
        Value::Array(values) => {
            out.push('[');
            for value in values.iter() {
                write_identity(value, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(object) => {
            let mut entries: Vec<_> =
                object.iter().filter(|(_, value)| !value.is_undefined()).collect();
            entries.sort_by(|one, two| one.0.cmp(two.0));
            out.push('{');
            for (key, value) in entries {
                model::json::write_string(out, key);
                out.push(':');
                write_identity(value, out);
                out.push(',');
            }
            out.push('}');
        }
        plain => out.push_str(&model::json::to_string(plain)),
    }
}

/// Keys in the order in which a JavaScript object lists them: whole numbers by size, then the
/// others as they came.
pub(super) fn in_object_order<T>(entries: Vec<(Str, T)>) -> Vec<(Str, T)> {
    let index_of = |key: &str| {
        key.parse::<u32>().ok().filter(|index| *index < u32::MAX && index.to_string() == key)
    };
    let (mut numbers, others): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|(key, _)| index_of(key).is_some());
    numbers.sort_by_key(|(key, _)| index_of(key));
    numbers.extend(others);
    numbers
}

/// JavaScript's `one < two`.
pub(crate) fn less_than(one: &Value, two: &Value) -> bool {
    let text_of = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(_) | Value::Object(_) => Some(value.to_js_string()),
        _ => None,
    };
    match (text_of(one), text_of(two)) {
        (Some(one), Some(two)) => compare_texts(&one, &two) == Ordering::Less,
        _ => to_number(one) < to_number(two),
    }
}

/// JavaScript compares texts by their UTF-16 units.
pub(super) fn compare_texts(one: &str, two: &str) -> Ordering {
    if one.is_ascii() && two.is_ascii() {
        one.cmp(two)
    } else {
        one.encode_utf16().cmp(two.encode_utf16())
    }
}

/// The last step of a dotted path.
pub(super) fn last_key(path: &str) -> Str {
    path.rsplit_once('.').map_or(path, |(_, last)| last).into()
}

/// Whether one path leads through or to the other.
pub(super) fn paths_overlap(one: &str, two: &str) -> bool {
    let (one, two) = (PathKey::split(one), PathKey::split(two));
    one.iter().zip(&two).all(|(one, two)| one == two)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_in_javascript() {
        for (text, number) in [
            ("", 0.0),
            (" 12 ", 12.0),
            ("0x10", 16.0),
            ("1e3", 1000.0),
            ("-.5", -0.5),
            ("-Infinity", f64::NEG_INFINITY),
        ] {
            assert_eq!(to_number(&json!(text)), number, "{text}");
        }
        for text in ["inf", "nan", "1a", "NaN", "--1"] {
            assert!(to_number(&json!(text)).is_nan(), "{text}");
        }
        assert_eq!(to_number(&json!([7])), 7.0);
    }

    #[test]
    fn values_of_different_kinds_compare_as_numbers() {
        assert!(less_than(&json!("9"), &json!(10)));
        assert!(less_than(&json!("10"), &json!("9")));
        assert!(!less_than(&json!("x"), &json!(1)) && !less_than(&json!(1), &json!("x")));
    }

    #[test]
    fn whole_numbers_come_first_among_keys() {
        let entries = ["b", "10", "2", "01", "a"].map(|key| (Str::from(key), ())).to_vec();
        let keys: Vec<_> = in_object_order(entries).into_iter().map(|(key, ())| key).collect();
        assert_eq!(keys, ["2", "10", "b", "01", "a"]);
    }

    #[test]
    fn leaves_are_named_by_their_paths() {
        assert_eq!(
            leaf_names(&json!({ "a": { "b": 1, "c": [true, {}] }, "d": null })),
            ["a.b", "a.c.0", "d"]
        );
    }

    #[test]
    fn equal_values_share_their_identity() {
        assert_eq!(identity(&json!({ "a": 1, "b": [2] })), identity(&json!({ "b": [2], "a": 1 })));
        assert_ne!(identity(&json!(1)), identity(&json!("1")));
    }
}
