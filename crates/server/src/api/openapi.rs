//! `GET /api/v1/openapi.json`: the description of the API, made from the table of operations.

use super::{ApiOperation, OPERATIONS as TABLES};
use crate::App;
use crate::response::json;
use crate::wire;
use crate::wire::components::{Components, QueryParam, WireType, schema_of};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use model::{Object, Value};
use serde_json::Map;

pub(super) const OPERATIONS: &[ApiOperation] =
    &[ApiOperation::new("GET", "/openapi.json", "", "getOpenApi", "This description", || {
        get(show)
    })
    .without_scope()
    .response::<wire::JsonObject>(200)];

/// The bodies of what is no operation of the API, because it takes no API key.
const SIGN_IN_REQUESTS: [WireType; 11] = [
    schema_of::<wire::SetupInput>,
    schema_of::<wire::SignInInput>,
    schema_of::<wire::InvitationInput>,
    schema_of::<wire::NameInput>,
    schema_of::<wire::EmailInput>,
    schema_of::<wire::PasswordInput>,
    schema_of::<wire::TwoFactorSetupInput>,
    schema_of::<wire::TwoFactorCodeInput>,
    schema_of::<wire::TwoFactorChangeInput>,
    schema_of::<wire::OidcConnectInput>,
    schema_of::<wire::ApiKeyInput>,
];

async fn show(State(app): State<App>) -> Response {
    json(StatusCode::OK, &document(&app.base_url))
}

/// The schemas of everything that goes in and comes out, live events included, by name.
pub fn api_schemas() -> Map<String, serde_json::Value> {
    let mut components = Components::new();
    for operation in TABLES.iter().flat_map(|table| table.iter()) {
        described(operation, &mut components);
    }
    // Not described by OpenAPI, which is for clients with an API key.
    for schema in [
        schema_of::<wire::events::LiveEvent<'_>>,
        schema_of::<wire::SetupState<'_>>,
        schema_of::<wire::SessionUser<'_>>,
        schema_of::<wire::NewApiKey<'_>>,
        schema_of::<wire::ApiKey<'_>>,
        schema_of::<wire::TwoFactorState>,
        schema_of::<wire::TwoFactorSetup>,
        schema_of::<wire::RecoveryCodes>,
        schema_of::<wire::OidcState<'_>>,
        schema_of::<wire::OidcRedirect<'_>>,
    ] as [WireType; 10]
    {
        components.response(schema);
    }
    for schema in SIGN_IN_REQUESTS {
        components.request(schema);
    }
    components.into_schemas()
}

fn document(base_url: &str) -> Value {
    let mut components = Components::new();
    let mut paths = Object::new();
    for operation in TABLES.iter().flat_map(|table| table.iter()) {
        let path = paths.entry(operation.path).make_object();
        path.insert(operation.method.to_lowercase(), described(operation, &mut components));
    }
    let key = object([
        ("type", "apiKey".into()),
        ("in", "header".into()),
        ("name", "X-N8N-API-KEY".into()),
    ]);
    let components = object([
        ("schemas", serde_json::Value::Object(components.into_schemas()).into()),
        ("securitySchemes", object([("ApiKeyAuth", key)])),
    ]);
    object([
        ("openapi", "3.0.3".into()),
        (
            "info",
            object([
                ("title", "Heddle".into()),
                ("version", "1.1.1".into()),
                ("description", "Compatible with n8n's public API.".into()),
            ]),
        ),
        ("servers", Value::array(vec![object([("url", format!("{base_url}/api/v1").into())])])),
        ("security", Value::array(vec![object([("ApiKeyAuth", Value::array(Vec::new()))])])),
        ("paths", paths.into()),
        ("components", components),
    ])
}

fn described(operation: &ApiOperation, components: &mut Components) -> Value {
    let group = operation.path.trim_start_matches('/').split('/').next().unwrap_or_default();
    let mut fields = Object::from_iter([
        ("operationId", Value::from(operation.id)),
        ("tags", Value::array(vec![group.into()])),
        ("summary", operation.summary.into()),
    ]);
    if let Some(scope) = operation.scope {
        fields.insert("x-required-scope", scope);
    }
    let in_path =
        operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = in_path.map(path_parameter);
    let query = operation.query_params();
    let names_something =
        query.iter().any(|param| matches!(param.name.as_str(), "projectId" | "workflowId"));
    let in_query = query.into_iter().map(query_parameter);
    fields.insert("parameters", Value::array(in_path.chain(in_query).collect()));
    if let Some(schema) = operation.body {
        fields.insert(
            "requestBody",
            object([
                ("required", (!operation.body_is_optional).into()),
                ("content", content(components.request(schema))),
            ]),
        );
    }
    fields.insert("responses", responses(operation, names_something, components));
    fields.into()
}

fn query_parameter(param: QueryParam) -> Value {
    let mut fields = Object::from_iter([
        ("name", Value::from(param.name)),
        ("in", "query".into()),
        ("required", param.is_required.into()),
        ("schema", param.schema.into()),
    ]);
    if let Some(description) = param.description {
        fields.insert("description", description);
    }
    fields.into()
}

fn path_parameter(name: &str) -> Value {
    object([
        ("name", name.into()),
        ("in", "path".into()),
        ("required", true.into()),
        ("schema", object([("type", "string".into())])),
    ])
}

fn responses(
    operation: &ApiOperation,
    names_something: bool,
    components: &mut Components,
) -> Value {
    let mut responses = Object::new();
    let mut success = Object::from_iter([("description", "Success.")]);
    if let Some(schema) = operation.response {
        success.insert("content", content(components.response(schema)));
    }
    responses.insert(operation.status.to_string(), success);
    let has_place = operation.path.contains('{') || names_something;
    let takes_names = operation.body.is_some();
    let failures = [
        (400, "The request is invalid.", true),
        (401, "Authentication is required.", true),
        (403, "Not allowed for this user or API key.", true),
        (404, "Not found.", has_place || takes_names),
        (408, "The request body was sent too slowly.", takes_names),
        (
            409,
            "Conflict: a name is in use, or the status does not allow this.",
            takes_names || operation.method != "GET",
        ),
        (413, "The request is too large.", takes_names),
        (422, "The workflow is invalid.", takes_names || operation.method == "POST"),
        (429, "Too many requests; `Retry-After` says when to try again.", true),
        (503, "The instance is overloaded; `Retry-After` says when to try again.", true),
    ];
    let error = components.response(schema_of::<wire::Error>);
    for (status, description, _) in failures.into_iter().filter(|(_, _, can_be)| *can_be) {
        let fields =
            [("description", Value::from(description)), ("content", content(error.clone()))];
        responses.insert(status.to_string(), Object::from_iter(fields));
    }
    responses.into()
}

fn content(schema: serde_json::Value) -> Value {
    object([("application/json", object([("schema", schema.into())]))])
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Object::from_iter(fields).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_operation_is_described_once_and_every_schema_is_there() {
        let document = document("http://x");
        let (mut ids, mut routes) = (HashSet::new(), HashSet::new());
        for operation in TABLES.iter().flat_map(|table| table.iter()) {
            assert!(ids.insert(operation.id), "{} is there twice", operation.id);
            assert!(
                routes.insert((operation.method, operation.path)),
                "{} {} is there twice",
                operation.method,
                operation.path
            );
            let described =
                document.get("paths").and_then(|paths| paths.get(operation.path)).unwrap();
            assert!(described.get(&operation.method.to_lowercase()).is_some());
        }
    }

    /// The objects with named fields in a schema that take other fields too.
    fn open_objects(schema: &serde_json::Value, place: &str, found: &mut Vec<String>) {
        if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
            found.push(place.to_owned());
        }
        let parts = schema.as_object().into_iter().flatten();
        let parts = parts.map(|(key, part)| (key.clone(), part));
        let listed = schema.as_array().into_iter().flatten().enumerate();
        let listed = listed.map(|(index, part)| (index.to_string(), part));
        for (key, part) in parts.chain(listed) {
            open_objects(part, &format!("{place}/{key}"), found);
        }
    }

    #[test]
    fn no_request_takes_fields_that_it_does_not_know() {
        let mut components = Components::new();
        let operations = || TABLES.iter().flat_map(|table| table.iter());
        for schema in operations().filter_map(|operation| operation.body).chain(SIGN_IN_REQUESTS) {
            components.request(schema);
        }
        let schemas = components.into_schemas();
        assert!(schemas.contains_key("workflowInput") && schemas.contains_key("signInInput"));
        let mut found = Vec::new();
        schemas.iter().for_each(|(name, schema)| open_objects(schema, name, &mut found));
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn parameters_have_the_bounds_of_their_types() {
        let document = document("http://x");
        let parameter = |path: &str, name: &str| {
            let get = document.get("paths")?.get(path)?.get("get")?;
            let all = get.get("parameters")?.as_array()?;
            all.iter().find(|one| one.get("name").and_then(Value::as_str) == Some(name)).cloned()
        };
        let limit = parameter("/tags", "limit").unwrap();
        let bounds =
            model::json!({ "type": "integer", "minimum": 1, "maximum": 250, "default": 100 });
        assert_eq!(limit.get("schema"), Some(&bounds));
        assert_eq!(limit.get("required"), Some(&false.into()));
        let node = parameter("/executions/{id}/agent", "node").unwrap();
        assert_eq!(node.get("required"), Some(&true.into()));
        let state = parameter("/variables", "state").unwrap();
        let choices = model::json!({ "type": "string", "enum": ["empty"] });
        assert_eq!(state.get("schema"), Some(&choices));
    }

    #[test]
    fn references_between_schemas_lead_somewhere() {
        let text = model::json::to_string(&document("http://x"));
        let schemas = api_schemas();
        for part in text.split("#/components/schemas/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(schemas.contains_key(name), "there is no schema '{name}'");
        }
    }
}
