//! How data tables refuse.

use crate::NodeError;
use model::{Code, Str};

#[derive(Clone, Debug, thiserror::Error)]
pub enum TableError {
    #[error("Data table {name} does not exist")]
    NoTable { name: Str },
    #[error("The data table '{table}' has no column '{name}'")]
    NoColumn { table: Str, name: Str },
    #[error("{what} '{name}' already exists")]
    Taken { what: &'static str, name: Str },
    #[error("'{name}' is not a valid name for {what}: {rule}")]
    Name { what: &'static str, name: Str, rule: &'static str },
    #[error("The value {value} of the column '{column}' is not a {wanted}")]
    Value { column: Str, value: Str, wanted: &'static str },
    /// A filter, an order or a set of values that cannot be used.
    #[error("{problem}")]
    Request { problem: Str },
    #[error("{what}: the limit is {limit}")]
    Limit { what: &'static str, limit: usize },
    #[error("Data tables are stored in a data folder, but this run has none")]
    Nowhere,
    /// The store itself failed.
    #[error("{message}")]
    Store { code: Code, message: Str },
}

impl TableError {
    pub fn request(problem: impl Into<Str>) -> Self {
        TableError::Request { problem: problem.into() }
    }

    pub fn code(&self) -> Code {
        match self {
            TableError::NoTable { .. } | TableError::Nowhere => Code::TABLE_NOT_FOUND,
            TableError::NoColumn { .. } | TableError::Name { .. } => Code::TABLE_COLUMN,
            TableError::Taken { .. } => Code::NAME_TAKEN,
            TableError::Value { .. } | TableError::Request { .. } => Code::TABLE_VALUE,
            TableError::Limit { .. } => Code::TABLE_LIMIT,
            TableError::Store { code, .. } => *code,
        }
    }

    pub fn hint(&self) -> Option<&'static str> {
        match self {
            TableError::NoTable { .. } => Some("Create the table, or choose another one."),
            TableError::NoColumn { .. } => {
                Some("Add the column to the table, or remove the value.")
            }
            TableError::Nowhere => {
                Some("Set HEDDLE_DATA to a data folder; `heddle serve` creates one.")
            }
            TableError::Limit { .. } => {
                Some("Delete what is no longer needed, or store the data in your own database.")
            }
            TableError::Taken { .. }
            | TableError::Name { .. }
            | TableError::Value { .. }
            | TableError::Request { .. }
            | TableError::Store { .. } => None,
        }
    }
}

impl From<TableError> for NodeError {
    fn from(error: TableError) -> Self {
        let told = NodeError::new(error.code(), Str::from(error.to_string()));
        match error.hint() {
            Some(hint) => told.hint(hint),
            None => told,
        }
    }
}
