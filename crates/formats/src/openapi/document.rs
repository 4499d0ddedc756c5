//! A document as a whole: what it is called, where its servers are, and the list of its operations.

use super::operation::{self, Operation};
use super::references::{Reader, clipped, flag, text_field};
use super::security::{self, SecurityRequirement, SecurityScheme};
use super::servers::{self, Server};
use super::{DocumentError, Finding, MAX_OPERATIONS, swagger};
use model::{Object, Str, Value};
use std::collections::HashSet;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
/// The longest texts that are kept, in letters.
const MAX_NAME: usize = 200;
const MAX_TEXT: usize = 2_000;
const MAX_PATH: usize = 2_000;
const MAX_TAGS: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiFormat {
    Swagger2,
    OpenApi30,
    /// And later ones, which are read as it.
    OpenApi31,
}

/// What a document describes.
#[derive(Clone, Debug)]
pub struct ApiDocument {
    pub format: ApiFormat,
    pub title: Str,
    pub version: Str,
    pub description: Str,
    pub servers: Vec<Server>,
    pub security_schemes: Vec<SecurityScheme>,
    /// For operations that say nothing else.
    pub security: Vec<SecurityRequirement>,
    pub operations: Vec<OperationSummary>,
    pub findings: Vec<Finding>,
    pub(super) root: Value,
}

/// A line in the list of operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationSummary {
    /// The one of the document, or one made of method and path; no two are the same.
    pub id: Str,
    /// In capital letters.
    pub method: Str,
    pub path: Str,
    pub summary: Str,
    pub description: Str,
    pub tags: Vec<Str>,
    pub deprecated: bool,
}

impl ApiDocument {
    /// Everything about one operation; nothing if there is none of that id.
    pub fn operation(&self, id: &str) -> Option<Operation> {
        let summary = self.operations.iter().find(|operation| operation.id == id)?;
        operation::read(self, summary)
    }

    pub fn security_scheme(&self, name: &str) -> Option<&SecurityScheme> {
        self.security_schemes.iter().find(|scheme| scheme.name == name)
    }
}

pub(super) fn from_value(root: Value) -> Result<ApiDocument, DocumentError> {
    let format = format_of(&root)?;
    let mut reader = Reader::new(&root);
    let empty = Object::new();
    let fields = root.as_object().unwrap_or(&empty);
    let info = fields.get("info").and_then(Value::as_object).unwrap_or(&empty);
    let (title, version) = (text_field(info, "title", MAX_NAME), text_field(info, "version", 50));
    let description = text_field(info, "description", MAX_TEXT);
    let servers = match format {
        ApiFormat::Swagger2 => swagger::servers(fields),
        _ => servers::read(&mut reader, fields.get("servers")),
    };
    let schemes = match format {
        ApiFormat::Swagger2 => fields.get("securityDefinitions"),
        _ => fields.get("components").and_then(|parts| parts.get("securitySchemes")),
    };
    let security_schemes = security::read_schemes(&mut reader, schemes);
    let security = security::read_requirements(fields.get("security")).unwrap_or_default();
    let operations = list_operations(&mut reader, fields.get("paths"));
    let findings = reader.findings;
    Ok(ApiDocument {
        format,
        title,
        version,
        description,
        servers,
        security_schemes,
        security,
        operations,
        findings,
        root,
    })
}

fn format_of(root: &Value) -> Result<ApiFormat, DocumentError> {
    let fields = root.as_object().ok_or(DocumentError::NotADescription)?;
    let (openapi, swagger) = (text_field(fields, "openapi", 20), text_field(fields, "swagger", 20));
    match (openapi.as_str(), swagger.as_str()) {
        ("", "") => Err(DocumentError::NotADescription),
        ("", "2" | "2.0") => Ok(ApiFormat::Swagger2),
        (version, _) if version == "3" || version.starts_with("3.0") => Ok(ApiFormat::OpenApi30),
        (version, _) if version.starts_with("3.") => Ok(ApiFormat::OpenApi31),
        (openapi, swagger) => {
            let version = if openapi.is_empty() { swagger } else { openapi };
            Err(DocumentError::Version { version: version.to_owned() })
        }
    }
}

fn list_operations<'a>(reader: &mut Reader<'a>, paths: Option<&'a Value>) -> Vec<OperationSummary> {
    let Some(paths) = paths.and_then(Value::as_object) else {
        reader.report("The document has no paths");
        return Vec::new();
    };
    let mut found = Vec::new();
    for (path, item) in paths.iter().filter(|(path, _)| !path.starts_with("x-")) {
        reader.place = clipped(path, MAX_NAME);
        if path.chars().count() > MAX_PATH {
            reader.report(format!("The path exceeds the limit of {MAX_PATH} characters"));
            continue;
        }
        let Some(item) = reader.object(item, "The path") else { continue };
        for method in METHODS {
            let Some(operation) = item.get(method) else { continue };
            reader.place = clipped(&format!("{} {path}", method.to_uppercase()), MAX_NAME);
            let Some(operation) = reader.object(operation, "The operation") else { continue };
            if found.len() == MAX_OPERATIONS {
                reader.place = "document".into();
                reader.report(format!("Only the first {MAX_OPERATIONS} operations are listed"));
                return with_ids(found);
            }
            found.push(summary(method, path, operation));
        }
    }
    reader.place = "document".into();
    with_ids(found)
}

fn summary(method: &str, path: &Str, operation: &Object) -> OperationSummary {
    let tags = operation.get("tags").and_then(Value::as_array).unwrap_or_default();
    OperationSummary {
        id: text_field(operation, "operationId", MAX_NAME),
        method: method.to_uppercase().into(),
        path: path.clone(),
        summary: text_field(operation, "summary", MAX_TEXT),
        description: text_field(operation, "description", MAX_TEXT),
        tags: tags
            .iter()
            .filter_map(Value::as_str)
            .take(MAX_TAGS)
            .map(|tag| clipped(tag, MAX_NAME))
            .collect(),
        deprecated: flag(operation, "deprecated"),
    }
}

/// Gives every operation an id of its own: ids of the document first, in its order, so that adding an operation
/// without one changes none of the others.
fn with_ids(mut operations: Vec<OperationSummary>) -> Vec<OperationSummary> {
    let mut taken = HashSet::new();
    let mut unnamed = Vec::new();
    for (index, operation) in operations.iter().enumerate() {
        if operation.id.trim().is_empty() || !taken.insert(operation.id.clone()) {
            unnamed.push(index);
        }
    }
    for index in unnamed {
        let Some(operation) = operations.get_mut(index) else { continue };
        let made = made_id(&operation.method, &operation.path);
        let mut id = made.clone();
        let mut number = 1;
        while !taken.insert(id.clone()) {
            number += 1;
            id = format!("{made}_{number}").into();
        }
        operation.id = id;
    }
    operations
}

/// `get_pets_petId` of `GET /pets/{petId}`.
fn made_id(method: &str, path: &str) -> Str {
    let words = path
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty());
    let id = words.fold(method.to_lowercase(), |id, word| format!("{id}_{word}"));
    clipped(&id, MAX_NAME)
}
