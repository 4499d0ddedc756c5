//! What comes out for a pair of items that differ.

use super::{CompareSettings, DotNotation};
use model::Gaps;
use node_api::prelude::*;

/// Which version of a differing pair comes out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DifferenceMode {
    Input1,
    Input2,
    Mix,
    Both,
}

impl DifferenceMode {
    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "preferInput1" => DifferenceMode::Input1,
            "preferInput2" => DifferenceMode::Input2,
            "mix" => DifferenceMode::Mix,
            _ => DifferenceMode::Both,
        }
    }
}

/// Takes some fields from the other item.
pub(super) fn mix(json: &mut Value, other: &Value, except: &[Str], dots: DotNotation) {
    for field in except {
        let value = match dots {
            DotNotation::Literal => other.get(field).cloned().unwrap_or_default(),
            DotNotation::Nested => dots.get(other, field).cloned().unwrap_or(Value::Null),
        };
        json.make_object().insert(field.clone(), value);
    }
}

/// The keys, the fields that agree, and both versions of those that do not.
pub(super) fn describe_differences(
    settings: &CompareSettings,
    one: &Value,
    two: &Value,
) -> Result<Object, NodeError> {
    let version = settings.version;
    let field = |json: &Value, key: &str| json.get(key).cloned().unwrap_or_default();
    let shown = |value: Value| match value {
        Value::Undefined => Value::Null,
        value if version < 2.0 && !value.is_truthy() => Value::Null,
        value => value,
    };
    let keys: Object =
        settings.pairs.iter().map(|(name, _)| (name.clone(), field(one, name))).collect();
    let names = one.as_object().into_iter().chain(two.as_object()).flat_map(Object::keys);
    let all: Object = names.map(|name| (name.clone(), Value::Null)).collect();
    let compares_missing = settings.equality.is_fuzzy() && version > 2.05;

    let (mut same, mut different, mut skipped) = (Object::new(), Object::new(), Object::new());
    let (mut differing, mut gaps) = (0, Gaps::default());
    for name in all.keys() {
        let in_both = one.get(name).is_some() && two.get(name).is_some();
        if (in_both || compares_missing)
            && settings.equality.holds(&field(one, name), &field(two, name))
        {
            same.insert(name.clone(), field(one, name));
            continue;
        }
        let mut pair = [shown(field(one, name)), shown(field(two, name))];
        let nested: Vec<&str> = settings
            .skip
            .iter()
            .filter(|field| field.starts_with(&**name) && field.contains('.'))
            .map(|field| field.as_str())
            .collect();
        let whole_is_skipped = settings.skip.contains(name);
        if version > 2.05
            && settings.dots == DotNotation::Nested
            && !whole_is_skipped
            && !nested.is_empty()
        {
            if pair.iter().any(|value| value.type_of() != "object") {
                let message = format!(
                    "The field '{name}' in item {differing} is not an object. It is not possible to use dot notation."
                );
                return Err(NodeError::input(message));
            }
            let mut taken = [Value::empty_object(), Value::empty_object()];
            for path in nested {
                let path = path.strip_prefix(&format!("{name}.")).unwrap_or(path);
                for (value, taken) in pair.iter_mut().zip(&mut taken) {
                    taken.put_path_within(
                        path,
                        value.get_path(path).cloned().unwrap_or_default(),
                        &mut gaps,
                    )?;
                    value.remove_path(path);
                }
            }
            skipped.insert(name.clone(), versions(taken, version));
            different.insert(name.clone(), versions(pair, version));
        } else if whole_is_skipped {
            skipped.insert(name.clone(), versions(pair, version));
        } else {
            different.insert(name.clone(), versions(pair, version));
        }
        differing += 1;
    }
    let mut json = Object::new();
    json.insert("keys", keys);
    json.insert("same", same);
    json.insert("different", different);
    if !skipped.is_empty() {
        json.insert("skipped", skipped);
    }
    Ok(json)
}

fn versions([one, two]: [Value; 2], version: f64) -> Object {
    let names = if version >= 2.0 { ["inputA", "inputB"] } else { ["input1", "input2"] };
    Object::from_iter([(names[0], one), (names[1], two)])
}
