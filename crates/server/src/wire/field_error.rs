//! What is wrong with a request, and where.

use serde::de::{self, Expected, Unexpected};
use std::fmt::{self, Display};

/// What is wrong with which field of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FieldError {
    /// `columns[0].name`; nothing if it is the whole that does not fit.
    pub(crate) path: String,
    /// `must be a string`
    pub(crate) problem: String,
}

impl FieldError {
    #[cold]
    #[inline(never)]
    pub(super) fn new(problem: impl Into<String>) -> Self {
        Self { path: String::new(), problem: problem.into() }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn of_field(field: &str, problem: &str) -> Self {
        Self { path: field.to_owned(), problem: problem.to_owned() }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn must_be(expected: impl Display) -> Self {
        Self::new(format!("must be {expected}"))
    }

    #[cold]
    #[inline(never)]
    pub(super) fn must_be_one_of(words: &[&str]) -> Self {
        match words {
            [] => Self::new("cannot be set"),
            [only] => Self::must_be(only),
            [first @ .., last] => Self::must_be(format_args!("{} or {last}", first.join(", "))),
        }
    }

    /// The same problem, seen from the object or list that has the field.
    #[cold]
    #[inline(never)]
    pub(super) fn within(mut self, place: impl Display) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{place}{dot}{}", self.path);
        self
    }
}

impl Display for FieldError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "'{}' {}", self.path, self.problem)
    }
}

impl std::error::Error for FieldError {}

impl de::Error for FieldError {
    fn custom<T: Display>(problem: T) -> Self {
        Self::new(problem.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::must_be(expected)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::must_be(expected)
    }

    fn unknown_variant(_: &str, words: &'static [&'static str]) -> Self {
        Self::must_be_one_of(words)
    }

    fn unknown_field(field: &str, _: &'static [&'static str]) -> Self {
        Self::of_field(field, "is not a field that can be set here")
    }

    fn missing_field(field: &'static str) -> Self {
        Self::of_field(field, "is missing")
    }
}
