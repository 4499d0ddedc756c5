//! How data tables refuse.

use crate::NodeError;
use model::{Code, Str};

#[derive(Clone, Debug, thiserror::Error)]
pub enum TableError {
    #[error("There is no data table {name}")]
    NoTable { name: Str },
    #[error("The data table '{table}' has no column '{name}'")]
    NoColumn { table: Str, name: Str },
    #[error("{what} '{name}' is there already")]
    Taken { what: &'static str, name: Str },
    #[error("'{name}' cannot be the name of {what}: {rule}")]
    Name { what: &'static str, name: Str, rule: &'static str },
    #[error("The value {value} of the column '{column}' is no {wanted}")]
    Value { column: Str, value: Str, wanted: &'static str },
    /// A filter, an order or a set of values that cannot be used.
    #[error("{problem}")]
    Request { problem: Str },
    #[error("{what}: the limit is {limit}")]
    Limit { what: &'static str, limit: usize },
    #[error("Data tables are kept in a data folder, and this run has none")]
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
            TableError::NoTable { .. } => Some("Make the table, or choose another one."),
            TableError::NoColumn { .. } => {
                Some("Add the column to the table, or leave the value out.")
            }
            TableError::Nowhere => {
                Some("Set HEDDLE_DATA to a data folder; `heddle serve` makes one.")
            }
            TableError::Limit { .. } => {
                Some("Delete what is no longer needed, or keep the data in a database of your own.")
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
