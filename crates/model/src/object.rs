//! An object with its keys in order: a list while it is small, with an index once it is not.

use crate::{Str, Value};
use std::collections::HashMap;

/// Up to this many keys a walk over the list is as quick as an index and far smaller.
const INDEX_FROM: usize = 17;

/// Keys in the order they were written. Inserting an existing key keeps its place.
#[derive(Clone, Debug, Default)]
pub struct Object {
    entries: Vec<(Str, Value)>,
    #[expect(
        clippy::box_collection,
        reason = "most objects have no index, and a pointer keeps them a third smaller"
    )]
    index: Option<Box<HashMap<Str, usize>>>,
}

impl Object {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), index: None }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(key).copied(),
            None => self.entries.iter().position(|(name, _)| name == key),
        }
    }

    pub fn get(&self, key: &str) -> Option<&Value> {
        self.position(key).map(|at| &self.entries[at].1)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.position(key).map(|at| &mut self.entries[at].1)
    }

    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Sets a key and gives back what it held before.
    pub fn insert(&mut self, key: impl Into<Str>, value: impl Into<Value>) -> Option<Value> {
        let (key, value) = (key.into(), value.into());
        if let Some(at) = self.position(&key) {
            return Some(std::mem::replace(&mut self.entries[at].1, value));
        }
        self.append(key, value);
        None
    }

    /// Adds a key that is known not to be there, which saves looking.
    pub fn append(&mut self, key: Str, value: Value) {
        debug_assert!(!self.contains_key(&key), "'{key}' already exists");
        if let Some(index) = &mut self.index {
            index.insert(key.clone(), self.entries.len());
        }
        self.entries.push((key, value));
        if self.index.is_none() && self.entries.len() >= INDEX_FROM {
            self.reindex();
        }
    }

    /// The value of a key, put there as `undefined` if it was missing.
    pub fn entry(&mut self, key: &str) -> &mut Value {
        if !self.contains_key(key) {
            self.insert(key, Value::Undefined);
        }
        let at = self.position(key).unwrap_or_default();
        &mut self.entries[at].1
    }

    /// Takes a key out; the others keep their order.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.position(key)?;
        let (_, value) = self.entries.remove(at);
        if self.index.is_some() {
            self.reindex();
        }
        Some(value)
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Value) -> bool) {
        self.entries.retain(|(key, value)| keep(key, value));
        self.reindex();
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Str, &Value)> + ExactSizeIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&Str, &mut Value)> {
        self.entries.iter_mut().map(|(key, value)| (&*key, value))
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &Str> {
        self.entries.iter().map(|(key, _)| key)
    }

    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.entries.iter().map(|(_, value)| value)
    }

    /// Gives a key another name and keeps its place; a field that already had that name goes.
    pub fn rename(&mut self, from: &str, to: impl Into<Str>) {
        let to = to.into();
        if from == to || !self.contains_key(from) {
            return;
        }
        self.remove(&to);
        if let Some(at) = self.position(from) {
            self.entries[at].0 = to;
        }
        self.reindex();
    }

    fn reindex(&mut self) {
        self.index = (self.entries.len() >= INDEX_FROM).then(|| {
            Box::new(
                self.entries.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect(),
            )
        });
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        let held_by = |one: &Object, two: &Object| {
            one.iter().all(|(key, value)| value == two.get(key).unwrap_or(&Value::Undefined))
        };
        held_by(self, other) && held_by(other, self)
    }
}

impl<K: Into<Str>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut object = Object::new();
        object.extend(pairs);
        object
    }
}

impl<K: Into<Str>, V: Into<Value>> Extend<(K, V)> for Object {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        for (key, value) in pairs {
            self.insert(key, value);
        }
    }
}

impl IntoIterator for Object {
    type Item = (Str, Value);
    type IntoIter = std::vec::IntoIter<(Str, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_below_and_above_the_index_size() {
        let mut object = Object::new();
        for number in 0..40 {
            object.insert(format!("k{number}"), number);
        }
        object.insert("k3", "again");
        object.remove("k5");
        object.rename("k7", "seven");
        let keys: Vec<_> = object.keys().take(8).map(Str::as_str).collect();
        assert_eq!(keys, ["k0", "k1", "k2", "k3", "k4", "k6", "seven", "k8"]);
        assert_eq!(object.get("k39").and_then(Value::as_f64), Some(39.0));
        assert_eq!(object.get("k3").and_then(Value::as_str), Some("again"));
    }

    #[test]
    fn order_and_undefined_fields_do_not_count_for_equality() {
        let one: Object = [("a", Value::from(1)), ("b", Value::Undefined)].into_iter().collect();
        let two: Object = [("a", Value::from(1))].into_iter().collect();
        assert_eq!(one, two);
        assert_eq!(two, one);
    }
}
