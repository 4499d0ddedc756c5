//! What the tables held, to give values back the type they had as items.

use model::{Object, Str, Value};
use rusqlite::Row;
use rusqlite::types::ValueRef;
use std::collections::{HashMap, HashSet};

/// Stands in for the columns of a table that has none.
pub(super) const NO_COLUMN: &str = "__no_columns";

#[derive(Default)]
pub(super) struct ColumnTypes {
    /// Columns by name: whether they held a value other than true and false, and whether they held
    /// null.
    columns: HashMap<Str, ColumnFacts>,
    /// Texts that spell an object or a list of an item.
    nested: HashSet<Str>,
}

#[derive(Default)]
struct ColumnFacts {
    has_flag: bool,
    has_other: bool,
    has_null: bool,
}

impl ColumnTypes {
    pub(super) fn record(&mut self, name: &Str, value: &Value) {
        let facts = match self.columns.get_mut(name) {
            Some(facts) => facts,
            None => self.columns.entry(name.clone()).or_default(),
        };
        match value {
            Value::Bool(_) => facts.has_flag = true,
            Value::Null => facts.has_null = true,
            Value::Undefined => {}
            _ => facts.has_other = true,
        }
    }

    pub(super) fn record_nested(&mut self, text: Str) {
        self.nested.insert(text);
    }

    pub(super) fn read(&self, names: &[Str], row: &Row<'_>) -> Value {
        let mut object = Object::new();
        for (index, name) in names.iter().enumerate().filter(|(_, name)| *name != NO_COLUMN) {
            let facts = self.columns.get(name);
            let value = self.value(row.get_ref(index).unwrap_or(ValueRef::Null), facts);
            // A field that an item does not have, or a row without a partner, gives no field; only
            // a real null is null.
            let is_missing = value.is_null()
                && (facts.is_some_and(|facts| !facts.has_null) || object.contains_key(name));
            if !is_missing {
                object.insert(name.clone(), value);
            }
        }
        Value::object(object)
    }

    fn value(&self, cell: ValueRef<'_>, facts: Option<&ColumnFacts>) -> Value {
        let is_flag = facts.is_some_and(|facts| facts.has_flag && !facts.has_other);
        match cell {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number @ (0 | 1)) if is_flag => Value::Bool(number == 1),
            ValueRef::Integer(number) => Value::Number(number as f64),
            ValueRef::Real(number) => Value::Number(number),
            ValueRef::Text(bytes) => {
                let text = Str::from(String::from_utf8_lossy(bytes).as_ref());
                let is_nested = self.nested.contains(&text);
                Some(&text)
                    .filter(|_| is_nested)
                    .and_then(|text| model::json::parse(text).ok())
                    .unwrap_or(Value::String(text))
            }
            ValueRef::Blob(bytes) => Value::String(String::from_utf8_lossy(bytes).as_ref().into()),
        }
    }
}
