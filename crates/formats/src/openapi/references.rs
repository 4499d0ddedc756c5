//! Follows `$ref` inside a document.

use super::{Finding, MAX_FINDINGS, MAX_REFERENCE_STEPS};
use model::{Str, Value};
use std::collections::HashSet;

/// A document being read, and what was found wrong with it.
pub(super) struct Reader<'a> {
    pub(super) root: &'a Value,
    pub(super) findings: Vec<Finding>,
    /// What was said once is not said again.
    said: HashSet<(Str, Str)>,
    /// Where in the document the reading is, for findings.
    pub(super) place: Str,
    /// Schemas that may still be read.
    pub(super) schemas_left: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(root: &'a Value) -> Self {
        Self {
            root,
            findings: Vec::new(),
            said: HashSet::new(),
            place: Str::from("document"),
            schemas_left: super::MAX_SCHEMAS,
        }
    }

    pub(super) fn report(&mut self, problem: impl Into<Str>) {
        let finding = Finding { place: self.place.clone(), problem: problem.into() };
        if self.findings.len() < MAX_FINDINGS
            && self.said.insert((finding.place.clone(), finding.problem.clone()))
        {
            self.findings.push(finding);
        }
    }

    /// What a value refers to, or the value itself; nothing if it leads nowhere.
    pub(super) fn follow(&mut self, value: &'a Value) -> Option<&'a Value> {
        let mut found = value;
        for _ in 0..MAX_REFERENCE_STEPS {
            let Some(reference) = reference_of(found) else { return Some(found) };
            found = self.look_up(reference)?;
        }
        self.report(format!(
            "References lead in a circle, or over more than {MAX_REFERENCE_STEPS} steps"
        ));
        None
    }

    /// The place that a reference names.
    pub(super) fn look_up(&mut self, reference: &str) -> Option<&'a Value> {
        let shown: String = reference.chars().take(200).collect();
        let Some(pointer) = reference.strip_prefix('#') else {
            self.report(format!("'{shown}' is in another document, which is not fetched"));
            return None;
        };
        let found = at_pointer(self.root, pointer);
        if found.is_none() {
            self.report(format!("'{shown}' does not exist"));
        }
        found
    }

    /// The fields of an object, reported if it is none.
    pub(super) fn object(&mut self, value: &'a Value, what: &str) -> Option<&'a model::Object> {
        let found = self.follow(value)?;
        if found.as_object().is_none() {
            self.report(format!("{what} is not an object"));
        }
        found.as_object()
    }
}

pub(super) fn reference_of(value: &Value) -> Option<&str> {
    value.get("$ref").and_then(Value::as_str)
}

/// The value at a JSON pointer that is the fragment of a URI.
fn at_pointer<'a>(root: &'a Value, pointer: &str) -> Option<&'a Value> {
    if pointer.is_empty() {
        return Some(root);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(root, |value, step| {
        let step = percent_decoded(step).replace("~1", "/").replace("~0", "~");
        match value {
            Value::Array(values) => values.get(step.parse::<usize>().ok()?),
            value => value.get(&step),
        }
    })
}

fn percent_decoded(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// The text of a field, cut to so many letters.
pub(super) fn text_field(object: &model::Object, name: &str, max: usize) -> Str {
    match object.get(name) {
        Some(Value::String(text)) => clipped(text, max),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => clipped(&value.to_js_string(), max),
        _ => Str::new(),
    }
}

pub(super) fn clipped(text: &str, max: usize) -> Str {
    match text.char_indices().nth(max) {
        Some((end, _)) => Str::from(text.get(..end).unwrap_or_default()),
        None => Str::from(text),
    }
}

pub(super) fn flag(object: &model::Object, name: &str) -> bool {
    object.get(name).and_then(Value::as_bool).unwrap_or(false)
}
