//! Paths into a value, as n8n's nodes take them: `a.b[0]['c d']`.

use crate::{Object, Str, Value};

/// One step of a path. A key that is a whole number also reaches into an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathKey(pub Str);

impl PathKey {
    fn index(&self) -> Option<usize> {
        self.0.parse().ok()
    }

    /// Splits `a.b[0]["c.d"]` into its keys. Never fails: what is no bracket is part of a key.
    pub fn split(path: &str) -> Vec<PathKey> {
        PathKeys::of(path).map(|key| PathKey(key.into())).collect()
    }
}

/// The keys of a path, one after the other.
#[derive(Clone)]
pub struct PathKeys<'p> {
    rest: &'p str,
    /// A key must follow, even an empty one.
    is_open: bool,
}

impl<'p> PathKeys<'p> {
    pub fn of(path: &'p str) -> Self {
        Self { rest: path, is_open: true }
    }
}

impl<'p> Iterator for PathKeys<'p> {
    type Item = &'p str;

    fn next(&mut self) -> Option<&'p str> {
        if let Some(rest) = self.rest.strip_prefix('.') {
            self.rest = rest;
            if self.is_open {
                return Some("");
            }
            self.is_open = true;
            return self.next();
        }
        if self.rest.is_empty() {
            return std::mem::take(&mut self.is_open).then_some("");
        }
        self.is_open = false;
        if let Some((inner, after)) = bracket(self.rest) {
            self.rest = after;
            return Some(inner);
        }
        let ends = |(at, byte): &(usize, u8)| *byte == b'.' || (*byte == b'[' && bracket(&self.rest[*at..]).is_some());
        let length = self.rest.bytes().enumerate().find(ends).map_or(self.rest.len(), |(at, _)| at);
        let (key, after) = self.rest.split_at(length);
        self.rest = after;
        Some(key)
    }
}

/// The text inside a leading `[…]`, without quotes, and what follows.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('[')?;
    let closed_by = |quote: &str, end: &str| inner.strip_prefix(quote).map(|quoted| quoted.split_once(end));
    closed_by("\"", "\"]").or_else(|| closed_by("'", "']")).unwrap_or_else(|| inner.split_once(']'))
}

impl Value {
    /// The value at a path such as `a.b[0]`. A key that is there by its full name wins over its parts.
    pub fn get_path(&self, path: &str) -> Option<&Value> {
        if let Some(direct) = self.get(path) {
            return Some(direct);
        }
        self.get_keys(PathKeys::of(path))
    }

    pub fn get_keys<'k>(&self, mut keys: impl Iterator<Item = &'k str>) -> Option<&Value> {
        keys.try_fold(self, |value, key| match value {
            Value::Array(values) => values.get(key.parse::<usize>().ok()?),
            Value::Object(object) => object.get(key),
            _ => None,
        })
    }

    /// Puts a value at a path and makes the objects and arrays on the way, as lodash's `set` does.
    pub fn set_path(&mut self, path: &str, value: impl Into<Value>) {
        self.set_keys(&PathKey::split(path), value.into());
    }

    pub fn set_keys(&mut self, keys: &[PathKey], value: Value) {
        /// A path may not grow an array further than this beyond its end.
        const MAX_ARRAY_GAP: usize = 10_000;
        let Some((key, rest)) = keys.split_first() else {
            *self = value;
            return;
        };
        let slot = match (self, key.index()) {
            (Value::Array(values), Some(index)) if index <= values.len() + MAX_ARRAY_GAP => {
                let values = std::sync::Arc::make_mut(values);
                if index >= values.len() {
                    values.resize(index + 1, Value::Undefined);
                }
                &mut values[index]
            }
            (holder, _) => holder.make_object().entry(&key.0),
        };
        if let Some(next) = rest.first()
            && !matches!(slot, Value::Object(_) | Value::Array(_))
        {
            *slot = if next.index().is_some() { Value::array(Vec::new()) } else { Value::empty_object() };
        }
        slot.set_keys(rest, value);
    }

    /// Takes the value at a path out; `None` if nothing was there.
    pub fn remove_path(&mut self, path: &str) -> Option<Value> {
        if let Value::Object(object) = self
            && object.contains_key(path)
        {
            return std::sync::Arc::make_mut(object).remove(path);
        }
        let keys = PathKey::split(path);
        let (last, parents) = keys.split_last()?;
        self.get_keys(PathKeys::of(path))?;
        let mut holder = self;
        for key in parents {
            holder = match holder {
                Value::Array(values) => std::sync::Arc::make_mut(values).get_mut(key.index()?)?,
                Value::Object(object) => std::sync::Arc::make_mut(object).get_mut(&key.0)?,
                _ => return None,
            };
        }
        match holder {
            Value::Array(values) => {
                let slot = std::sync::Arc::make_mut(values).get_mut(last.index()?)?;
                Some(std::mem::take(slot))
            }
            Value::Object(object) => std::sync::Arc::make_mut(object).remove(&last.0),
            _ => None,
        }
    }
}

impl Object {
    /// Like [`Value::set_path`] for the fields of an object.
    pub fn set_path(&mut self, path: &str, value: impl Into<Value>) {
        let keys = PathKey::split(path);
        if let Some((first, rest)) = keys.split_first() {
            let slot = self.entry(&first.0);
            if let Some(next) = rest.first()
                && !matches!(slot, Value::Object(_) | Value::Array(_))
            {
                *slot = if next.index().is_some() { Value::array(Vec::new()) } else { Value::empty_object() };
            }
            slot.set_keys(rest, value.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn paths_are_split_at_dots_and_brackets() {
        let split = |path| PathKey::split(path).into_iter().map(|key| key.0.to_string()).collect::<Vec<_>>();
        assert_eq!(split("a.b[0].c"), ["a", "b", "0", "c"]);
        assert_eq!(split("a['x.y'][\"z\"]"), ["a", "x.y", "z"]);
        assert_eq!(split("[3].a"), ["3", "a"]);
        assert_eq!(split("plain"), ["plain"]);
        assert_eq!(split("a[b"), ["a[b"]);
        assert_eq!(split("[b.c"), ["[b", "c"]);
        assert_eq!(split("a..b."), ["a", "", "b", ""]);
        assert_eq!(split(".a"), ["", "a"]);
        assert_eq!(split(""), [""]);
        assert_eq!(split("a['b].c"), ["a['b]", "c"]);
    }

    #[test]
    fn values_are_read_set_and_removed_by_path() {
        let mut value = json!({ "a": { "b": [1, { "c": 2 }] }, "x.y": 3 });
        assert_eq!(value.get_path("a.b[1].c"), Some(&json!(2)));
        assert_eq!(value.get_path("x.y"), Some(&json!(3)));
        value.set_path("a.b[1].d.e", 5);
        value.set_path("new[1].z", true);
        assert_eq!(value.remove_path("a.b.0"), Some(json!(1)));
        assert_eq!(value.get_path("a.b[1]"), Some(&json!({ "c": 2, "d": { "e": 5 } })));
        assert_eq!(value.get_path("new[1].z"), Some(&json!(true)));
        assert_eq!(value.remove_path("nothing.here"), None);
    }
}
