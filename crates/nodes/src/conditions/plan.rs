//! A filter parameter of a node, read once: only the sides that have an expression are evaluated
//! for each item.

use super::{ConditionFilter, FilterError, FilterOptions};
use crate::field_type::DateContext;
use model::Value;
use node_api::{Ctx, NodeError};

/// The filter at a parameter path of the running node.
pub(crate) struct FilterPlan {
    path: String,
    fallback: FilterOptions,
    /// The filter with its constant parts filled in; absent when it must be read anew for each
    /// item.
    filter: Option<ConditionFilter>,
    /// Which sides of which condition change: `(condition, is_left, path)`.
    changing: Vec<(usize, bool, String)>,
}

impl FilterPlan {
    pub(crate) fn new(ctx: &Ctx<'_>, path: &str) -> Result<Self, NodeError> {
        let fallback = fallback_options(ctx)?;
        let mut plan = Self { path: path.to_owned(), fallback, filter: None, changing: Vec::new() };
        let host = ctx.host();
        if !host.has_expression(path) {
            plan.filter = ConditionFilter::read(&ctx.param(path, 0)?, fallback);
            return Ok(plan);
        }
        let raw = ctx.raw_param(path).unwrap_or_default();
        let fixed_parts = ["options", "combinator"]
            .iter()
            .all(|part| !host.has_expression(&format!("{path}.{part}")));
        let Some(mut filter) = ConditionFilter::read(&raw, fallback).filter(|_| fixed_parts) else {
            return Ok(plan);
        };
        for (index, condition) in filter.conditions.iter_mut().enumerate() {
            let place = format!("{path}.conditions[{index}]");
            if host.has_expression(&format!("{place}.operator")) {
                return Ok(plan);
            }
            for (key, is_left) in [("leftValue", true), ("rightValue", false)] {
                let side = format!("{place}.{key}");
                if host.has_expression(&side) {
                    plan.changing.push((index, is_left, side));
                } else {
                    // Read rather than taken raw, so that a leading `=` of a constant goes.
                    let value = ctx.param(&side, 0)?;
                    *(if is_left { &mut condition.left } else { &mut condition.right }) = value;
                }
            }
        }
        plan.filter = Some(filter);
        Ok(plan)
    }

    /// Whether an item passes.
    pub(crate) fn passes(&mut self, ctx: &Ctx<'_>, item: usize) -> Result<bool, NodeError> {
        let clock = DateContext { zone: ctx.host().timezone(), now_ms: ctx.host().now_ms() };
        let to_error = |error: FilterError| error.into_node_error().on_item(item);
        match &mut self.filter {
            Some(filter) => {
                for (condition, is_left, path) in &self.changing {
                    let value = ctx.param(path, item)?;
                    if let Some(condition) = filter.conditions.get_mut(*condition) {
                        *(if *is_left { &mut condition.left } else { &mut condition.right }) =
                            value;
                    }
                }
                filter.passes(item, &clock).map_err(to_error)
            }
            None => {
                let value = if ctx.host().has_expression(&self.path) {
                    ctx.param(&self.path, item)?
                } else {
                    Value::Undefined
                };
                match ConditionFilter::read(&value, self.fallback) {
                    Some(filter) => filter.passes(item, &clock).map_err(to_error),
                    // n8n takes a filter that was never filled in for a pass.
                    None => Ok(value.as_bool().unwrap_or(true)),
                }
            }
        }
    }
}

/// Options for a filter that was stored without: the node's own.
fn fallback_options(ctx: &Ctx<'_>) -> Result<FilterOptions, NodeError> {
    let options = ctx.param("options", 0)?;
    let on = |key: &str| options.get(key).is_some_and(Value::is_truthy);
    let loose = on("looseTypeValidation") || ctx.param("looseTypeValidation", 0)?.is_truthy();
    Ok(FilterOptions::of(!on("ignoreCase"), !loose, 1))
}
