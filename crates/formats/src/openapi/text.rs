//! The text of a document, JSON or YAML, as values.

use super::{
    MAX_DOCUMENT_BYTES, MAX_DOCUMENT_DEPTH, MAX_YAML_ALIASES, MAX_YAML_REPEATED, MAX_YAML_VALUES,
};
use model::Value;
use serde_saphyr::options::DuplicateKeyPolicy;
use serde_saphyr::{alias_limits, budget, options};

/// Why a document cannot be read at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    #[error("the document exceeds the limit of {MAX_DOCUMENT_BYTES} bytes")]
    TooLarge,
    #[error("the document exceeds the limit of {MAX_DOCUMENT_DEPTH} nested levels")]
    TooDeep,
    #[error("it is not valid JSON: {problem} at line {line}, column {column}")]
    Json { problem: String, line: u64, column: u64 },
    #[error("it is not valid YAML: {problem}{}", place(*.line, *.column))]
    Yaml { problem: String, line: Option<u64>, column: Option<u64> },
    #[error("it is not an API description: it has no 'openapi' or 'swagger' field")]
    NotADescription,
    #[error("version {version} is not supported; use OpenAPI 3.0 or 3.1, or Swagger 2.0")]
    Version { version: String },
}

fn place(line: Option<u64>, column: Option<u64>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!(" at line {line}, column {column}"),
        _ => String::new(),
    }
}

pub(super) fn parse(text: &str) -> Result<Value, DocumentError> {
    if text.len() > MAX_DOCUMENT_BYTES {
        return Err(DocumentError::TooLarge);
    }
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let value = if text.starts_with(['{', '[']) { json(text)? } else { yaml(text)? };
    if value.is_deeper_than(MAX_DOCUMENT_DEPTH) {
        return Err(DocumentError::TooDeep);
    }
    Ok(value)
}

fn json(text: &str) -> Result<Value, DocumentError> {
    model::json::parse(text).map_err(|error| DocumentError::Json {
        problem: error.what.to_owned(),
        line: error.line as u64,
        column: error.column as u64,
    })
}

fn yaml(text: &str) -> Result<Value, DocumentError> {
    let options = options! {
        budget: budget! {
            max_depth: MAX_DOCUMENT_DEPTH,
            max_nodes: MAX_YAML_VALUES,
            max_events: 3 * MAX_YAML_VALUES,
            max_aliases: MAX_YAML_ALIASES,
            max_anchors: MAX_YAML_ALIASES,
            max_documents: 1,
            enforce_alias_anchor_ratio: false,
        },
        alias_limits: alias_limits! { max_total_replayed_events: MAX_YAML_REPEATED },
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let at = error.location();
        DocumentError::Yaml {
            problem: first_line(&error.to_string()),
            line: at.map(|at| at.line()),
            column: at.map(|at| at.column()),
        }
    })
}

/// What went wrong, without the excerpt that may follow.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}
