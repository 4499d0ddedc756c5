//! Conditions joined by and/or: the engine behind If, Filter and Switch, with n8n's operators and
//! type checks.

mod legacy;
mod operators;
mod plan;
mod regex;

pub use self::regex::{ConditionRegex, RegexError};
pub(crate) use legacy::{
    LEGACY_OPERATIONS, LegacyCombine, LegacyConditions, compare, legacy_groups, legacy_operation,
    legacy_values, to_milliseconds,
};
pub use operators::array_contains_value;
pub(crate) use plan::FilterPlan;

use crate::field_type::{DateContext, FieldCheck, TypeOptions, validate_field_type};
use model::{Object, Str, Value};
use node_api::NodeError;

/// A filter as a workflow stores it, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct ConditionFilter {
    pub conditions: Vec<FilterCondition>,
    pub any: bool,
    pub options: FilterOptions,
}

#[derive(Clone, Debug)]
pub struct FilterCondition {
    pub left: Value,
    pub right: Value,
    pub operator: ConditionOperator,
}

#[derive(Clone, Debug)]
pub struct ConditionOperator {
    /// `string`, `number`, `dateTime`, `boolean`, `array`, `object` or `any`.
    pub kind: Str,
    pub operation: Str,
    pub right_kind: Str,
    /// The right side is not looked at.
    pub single_value: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct FilterOptions {
    pub case_sensitive: bool,
    pub strict: bool,
    pub version: u8,
}

/// Why a condition could not be evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct FilterError {
    pub message: String,
    pub description: Option<String>,
}

impl FilterError {
    pub(crate) fn into_node_error(self) -> NodeError {
        let error = NodeError::input(self.message);
        match self.description {
            Some(description) => error.describe(description),
            None => error,
        }
    }
}

impl ConditionFilter {
    /// Reads a filter parameter; `None` for a value that has no conditions, which lets everything
    /// pass.
    pub fn read(value: &Value, fallback: FilterOptions) -> Option<Self> {
        let (conditions, combinator) =
            (value.get("conditions")?.as_array()?, value.get("combinator")?.as_str()?);
        let conditions = conditions.iter().map(FilterCondition::read).collect();
        let options =
            value.get("options").and_then(Value::as_object).map_or(fallback, FilterOptions::read);
        Some(Self { conditions, any: combinator == "or", options })
    }

    /// Whether the conditions hold. `item` only shows in error messages.
    pub fn passes(&self, item: usize, clock: &DateContext<'_>) -> Result<bool, FilterError> {
        for (index, condition) in self.conditions.iter().enumerate() {
            if condition.holds(&self.options, index, item, clock)? == self.any {
                return Ok(self.any);
            }
        }
        Ok(!self.any)
    }
}

impl FilterOptions {
    /// What a filter without options gets: the node's own settings.
    pub fn of(case_sensitive: bool, strict: bool, version: u8) -> Self {
        Self { case_sensitive, strict, version }
    }

    fn read(options: &Object) -> Self {
        let version = options.get("version").and_then(Value::as_f64).unwrap_or(1.0);
        Self {
            case_sensitive: options.get("caseSensitive").is_some_and(Value::is_truthy),
            strict: options.get("typeValidation").and_then(Value::as_str) == Some("strict"),
            version: version as u8,
        }
    }
}

impl FilterCondition {
    fn read(value: &Value) -> Self {
        let field = |key: &str| value.get(key).cloned().unwrap_or_default();
        let operator = field("operator");
        let text = |key: &str| operator.get(key).and_then(Value::as_str).map(Str::from);
        let kind = text("type").unwrap_or_default();
        let operator = ConditionOperator {
            right_kind: text("rightType").unwrap_or_else(|| kind.clone()),
            kind,
            operation: text("operation").unwrap_or_default(),
            single_value: operator.get("singleValue").is_some_and(Value::is_truthy),
        };
        Self { left: field("leftValue"), right: field("rightValue"), operator }
    }

    fn holds(
        &self,
        options: &FilterOptions,
        index: usize,
        item: usize,
        clock: &DateContext<'_>,
    ) -> Result<bool, FilterError> {
        let ConditionOperator { kind, right_kind, single_value, .. } = &self.operator;
        let left = convert(&self.left, kind, options, clock);
        let right = convert(&self.right, right_kind, options, clock);
        let right_fits = right.is_valid() || *single_value;
        if !left.is_valid() && !right_fits && self.left.type_of() == self.right.type_of() {
            return Err(FilterError {
                message: format!(
                    "Comparison type expects {} but both fields are {}",
                    with_article(kind),
                    with_article(self.left.type_of())
                ),
                description: Some(advice(kind, options.strict)),
            });
        }
        let place = format_args!("[condition {index}, item {item}]").to_string();
        let mismatch = |value: &Value, wanted: &str| {
            let (found, text) = (value.type_of(), value.to_js_string());
            let message = match options.strict {
                true => format!(
                    "Wrong type: '{text}' is {} but was expecting {} {place}",
                    with_article(found),
                    with_article(wanted)
                ),
                false => format!(
                    "Conversion error: the {found} '{text}' can't be converted to {} {place}",
                    with_article(wanted)
                ),
            };
            FilterError { message, description: Some(advice(wanted, options.strict)) }
        };
        let FieldCheck::Valid(left) = left else { return Err(mismatch(&self.left, kind)) };
        if !right_fits {
            return Err(mismatch(&self.right, right_kind));
        }
        let right = if let FieldCheck::Valid(right) = right { right } else { Value::Undefined };
        operators::apply(&self.operator, &left, &right, !options.case_sensitive)
    }
}

fn convert(
    value: &Value,
    kind: &str,
    options: &FilterOptions,
    clock: &DateContext<'_>,
) -> FieldCheck {
    if kind == "any" || value.is_nullish() {
        return FieldCheck::Valid(value.clone());
    }
    if kind == "boolean" && !options.strict {
        let checked = validate_field_type("filter", value, kind, &TypeOptions::default(), clock);
        let usable = options.version >= 2 && checked.is_valid();
        return if usable { checked } else { FieldCheck::Valid(Value::Bool(value.is_truthy())) };
    }
    if kind == "number" {
        let is_blank = match value {
            Value::String(text) => text.trim().is_empty(),
            Value::Array(values) => values.is_empty(),
            _ => false,
        };
        if matches!(value, Value::Number(number) if number.is_nan()) {
            return FieldCheck::Valid(value.clone());
        }
        if is_blank && options.version >= 3 {
            return FieldCheck::Valid(Value::Null);
        }
    }
    let rules =
        TypeOptions { strict: options.strict, parse_strings: true, ..TypeOptions::default() };
    validate_field_type("filter", value, kind, &rules, clock)
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

fn advice(wanted: &str, strict: bool) -> String {
    let method = match wanted {
        "string" => Some(".toString()"),
        "number" => Some(".toNumber()"),
        "boolean" => Some(".toBoolean()"),
        _ => None,
    };
    match (strict, method) {
        (true, Some(method)) => {
            format!(
                "Switch on 'Convert types where required', or convert the field to {} with {method}.",
                with_article(wanted)
            )
        }
        (true, None) => {
            "Switch on 'Convert types where required', or compare as another type.".into()
        }
        (false, _) => "Compare as another type.".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn passes(
        left: Value,
        operator: (&str, &str),
        right: Value,
        strict: bool,
    ) -> Result<bool, String> {
        let filter = json!({
            "combinator": "and",
            "conditions": [{ "leftValue": left, "rightValue": right, "operator": { "type": operator.0, "operation": operator.1 } }],
            "options": { "caseSensitive": true, "typeValidation": if strict { "strict" } else { "loose" }, "version": 3 }
        });
        let filter = ConditionFilter::read(&filter, FilterOptions::of(true, true, 1)).unwrap();
        filter.passes(2, &DateContext::utc()).map_err(|error| error.message)
    }

    #[test]
    fn strict_checks_name_the_condition_and_the_item() {
        let message =
            "Wrong type: '5' is a string but was expecting a number [condition 0, item 2]";
        assert_eq!(passes(json!("5"), ("number", "gt"), json!(1), true), Err(message.into()));
        assert_eq!(passes(json!("5"), ("number", "gt"), json!(1), false), Ok(true));
        let both = "Comparison type expects a number but both fields are a string";
        assert_eq!(passes(json!("x"), ("number", "gt"), json!("y"), true), Err(both.into()));
    }

    #[test]
    fn a_case_sensitive_filter_tells_cases_apart() {
        assert_eq!(passes(json!("A"), ("string", "equals"), json!("a"), true), Ok(false));
        assert_eq!(passes(json!("A"), ("string", "regex"), json!("/a/i"), true), Ok(true));
    }

    #[test]
    fn a_filter_without_conditions_is_none() {
        assert!(ConditionFilter::read(&json!({}), FilterOptions::of(true, true, 1)).is_none());
    }
}
