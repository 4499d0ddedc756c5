//! What happens when both items have a field of the same name.

use model::Object;
use node_api::prelude::*;
use std::sync::Arc;

/// The option `clashHandling`.
#[derive(Clone, Debug, Default)]
pub(super) struct ConflictRules {
    /// `preferInput1`, `preferInput2`, `preferLast`, `addSuffix` …; none where the workflow does
    /// not say.
    pub(super) resolve: Option<Str>,
    shallow: bool,
    /// An empty value does not overwrite one that is there.
    override_empty: bool,
}

impl ConflictRules {
    pub(super) fn read(ctx: &Ctx<'_>) -> Result<Self, NodeError> {
        let values = ctx.param("options.clashHandling.values", 0)?;
        let text = |key: &str| values.get(key).and_then(Value::as_str);
        Ok(Self {
            resolve: text("resolveClash").filter(|text| !text.is_empty()).map(Str::from),
            shallow: text("mergeMode") == Some("shallowMerge"),
            override_empty: values.get("overrideEmpty").is_some_and(Value::is_truthy),
        })
    }

    pub(super) fn is(&self, resolve: &str) -> bool {
        self.resolve.as_deref() == Some(resolve)
    }

    /// The fields of all objects in one; later ones win.
    pub(super) fn join<'v>(&self, objects: impl IntoIterator<Item = &'v Value>) -> Value {
        let mut joined = Value::empty_object();
        let mut is_first = true;
        for object in objects {
            let Value::Object(source) = object else { continue };
            // Sharing the first one whole saves copying it field by field.
            if is_first {
                joined = object.clone();
                is_first = false;
                continue;
            }
            self.put_into(
                Arc::make_mut(match &mut joined {
                    Value::Object(target) => target,
                    _ => continue,
                }),
                source,
                0,
            );
        }
        joined
    }

    fn put_into(&self, target: &mut Object, source: &Object, depth: usize) {
        for (key, value) in source.iter() {
            let is_empty = value.is_nullish() || value.as_str() == Some("");
            if (self.override_empty && is_empty)
                || (value.is_undefined() && target.contains_key(key))
            {
                // There is nothing to keep where the field is not there yet.
                if target.get(key).is_none_or(Value::is_undefined) {
                    target.insert(key.clone(), value.clone());
                }
                continue;
            }
            match (target.get_mut(key), value) {
                (Some(place), value) if !self.shallow && depth < 100 => {
                    self.merge_deep(place, value, depth)
                }
                _ => {
                    target.insert(key.clone(), value.clone());
                }
            }
        }
    }

    /// Objects and arrays are merged part by part, anything else is replaced.
    fn merge_deep(&self, place: &mut Value, value: &Value, depth: usize) {
        match (place, value) {
            (Value::Object(target), Value::Object(source)) => {
                self.put_into(Arc::make_mut(target), source, depth + 1)
            }
            (Value::Array(target), Value::Array(source)) => {
                let target = Arc::make_mut(target);
                for (index, value) in source.iter().enumerate() {
                    match target.get_mut(index) {
                        Some(_) if value.is_undefined() => {}
                        Some(place) => self.merge_deep(place, value, depth + 1),
                        None => target.push(value.clone()),
                    }
                }
            }
            (place, value) => *place = value.clone(),
        }
    }
}

/// The item with `_suffix` behind the name of every field.
pub(super) fn with_suffix(mut item: Item, suffix: usize) -> Item {
    let renamed = item.json.as_object().into_iter().flat_map(Object::iter);
    item.json = Value::object(
        renamed.map(|(key, value)| (Str::from(format!("{key}_{suffix}")), value.clone())).collect(),
    );
    item
}

/// The files of all items; later ones win.
pub(super) fn join_files<'i>(into: &mut Item, items: impl IntoIterator<Item = &'i Item>) {
    for item in items {
        for (name, file) in item.binary.iter().flat_map(|files| files.iter()) {
            into.set_binary(name.clone(), file.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_joined_deeply_unless_told_otherwise() {
        let (one, two) = (
            json!({ "a": { "x": 1, "y": 2 }, "l": [1, 2, 3] }),
            json!({ "a": { "x": 9 }, "l": [7] }),
        );
        let deep = ConflictRules::default();
        assert_eq!(deep.join([&one, &two]), json!({ "a": { "x": 9, "y": 2 }, "l": [7, 2, 3] }));
        let shallow = ConflictRules { shallow: true, ..ConflictRules::default() };
        assert_eq!(shallow.join([&one, &two]), json!({ "a": { "x": 9 }, "l": [7] }));
    }

    #[test]
    fn an_empty_value_can_be_kept_from_overwriting() {
        let keep = ConflictRules { override_empty: true, ..ConflictRules::default() };
        assert_eq!(
            keep.join([&json!({ "a": 1, "b": 2 }), &json!({ "a": "", "b": null, "c": "" })]),
            json!({ "a": 1, "b": 2, "c": "" })
        );
        let plain = ConflictRules::default();
        assert_eq!(plain.join([&json!({ "a": 1 }), &json!({ "a": null })]), json!({ "a": null }));
    }
}
