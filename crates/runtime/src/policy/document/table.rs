//! Reads the keys of a TOML table, and tells the line of what is wrong with one.

use super::PolicyError;
use model::Str;
use node_api::policy::{Pattern, Patterns};
use std::ops::Range;
use toml_edit::{Item, TableLike, Value};

/// Names in one list.
const MAX_NAMES: usize = 200;

/// A table, and the text that it is from.
pub(super) struct Table<'t> {
    text: &'t str,
    table: &'t dyn TableLike,
    /// Where it begins.
    line: usize,
}

impl<'t> Table<'t> {
    pub(super) fn new(text: &'t str, table: &'t dyn TableLike) -> Self {
        Self { text, table, line: 1 }
    }

    pub(super) fn invalid(&self, problem: String) -> PolicyError {
        PolicyError::Invalid { line: self.line, problem }
    }

    /// What is wrong with the value of a key.
    pub(super) fn wrong(&self, key: &str, problem: &str) -> PolicyError {
        let span = self.table.get(key).and_then(Item::span);
        let line = span.map_or(self.line, |span| line_at(self.text, Some(span)));
        PolicyError::Invalid { line, problem: format!("{key} {problem}") }
    }

    pub(super) fn check_keys(&self, known: &[&str]) -> Result<(), PolicyError> {
        for (key, _) in self.table.iter() {
            if !known.contains(&key) {
                let problem = format!("is unknown; the keys here are {}", known.join(", "));
                return Err(self.wrong(key, &problem));
            }
        }
        Ok(())
    }

    fn value(&self, key: &str) -> Result<Option<&'t Value>, PolicyError> {
        match self.table.get(key) {
            None => Ok(None),
            Some(item) => {
                item.as_value().map(Some).ok_or_else(|| self.wrong(key, "must be a value"))
            }
        }
    }

    pub(super) fn text(&self, key: &str) -> Result<Option<Str>, PolicyError> {
        match self.value(key)? {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.value().as_str().into())),
            Some(_) => Err(self.wrong(key, "must be a string")),
        }
    }

    pub(super) fn required(&self, key: &str) -> Result<Str, PolicyError> {
        self.text(key)?.ok_or_else(|| self.invalid(format!("{key} is missing")))
    }

    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, PolicyError> {
        match self.value(key)? {
            None => Ok(None),
            Some(Value::Boolean(flag)) => Ok(Some(*flag.value())),
            Some(_) => Err(self.wrong(key, "must be true or false")),
        }
    }

    pub(super) fn optional_number(&self, key: &str) -> Result<Option<f64>, PolicyError> {
        match self.value(key)? {
            None => Ok(None),
            Some(Value::Integer(number)) => Ok(Some(*number.value() as f64)),
            Some(Value::Float(number)) if number.value().is_finite() => Ok(Some(*number.value())),
            Some(_) => Err(self.wrong(key, "must be a number")),
        }
    }

    pub(super) fn number(&self, key: &str, least: f64, most: f64) -> Result<f64, PolicyError> {
        let number = self.optional_number(key)?;
        let number = number.ok_or_else(|| self.invalid(format!("{key} is missing")))?;
        match (least..=most).contains(&number) {
            true => Ok(number),
            false => Err(self.wrong(key, &format!("must be between {least} and {most}"))),
        }
    }

    /// One text, or a list of texts.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<Str>, PolicyError> {
        let wrong = || self.wrong(key, "must be a string or a list of strings");
        match self.value(key)? {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text.value().as_str().into()]),
            // An empty list would mean nothing to the one and everything to the other.
            Some(Value::Array(list)) if list.is_empty() => {
                Err(self.wrong(key, "is an empty list; leave the key out to mean all"))
            }
            Some(Value::Array(list)) if list.len() > MAX_NAMES => {
                Err(self.wrong(key, &format!("has more than {MAX_NAMES} names (MAX_NAMES)")))
            }
            Some(Value::Array(list)) => {
                let texts = list.iter().map(|text| text.as_str().map(Str::from));
                texts.collect::<Option<_>>().ok_or_else(wrong)
            }
            Some(_) => Err(wrong()),
        }
    }

    pub(super) fn optional_patterns(&self, key: &str) -> Result<Option<Patterns>, PolicyError> {
        let texts = self.texts(key)?;
        let patterns = texts.iter().map(|text| Pattern::new(text)).collect::<Result<Vec<_>, _>>();
        let patterns = patterns.map_err(|problem| self.wrong(key, &format!(": {problem}")))?;
        Ok((!patterns.is_empty()).then_some(Patterns(patterns)))
    }

    pub(super) fn patterns(&self, key: &str) -> Result<Patterns, PolicyError> {
        Ok(self.optional_patterns(key)?.unwrap_or_default())
    }

    /// The tables of a list, whichever way it is written.
    pub(super) fn tables(&self, key: &str) -> Result<Vec<Table<'t>>, PolicyError> {
        let wrong = || self.wrong(key, &format!("must be a list of tables, such as [[{key}]]"));
        let text = self.text;
        let table = |table: &'t dyn TableLike, span: Option<Range<usize>>| Table {
            text,
            table,
            line: line_at(text, span),
        };
        match self.table.get(key) {
            None => Ok(Vec::new()),
            Some(Item::ArrayOfTables(list)) => {
                Ok(list.iter().map(|entry| table(entry, entry.span())).collect())
            }
            Some(Item::Value(Value::Array(list))) => list
                .iter()
                .map(|value| Some(table(value.as_inline_table()?, value.span())))
                .collect::<Option<_>>()
                .ok_or_else(wrong),
            Some(_) => Err(wrong()),
        }
    }
}

/// The line where a part of a text begins, counted from one.
pub(super) fn line_at(text: &str, span: Option<Range<usize>>) -> usize {
    let end = span.map_or(0, |span| span.start.min(text.len()));
    text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count() + 1
}
