//! How collections refuse.

use crate::NodeError;
use model::{Code, Str};

#[derive(Clone, Debug, thiserror::Error)]
pub enum CollectionError {
    #[error("Collection {name} does not exist")]
    NoCollection { name: Str },
    #[error("A collection named '{name}' already exists")]
    Taken { name: Str },
    #[error("'{name}' is not a valid collection name: {rule}")]
    Name { name: Str, rule: &'static str },
    #[error(
        "The collection '{collection}' contains vectors of the model '{kept}', but these come \
             from '{given}'"
    )]
    Model { collection: Str, kept: Str, given: Str },
    #[error(
        "The collection '{collection}' contains vectors with {kept} dimensions, but these have \
             {given}"
    )]
    Dimensions { collection: Str, kept: usize, given: usize },
    /// Chunks or a question that cannot be used.
    #[error("{problem}")]
    Request { problem: Str },
    #[error("{what}: the limit is {limit}")]
    Limit { what: &'static str, limit: usize },
    #[error("Collections are stored in a data folder, but this run has none")]
    Nowhere,
    /// The store itself failed.
    #[error("{message}")]
    Store { code: Code, message: Str },
}

impl CollectionError {
    pub fn request(problem: impl Into<Str>) -> Self {
        CollectionError::Request { problem: problem.into() }
    }

    pub fn code(&self) -> Code {
        match self {
            CollectionError::NoCollection { .. } | CollectionError::Nowhere => {
                Code::COLLECTION_NOT_FOUND
            }
            CollectionError::Taken { .. } => Code::NAME_TAKEN,
            CollectionError::Model { .. } | CollectionError::Dimensions { .. } => {
                Code::COLLECTION_MODEL
            }
            CollectionError::Name { .. } | CollectionError::Request { .. } => {
                Code::COLLECTION_VALUE
            }
            CollectionError::Limit { .. } => Code::COLLECTION_LIMIT,
            CollectionError::Store { code, .. } => *code,
        }
    }

    pub fn hint(&self) -> Option<&'static str> {
        match self {
            CollectionError::NoCollection { .. } => {
                Some("Create the collection, or choose another one.")
            }
            CollectionError::Model { .. } | CollectionError::Dimensions { .. } => Some(
                "Use the embedding model that the collection was filled with, or create another \
                     collection.",
            ),
            CollectionError::Nowhere => {
                Some("Set HEDDLE_DATA to a data folder; `heddle serve` creates one.")
            }
            CollectionError::Limit { .. } => {
                Some("Delete what is no longer needed, or store the vectors in your own database.")
            }
            CollectionError::Taken { .. }
            | CollectionError::Name { .. }
            | CollectionError::Request { .. }
            | CollectionError::Store { .. } => None,
        }
    }
}

impl From<CollectionError> for NodeError {
    fn from(error: CollectionError) -> Self {
        let told = NodeError::new(error.code(), Str::from(error.to_string()));
        match error.hint() {
            Some(hint) => told.hint(hint),
            None => told,
        }
    }
}
