//! How much work it is to hold a value against a schema, counted before it is done.
//!
//! References let a short schema ask the same of a value thousands of times over, or in one call
//! inside of another, and a validator cannot be stopped. So the same way is walked without doing
//! the work, and what leads too far or too deep is not checked at all.

use super::{SAME_VALUE, SAME_VALUE_BY_FIELD, SAME_VALUE_LISTS, target};
use serde_json::{Map, Value};

/// Steps of a check at most.
pub(super) const MAX_STEPS: usize = 1_000_000;
/// Schemas inside of each other at most, those that references lead to included: each takes a piece
/// of the stack.
pub(super) const MAX_LEVELS: usize = 500;
/// Up to this many, all problems are collected.
const FULL_REPORT_STEPS: usize = 20_000;
/// Up to this many, a check is done at once wherever it is asked for.
const INLINE_STEPS: usize = 2_000;
/// What each byte of a text costs that is held against a pattern: every one is looked at in all
/// states of the pattern.
const PATTERN: usize = 16;
/// So much of any other text costs a step.
const TEXT_BYTES: usize = 256;
/// What following a reference costs besides.
const REFERENCE: usize = 3;

pub(super) enum Cost {
    Low,
    High,
    TooHigh,
}

pub(super) fn cost(schema: &Value, value: &Value) -> Cost {
    let mut walk = CostWalk { schema, left: MAX_STEPS };
    match walk.visit(schema, value, 0) {
        None => Cost::TooHigh,
        Some(()) if MAX_STEPS - walk.left <= FULL_REPORT_STEPS => Cost::Low,
        Some(()) => Cost::High,
    }
}

/// Whether a check takes no time to speak of.
pub(super) fn is_cheap(schema: &Value, value: &Value) -> bool {
    CostWalk { schema, left: INLINE_STEPS }.visit(schema, value, 0).is_some()
}

struct CostWalk<'s> {
    schema: &'s Value,
    left: usize,
}

impl<'s> CostWalk<'s> {
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }

    /// A step for every part of something that is compared.
    fn count_parts(&mut self, value: &Value) -> Option<()> {
        self.spend(1)?;
        match value {
            Value::String(text) => self.spend(text.len() / TEXT_BYTES),
            Value::Array(values) => values.iter().try_for_each(|value| self.count_parts(value)),
            Value::Object(fields) => fields.values().try_for_each(|field| self.count_parts(field)),
            _ => Some(()),
        }
    }

    /// Nothing if it is too much.
    fn visit(&mut self, schema: &'s Value, value: &Value, level: usize) -> Option<()> {
        let Value::Object(part) = schema else { return self.spend(1) };
        if level > MAX_LEVELS {
            return None;
        }
        self.spend(1 + value.as_str().map_or(0, |text| text.len() / TEXT_BYTES))?;
        // What nothing else has looked at is found by looking at everything else two more times.
        let times = 1 + 2 * ["unevaluatedProperties", "unevaluatedItems"]
            .iter()
            .filter(|name| part.contains_key(**name))
            .count();
        let level = level + 1;
        for (keyword, inner) in part {
            for _ in 0..times {
                self.visit_same(keyword, inner, value, level)?;
            }
            match (keyword.as_str(), value) {
                ("const" | "enum" | "required" | "dependentRequired", _) => {
                    self.count_parts(inner)?
                }
                ("uniqueItems", Value::Array(_)) => self.count_parts(value)?,
                ("pattern", Value::String(text)) => {
                    self.spend(text.len().saturating_mul(PATTERN))?
                }
                ("format", Value::String(text)) => self.spend(text.len())?,
                (_, Value::Object(fields)) => self.visit_fields(keyword, inner, fields, level)?,
                (_, Value::Array(values)) => self.visit_values(keyword, inner, values, level)?,
                _ => {}
            }
        }
        Some(())
    }

    /// Schemas about the same value: see [`super::same_place`].
    fn visit_same(
        &mut self,
        keyword: &str,
        inner: &'s Value,
        value: &Value,
        level: usize,
    ) -> Option<()> {
        match (keyword, inner) {
            ("$ref", Value::String(reference)) => {
                self.spend(REFERENCE)?;
                target(self.schema, reference)
                    .map_or(Some(()), |inner| self.visit(inner, value, level))
            }
            (_, Value::Array(list)) if SAME_VALUE_LISTS.contains(&keyword) => {
                list.iter().try_for_each(|inner| self.visit(inner, value, level))
            }
            (_, Value::Object(by_field)) if SAME_VALUE_BY_FIELD.contains(&keyword) => {
                by_field.values().try_for_each(|inner| self.visit(inner, value, level))
            }
            _ if SAME_VALUE.contains(&keyword) => self.visit(inner, value, level),
            _ => Some(()),
        }
    }

    fn visit_fields(
        &mut self,
        keyword: &str,
        inner: &'s Value,
        fields: &Map<String, Value>,
        level: usize,
    ) -> Option<()> {
        match (keyword, inner) {
            ("properties", Value::Object(properties)) => {
                self.spend(properties.len() / 4)?;
                let mut known =
                    properties.iter().filter_map(|(name, inner)| Some((inner, fields.get(name)?)));
                known.try_for_each(|(inner, field)| self.visit(inner, field, level))
            }
            // Which fields a pattern is about is not found out here: it might be all of them.
            ("patternProperties", Value::Object(patterns)) => {
                patterns.values().try_for_each(|inner| {
                    fields.iter().try_for_each(|(name, field)| {
                        self.spend(name.len().saturating_mul(PATTERN))?;
                        self.visit(inner, field, level)
                    })
                })
            }
            ("additionalProperties" | "unevaluatedProperties", _) => {
                fields.values().try_for_each(|field| self.visit(inner, field, level))
            }
            ("propertyNames", _) => fields
                .keys()
                .try_for_each(|name| self.visit(inner, &Value::String(name.clone()), level)),
            _ => Some(()),
        }
    }

    fn visit_values(
        &mut self,
        keyword: &str,
        inner: &'s Value,
        values: &[Value],
        level: usize,
    ) -> Option<()> {
        match (keyword, inner) {
            ("prefixItems" | "items", Value::Array(list)) => list
                .iter()
                .zip(values)
                .try_for_each(|(inner, value)| self.visit(inner, value, level)),
            ("items" | "additionalItems" | "contains" | "unevaluatedItems", _) => {
                values.iter().try_for_each(|value| self.visit(inner, value, level))
            }
            _ => Some(()),
        }
    }
}
