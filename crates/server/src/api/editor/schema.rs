//! The fields that items have, for choosing one to drag into an expression.

use super::items::{check, run_blocking, selected_items};
use super::journal_view::JournalView;
use crate::App;
use crate::access::Principal;
use crate::api::{QueryResult, RequestQuery};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire::{self, FieldType, Json, SchemaField};
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use model::{Str, Value};
use std::collections::HashMap;

/// Items that are looked at; later ones seldom have other fields.
const MAX_ITEMS: usize = 100;
/// Fields that are told.
const MAX_FIELDS: usize = 1000;
/// Objects within objects.
const MAX_DEPTH: usize = 10;
/// How much of a text is told as its sample.
const SAMPLE_LETTERS: usize = 100;

pub(super) async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryResult<wire::ItemSelection>,
) -> Result<Response, ApiError> {
    let story = JournalView::read(&app, &who, &id).await?;
    let RequestQuery(wanted) = query?;
    run_blocking(move || {
        let items = selected_items(&story, &wanted)?;
        let mut fields = SchemaFields::default();
        for item in items.range(0, MAX_ITEMS) {
            fields.collect(&item.json, &mut Vec::new());
        }
        check(&story, &items)?;
        Ok(typed(StatusCode::OK, &wire::ExecutionSchema { fields: fields.found }))
    })
    .await
}

#[derive(Default)]
struct SchemaFields {
    found: Vec<SchemaField>,
    indexes: HashMap<Vec<Str>, usize>,
}

impl SchemaFields {
    fn collect(&mut self, value: &Value, path: &mut Vec<Str>) {
        if !path.is_empty() {
            self.record(path, value);
        }
        if path.len() >= MAX_DEPTH {
            return;
        }
        match value {
            Value::Object(fields) => {
                for (key, field) in fields.iter() {
                    path.push(key.clone());
                    self.collect(field, path);
                    path.pop();
                }
            }
            // The first of a list stands for all.
            Value::Array(values) => {
                if let Some(first) = values.first() {
                    path.push("0".into());
                    self.collect(first, path);
                    path.pop();
                }
            }
            _ => {}
        }
    }

    fn record(&mut self, path: &[Str], value: &Value) {
        let (kind, sample) = (kind_of(value), sample_of(value));
        match self.indexes.get(path) {
            Some(place) => {
                let known = &mut self.found[*place];
                // A field that was empty in the items before is told by one where it is not.
                if known.kind == FieldType::Null {
                    (known.kind, known.sample) = (kind, Json(sample));
                }
            }
            None if self.found.len() < MAX_FIELDS => {
                self.indexes.insert(path.to_vec(), self.found.len());
                self.found.push(SchemaField { path: path.to_vec(), kind, sample: Json(sample) });
            }
            None => {}
        }
    }
}

pub(super) fn kind_of(value: &Value) -> FieldType {
    match value {
        Value::Undefined | Value::Null => FieldType::Null,
        Value::Bool(_) => FieldType::Boolean,
        Value::Number(_) => FieldType::Number,
        Value::String(_) => FieldType::String,
        Value::Array(_) => FieldType::Array,
        Value::Object(_) => FieldType::Object,
        _ => FieldType::Date,
    }
}

fn sample_of(value: &Value) -> Value {
    match value {
        Value::String(text) if text.chars().count() > SAMPLE_LETTERS => {
            text.chars().take(SAMPLE_LETTERS).chain(['…']).collect::<String>().into()
        }
        Value::Object(_) | Value::Array(_) | Value::Undefined => Value::Null,
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Object, json};

    #[test]
    fn fields_are_told_once_and_by_a_value_that_says_something() {
        let mut fields = SchemaFields::default();
        for item in [
            json!({ "a": null, "b": [{ "c": 1 }, { "d": 2 }] }),
            json!({ "a": "text", "e": { "f": true } }),
        ] {
            fields.collect(&item, &mut Vec::new());
        }
        let told = |field: &SchemaField| {
            format!("{} {:?}", field.path.join("."), field.kind).to_lowercase()
        };
        let told: Vec<String> = fields.found.iter().map(told).collect();
        assert_eq!(
            told,
            ["a string", "b array", "b.0 object", "b.0.c number", "e object", "e.f boolean"]
        );
    }

    #[test]
    fn deep_and_wide_items_are_looked_at_only_so_far() {
        let mut deep = json!(1);
        for _ in 0..100 {
            deep = Object::from_iter([("x", deep)]).into();
        }
        let mut fields = SchemaFields::default();
        fields.collect(&deep, &mut Vec::new());
        assert_eq!(fields.found.len(), MAX_DEPTH);
        let wide: Object = (0..2 * MAX_FIELDS)
            .map(|number| (Str::from(number.to_string()), Value::from(number)))
            .collect();
        fields.collect(&wide.into(), &mut Vec::new());
        assert_eq!(fields.found.len(), MAX_FIELDS);
    }
}
