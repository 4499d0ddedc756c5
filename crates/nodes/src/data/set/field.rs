//! A field to be set: what is constant is read and converted once, only the rest is done for each
//! item.

use crate::field_type::{DateContext, FieldCheck, TypeOptions, to_text, validate_field_type};
use model::{Gaps, PathKey};
use node_api::prelude::*;

/// A parameter that is either the same for every item or read for each.
pub(super) enum ParamSource {
    Fixed(Value),
    Changing(String),
}

impl ParamSource {
    pub(super) fn read(ctx: &Ctx<'_>, path: String) -> Result<Self, NodeError> {
        if ctx.host().has_expression(&path) {
            Ok(ParamSource::Changing(path))
        } else {
            ctx.param(&path, 0).map(ParamSource::Fixed)
        }
    }

    pub(super) fn get(&self, ctx: &Ctx<'_>, item: usize) -> Result<Value, NodeError> {
        match self {
            ParamSource::Fixed(value) => Ok(value.clone()),
            ParamSource::Changing(path) => ctx.param(path, item),
        }
    }
}

/// Where a value goes: a key, or a path if dots count.
pub(super) struct FieldTarget {
    name: Str,
    path: Option<Vec<PathKey>>,
}

impl FieldTarget {
    pub(super) fn new(name: Str, dot_notation: bool) -> Self {
        let path = (dot_notation && name.contains(['.', '[']))
            .then(|| PathKey::split(&name))
            .filter(|keys| keys.len() > 1);
        Self { name, path }
    }

    /// Puts one of the values of an item, which share their gaps.
    pub(super) fn put(
        &self,
        json: &mut Value,
        value: Value,
        gaps: &mut Gaps,
    ) -> Result<(), NodeError> {
        match &self.path {
            // A field that has the whole name already is meant, dots or not.
            Some(keys) if json.get(&self.name).is_none() => {
                json.make_object();
                json.put_keys(keys, value, gaps)?;
            }
            _ => {
                json.make_object().insert(self.name.clone(), value);
            }
        }
        Ok(())
    }
}

/// How values are converted to the type of their field.
#[derive(Clone, Copy)]
pub(super) struct Conversion {
    pub(super) version: f64,
    pub(super) ignore_errors: bool,
}

impl Conversion {
    /// The value in a field's type, or why it has none.
    pub(super) fn convert(
        self,
        ctx: &Ctx<'_>,
        name: &str,
        kind: &str,
        value: &Value,
        item: usize,
    ) -> Result<Value, NodeError> {
        if value.is_nullish() && (self.version >= 3.2 || (kind == "string" && self.version > 3.0)) {
            return Ok(Value::Null);
        }
        let text;
        let given = if kind == "string" {
            text = Value::String(if value.is_undefined() {
                "undefined".into()
            } else {
                to_text(value)
            });
            &text
        } else {
            value
        };
        let clock = DateContext { zone: ctx.host().timezone(), now_ms: ctx.host().now_ms() };
        match validate_field_type(name, given, kind, &TypeOptions::default(), &clock) {
            FieldCheck::Valid(value) if value.is_undefined() => Ok(Value::Null),
            FieldCheck::Valid(value) => Ok(value),
            FieldCheck::Invalid(_) if self.ignore_errors => Ok(if given.is_undefined() { Value::Null } else { given.clone() }),
            FieldCheck::Invalid(reason) => Err(NodeError::parameter(name, format!("{reason} [item {item}]"))
                .describe(format!(
                    "To fix the error try to change the type for the field \"{name}\" or activate the option “Ignore Type Conversion \
                     Errors” to apply a less strict type validation"
                ))
                .on_item(item)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_lead_into_objects_unless_the_field_is_there_by_its_full_name() {
        let (mut json, mut gaps) = (json!({ "a.b": 1 }), Gaps::default());
        FieldTarget::new("a.b".into(), true).put(&mut json, json!(2), &mut gaps).unwrap();
        FieldTarget::new("c.d[0]".into(), true).put(&mut json, json!(3), &mut gaps).unwrap();
        FieldTarget::new("e.f".into(), false).put(&mut json, json!(4), &mut gaps).unwrap();
        assert_eq!(json, json!({ "a.b": 2, "c": { "d": [3] }, "e.f": 4 }));
    }
}
