//! `/api/v1/node-types`: the descriptions of all nodes, from which forms are drawn, and their
//! pages.

use crate::App;
use crate::api::{ApiOperation, RequestQuery};
use crate::error::ApiError;
use crate::response;
use crate::wire;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::get;
use model::{Code, Value};
use node_api::{NodeType, Registry, Spec, docs};

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/node-types",
        "",
        "getNodeTypes",
        "List all node descriptions",
        || get(list),
    )
    .without_scope()
    .response::<wire::NodeTypes>(200),
    ApiOperation::new(
        "GET",
        "/node-types/{type}/docs",
        "",
        "getNodeTypeDocs",
        "Show the documentation of a node",
        || get(page),
    )
    .without_scope()
    .query::<wire::NodeTypeDocsQuery>()
    .response::<wire::NodeTypeDocs>(200),
];

fn describe(found: &NodeType, registry: &Registry) -> Result<Value, ApiError> {
    let failed = |error| {
        ApiError::new(
            Code::STORE_CORRUPT,
            format!("The description of '{}' could not be serialized: {error}", found.spec.id),
        )
    };
    let mut value = model::to_value(found.spec.as_ref()).map_err(failed)?;
    let fields = value.make_object();
    let id: String = form_urlencoded::byte_serialize(found.spec.id.as_bytes()).collect();
    fields.insert("docs", format!("/node-types/{id}/docs"));
    fields.insert("canBeTool", found.can_be_a_tool());
    if let Some(form) = registry.tool_form(found) {
        fields.insert("asTool", model::to_value(&form).map_err(failed)?);
    }
    fields.insert("supplies", found.is_supplier());
    Ok(value)
}

async fn list(State(app): State<App>, headers: HeaderMap) -> Result<Response, ApiError> {
    app.catalogue().nodes.respond(&headers, || {
        let registry = &app.runtime.engine.registry;
        let all: Result<Vec<Value>, ApiError> =
            registry.all().into_iter().map(|found| describe(found, registry)).collect();
        Ok(Value::array(all?))
    })
}

/// The page of a type: of all its versions, or of the one that is asked for.
async fn page(
    State(app): State<App>,
    Path(type_name): Path<String>,
    RequestQuery(query): RequestQuery<wire::NodeTypeDocsQuery>,
) -> Result<Response, ApiError> {
    let entries = app.runtime.engine.registry.of_type(&type_name);
    let fitting = entries
        .iter()
        .map(|found| found.spec.as_ref())
        .filter(|spec| query.version.is_none_or(|version| spec.serves(version)));
    let fitting: Vec<&Spec> = fitting.collect();
    if fitting.is_empty() {
        let type_name: String = type_name.chars().take(100).collect();
        return Err(ApiError::new(
            Code::NOT_FOUND,
            format!("Node type '{type_name}' does not exist in this version"),
        ));
    }
    let markdown = docs::page(&fitting);
    Ok(response::typed(StatusCode::OK, &wire::NodeTypeDocs { markdown: &markdown }))
}
