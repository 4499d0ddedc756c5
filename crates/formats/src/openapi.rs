//! Reads descriptions of web APIs: OpenAPI 3.0 and 3.1 and Swagger 2.0, as JSON or YAML.
//!
//! [`read`] lists what a document describes; [`ApiDocument::operation`] reads one operation in full,
//! with its schemas; [`Call::of`] makes the request of it that a user can start from. References
//! are followed only then, within the limits below, and only inside the document: nothing here
//! fetches anything. What is broken in a document is a [`Finding`], and the rest can be used.

mod call;
mod document;
mod example;
mod operation;
mod references;
mod schema;
mod security;
mod servers;
mod swagger;
mod text;

pub use call::{
    Call, CallBody, CallField, CallPart, CallValue, KnownValues, PathPart, ValueSource,
};
pub use document::{ApiDocument, ApiFormat, OperationSummary};
pub use operation::{
    MediaType, Operation, Parameter, ParameterPlace, ParameterStyle, RequestBody, ResponseForm,
};
pub use security::{ApiKeyPlace, OAuthFlow, SecurityKind, SecurityRequirement, SecurityScheme};
pub use servers::{Server, ServerVariable};
pub use text::DocumentError;

use model::{Str, Value};

/// The largest document.
pub const MAX_DOCUMENT_BYTES: usize = 16 << 20;
/// How deep its values may be nested.
pub const MAX_DOCUMENT_DEPTH: usize = 64;
/// How many values a YAML document may have, and how many its aliases may repeat.
pub const MAX_YAML_VALUES: usize = 1_000_000;
pub const MAX_YAML_REPEATED: usize = 200_000;
/// How many aliases a YAML document may have.
pub const MAX_YAML_ALIASES: usize = 10_000;
/// Operations beyond these are left out.
pub const MAX_OPERATIONS: usize = 10_000;
/// How many references may lead from one to the next.
pub const MAX_REFERENCE_STEPS: usize = 50;
/// How deep a schema is read, references included.
pub const MAX_SCHEMA_DEPTH: usize = 48;
/// How many schemas are read for one operation, references included.
pub const MAX_SCHEMAS: usize = 20_000;
/// Parameters of one operation, and servers of one document.
pub const MAX_PARAMETERS: usize = 500;
pub const MAX_SERVERS: usize = 100;
/// Further findings are left out.
pub const MAX_FINDINGS: usize = 100;

/// Something in a document that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The operation, such as `GET /pets`, or a part of the document.
    pub place: Str,
    pub problem: Str,
}

/// A document that is part of another one, such as a manifest.
pub(crate) fn from_value(root: Value) -> Result<ApiDocument, DocumentError> {
    if root.is_deeper_than(MAX_DOCUMENT_DEPTH) {
        return Err(DocumentError::TooDeep);
    }
    document::from_value(root)
}

/// Reads a document and lists its operations.
pub fn read(text: &str) -> Result<ApiDocument, DocumentError> {
    document::from_value(text::parse(text)?)
}

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;
