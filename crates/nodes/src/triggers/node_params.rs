//! Reads parameters that are complete and evaluated, by path.

use crate::field_type::to_number;
use node_api::prelude::*;

/// The parameters of a node, whether it is about to listen or to run.
#[derive(Clone, Copy)]
pub(crate) struct NodeParams<'a>(&'a Object);

impl<'a> NodeParams<'a> {
    pub(crate) fn new(params: &'a Object) -> Self {
        Self(params)
    }

    /// The value at a path (`options.responseData`); `None` if it is not set.
    pub(crate) fn value(&self, path: &str) -> Option<&'a Value> {
        let mut keys = path.split('.');
        let first = keys.next().and_then(|key| self.0.get(key))?;
        keys.try_fold(first, |value, key| value.get(key)).filter(|value| !value.is_nullish())
    }

    /// The value as text; objects and lists as JSON, nothing as the empty text.
    pub(crate) fn text(&self, path: &str) -> Str {
        self.value(path).map_or_else(Str::new, text_of)
    }

    /// The value as text, unless that is empty.
    pub(crate) fn non_empty_text(&self, path: &str) -> Option<Str> {
        Some(self.text(path)).filter(|text| !text.is_empty())
    }

    pub(crate) fn flag(&self, path: &str) -> bool {
        self.flag_or(path, Default::default())
    }

    pub(crate) fn flag_or(&self, path: &str, otherwise: bool) -> bool {
        self.value(path)
            .map_or(otherwise, |value| value.as_str() != Some("false") && value.is_truthy())
    }

    pub(crate) fn list(&self, path: &str) -> &'a [Value] {
        self.value(path).and_then(Value::as_array).unwrap_or_default()
    }

    /// A whole number within a range; `None` if it is not set.
    pub(crate) fn whole_number(
        &self,
        path: &str,
        range: std::ops::RangeInclusive<usize>,
    ) -> Result<Option<usize>, NodeError> {
        let Some(value) = self.value(path).filter(|value| value.as_str() != Some("")) else {
            return Ok(None);
        };
        let number = to_number(value);
        let whole =
            (number.fract() == 0.0 && (0.0..1e9).contains(&number)).then_some(number as usize);
        whole.filter(|whole| range.contains(whole)).map(Some).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            NodeError::parameter(
                path,
                format!(
                    "'{path}' must be a whole number from {least} to {most}, but it is {}",
                    truncated_text(value)
                ),
            )
        })
    }
}

pub(crate) fn text_of(value: &Value) -> Str {
    match value {
        Value::Undefined | Value::Null => Str::new(),
        Value::String(text) => text.clone(),
        Value::Object(_) | Value::Array(_) => model::json::to_string(value).into(),
        value => value.to_js_string(),
    }
}

/// The beginning of a value, for a message.
pub(crate) fn truncated_text(value: &Value) -> String {
    model::json::to_string(value).chars().take(60).collect()
}
