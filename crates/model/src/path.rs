//! Paths into a value, as n8n's nodes take them: `a.b[0]['c d']`.

use crate::json::MAX_DEPTH;
use crate::{MAX_ITEM_DEPTH, Object, Str, Value};

/// How far the paths of one item may make arrays longer beyond their ends, all of them together.
const MAX_ARRAY_GAP: usize = 10_000;

/// How many elements of lists may still be left empty in one item. Whoever puts several values into
/// an item keeps one for all of them: a few letters of each path could otherwise ask for thousands
/// of elements.
#[derive(Clone, Debug)]
pub struct Gaps {
    left: usize,
}

impl Default for Gaps {
    fn default() -> Self {
        Self { left: MAX_ARRAY_GAP }
    }
}

impl Gaps {
    fn take(&mut self, count: usize) -> Result<(), PathError> {
        self.left = self.left.checked_sub(count).ok_or(PathError::Gap)?;
        Ok(())
    }
}

/// Why a value cannot be put at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("the path is more than {MAX_DEPTH} levels deep")]
    Depth,
    #[error("a value at this path would be nested deeper than {MAX_ITEM_DEPTH} levels")]
    ValueDepth,
    #[error("this path would leave more than {MAX_ARRAY_GAP} list elements empty")]
    Gap,
}

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
    /// How far before the end of the path the last `]`, `"]` and `']` are, so that what is never
    /// closed is not looked for again and again. Few paths have a bracket, so they are looked for
    /// at the first one.
    last: Option<[Option<usize>; 3]>,
}

/// What closes a bracket, by how it begins: plain, or with a quote.
const CLOSINGS: [&str; 3] = ["]", "\"]", "']"];

impl<'p> PathKeys<'p> {
    pub fn of(path: &'p str) -> Self {
        Self { rest: path, is_open: true, last: None }
    }

    /// The text inside a leading `[…]`, without quotes, and what follows. `text` is what is left of
    /// the path from some place on.
    fn bracket(&mut self, text: &'p str) -> Option<(&'p str, &'p str)> {
        let inner = text.strip_prefix('[')?;
        let rest = self.rest;
        let last = *self.last.get_or_insert_with(|| last_closings(rest.as_bytes()));
        let (inner, kind) = match inner.as_bytes().first() {
            Some(b'"') => (&inner[1..], 1),
            Some(b'\'') => (&inner[1..], 2),
            _ => (inner, 0),
        };
        let is_closed = last[kind].is_some_and(|before_end| before_end <= inner.len());
        if is_closed { inner.split_once(CLOSINGS[kind]) } else { None }
    }
}

/// How far before the end each of [`CLOSINGS`] is for the last time.
fn last_closings(path: &[u8]) -> [Option<usize>; 3] {
    let mut last = [None; 3];
    let mut before = 0;
    for (at, byte) in path.iter().enumerate() {
        if *byte == b']' {
            let before_end = path.len() - at;
            last[0] = Some(before_end);
            match before {
                b'"' => last[1] = Some(before_end + 1),
                b'\'' => last[2] = Some(before_end + 1),
                _ => {}
            }
        }
        before = *byte;
    }
    last
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
        let rest = self.rest;
        if rest.starts_with('[')
            && let Some((inner, after)) = self.bracket(rest)
        {
            self.rest = after;
            return Some(inner);
        }
        let ends = |(at, byte): &(usize, u8)| {
            *byte == b'.' || (*byte == b'[' && self.bracket(&rest[*at..]).is_some())
        };
        let length = rest.bytes().enumerate().find(ends).map_or(rest.len(), |(at, _)| at);
        let (key, after) = rest.split_at(length);
        self.rest = after;
        Some(key)
    }
}

impl Value {
    /// The value at a path such as `a.b[0]`. A key that is there by its full name wins over its
    /// parts.
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

    /// Puts a value at a path of our own and makes the objects and arrays on the way, as lodash's
    /// `set` does. A path that somebody else wrote goes to [`Value::put_path`].
    pub fn set_path(&mut self, path: &'static str, value: impl Into<Value>) {
        // Nobody here writes a path that leads too far.
        let _ = self.put(&PathKey::split(path), value.into(), &mut Gaps::default());
    }

    /// The same for any path: one that would nest a value too deeply, or make a list too long, is
    /// refused. For a single value; several of one item go to [`Value::put_path_within`].
    pub fn put_path(&mut self, path: &str, value: impl Into<Value>) -> Result<(), PathError> {
        self.put_path_within(path, value, &mut Gaps::default())
    }

    /// The same for one of several values of an item, which share their gaps.
    pub fn put_path_within(
        &mut self,
        path: &str,
        value: impl Into<Value>,
        gaps: &mut Gaps,
    ) -> Result<(), PathError> {
        self.put_keys(&PathKey::split(path), value.into(), gaps)
    }

    pub fn put_keys(
        &mut self,
        keys: &[PathKey],
        value: Value,
        gaps: &mut Gaps,
    ) -> Result<(), PathError> {
        check(keys, &value)?;
        self.put(keys, value, gaps)
    }

    fn put(&mut self, keys: &[PathKey], value: Value, gaps: &mut Gaps) -> Result<(), PathError> {
        let mut holder = self;
        for (at, key) in keys.iter().enumerate() {
            holder = match (holder, key.index()) {
                (Value::Array(values), Some(index)) => {
                    let values = std::sync::Arc::make_mut(values);
                    if index >= values.len() {
                        gaps.take(index - values.len())?;
                        values.resize(index + 1, Value::Undefined);
                    }
                    &mut values[index]
                }
                (holder, _) => holder.make_object().entry(&key.0),
            };
            if let Some(next) = keys.get(at + 1)
                && !matches!(holder, Value::Object(_) | Value::Array(_))
            {
                *holder = if next.index().is_some() {
                    Value::array(Vec::new())
                } else {
                    Value::empty_object()
                };
            }
        }
        *holder = value;
        Ok(())
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
    /// Like [`Value::put_path_within`] for the fields of an object.
    pub fn put_path_within(
        &mut self,
        path: &str,
        value: impl Into<Value>,
        gaps: &mut Gaps,
    ) -> Result<(), PathError> {
        let (keys, value) = (PathKey::split(path), value.into());
        check(&keys, &value)?;
        let Some((first, rest)) = keys.split_first() else { return Ok(()) };
        let slot = self.entry(&first.0);
        if let Some(next) = rest.first()
            && !matches!(slot, Value::Object(_) | Value::Array(_))
        {
            *slot = if next.index().is_some() {
                Value::array(Vec::new())
            } else {
                Value::empty_object()
            };
        }
        slot.put(rest, value, gaps)
    }
}

/// What is put somewhere again and again could grow a level with each path; a single key adds no
/// more than the step around it may.
fn check(keys: &[PathKey], value: &Value) -> Result<(), PathError> {
    match keys.len() {
        0 | 1 => Ok(()),
        levels if levels > MAX_DEPTH => Err(PathError::Depth),
        levels if value.is_deeper_than(MAX_ITEM_DEPTH - levels) => Err(PathError::ValueDepth),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn paths_are_split_at_dots_and_brackets() {
        let split = |path| {
            PathKey::split(path).into_iter().map(|key| key.0.to_string()).collect::<Vec<_>>()
        };
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
        assert_eq!(split("['a'].b']"), ["a", "b']"]);
        assert_eq!(split("[]['']"), ["", ""]);
        assert_eq!(split("a[\"]"), ["a[\"]"]);
    }

    #[test]
    fn issue_14_04_brackets_that_nobody_closes_are_looked_at_once() {
        let began = std::time::Instant::now();
        for part in ["[", "['", "[\"", "a[", "[']"] {
            for closing in ["", "]", "\"]"] {
                PathKey::split(&format!("{}{closing}", part.repeat(200_000)));
            }
        }
        assert!(began.elapsed() < std::time::Duration::from_secs(60), "{:?}", began.elapsed());
    }

    #[test]
    fn issue_14_02_a_path_leads_neither_too_deep_nor_too_far() {
        let mut value = json!({});
        assert_eq!(value.put_path(&format!("a{}", ".a".repeat(100_000)), 1), Err(PathError::Depth));
        assert_eq!(
            value.put_path("[10000][10000]", 1),
            Ok(()),
            "a key of the object, and a list in it"
        );
        assert_eq!(value.put_path("list[10001]", 1), Err(PathError::Gap));
        assert_eq!(value.put_path("b[6000][6000]", 1), Err(PathError::Gap));
        assert_eq!(value.put_path("c[9000]", 1), Ok(()));
        assert_eq!(value.get_path("c[9000]"), Some(&json!(1)));
        // What is put deeper and deeper ends too.
        let mut deep = json!({});
        let ended = (0..1_000).find_map(|_| {
            let inner = deep.clone();
            deep.put_path("a.b", inner).err()
        });
        assert_eq!(ended, Some(PathError::ValueDepth));
        let mut object = Object::new();
        let mut gaps = Gaps::default();
        assert_eq!(
            object.put_path_within(&"a.".repeat(1_000), 1, &mut gaps),
            Err(PathError::Depth)
        );
        assert_eq!(object.put_path_within("a[1].b", 1, &mut gaps), Ok(()));
        assert_eq!(object.get("a").and_then(|list| list.get_path("[1].b")), Some(&json!(1)));
    }

    #[test]
    fn issue_14_09_the_paths_of_one_item_share_their_gaps() {
        let (mut value, mut object) = (json!({}), Object::new());
        let mut gaps = Gaps::default();
        assert_eq!(value.put_path_within("a0[9999]", 1, &mut gaps), Ok(()));
        assert_eq!(value.put_path_within("a1[9999]", 1, &mut gaps), Err(PathError::Gap));
        assert_eq!(object.put_path_within("a2[2]", 1, &mut gaps), Err(PathError::Gap));
        // A path that was refused costs nothing, and lists that grow without gaps take none.
        assert_eq!(object.put_path_within("a3[1]", 1, &mut gaps), Ok(()));
        for index in 0..20_000 {
            assert_eq!(
                value.put_path_within(&format!("list[{index}].number"), index, &mut gaps),
                Ok(())
            );
        }
        assert_eq!(value.get_path("list[19999].number"), Some(&json!(19_999)));
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
