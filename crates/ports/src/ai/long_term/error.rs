//! How long-term memory refuses.

use crate::NodeError;
use model::{Code, Str};

#[derive(Clone, Debug, thiserror::Error)]
pub enum LongTermError {
    #[error("Memory {name} does not exist")]
    NoSpace { name: Str },
    #[error("Memory entry '{id}' does not exist")]
    NoEntry { id: Str },
    #[error(
        "Memory entry '{id}' was changed meanwhile: it has version {found}, the change is for {seen}"
    )]
    Stale { id: Str, found: u64, seen: u64 },
    #[error(
        "The memory '{space}' contains vectors of the model '{kept}' with {kept_dimensions} \
         dimensions, but these come from '{given}' and have {given_dimensions}"
    )]
    Model { space: Str, kept: Str, kept_dimensions: usize, given: Str, given_dimensions: usize },
    #[error("{problem}")]
    Value { problem: Str },
    #[error("{what}: the limit is {limit} ({name})")]
    Limit { what: &'static str, limit: usize, name: &'static str },
    #[error("Long-term memory is stored in a data folder, but this run has none")]
    Nowhere,
    /// The store itself failed.
    #[error("{message}")]
    Store { code: Code, message: Str },
}

impl LongTermError {
    pub fn value(problem: impl Into<Str>) -> Self {
        LongTermError::Value { problem: problem.into() }
    }

    pub fn code(&self) -> Code {
        match self {
            LongTermError::NoSpace { .. }
            | LongTermError::NoEntry { .. }
            | LongTermError::Nowhere => Code::MEMORY_NOT_FOUND,
            LongTermError::Stale { .. } => Code::MEMORY_STALE,
            LongTermError::Model { .. } => Code::MEMORY_MODEL,
            LongTermError::Value { .. } => Code::MEMORY_VALUE,
            LongTermError::Limit { .. } => Code::MEMORY_LIMIT,
            LongTermError::Store { code, .. } => *code,
        }
    }

    pub fn hint(&self) -> Option<&'static str> {
        match self {
            LongTermError::Stale { .. } => Some("Read the entry again and repeat the change."),
            LongTermError::Model { .. } => Some(
                "Use the embedding model that the memory was filled with, or choose another space.",
            ),
            LongTermError::Nowhere => {
                Some("Set HEDDLE_DATA to a data folder; `heddle serve` creates one.")
            }
            LongTermError::Limit { .. } => {
                Some("Delete entries that are no longer needed, or set an expiry.")
            }
            LongTermError::NoSpace { .. }
            | LongTermError::NoEntry { .. }
            | LongTermError::Value { .. }
            | LongTermError::Store { .. } => None,
        }
    }
}

impl From<LongTermError> for NodeError {
    fn from(error: LongTermError) -> Self {
        let told = NodeError::new(error.code(), Str::from(error.to_string()));
        match error.hint() {
            Some(hint) => told.hint(hint),
            None => told,
        }
    }
}
