//! `/api/v1/workflows`.

use super::{Query, flag, from_cursor, invalid, iso, limit, page, to_cursor};
use crate::App;
use crate::access::Principal;
use crate::answer::json;
use crate::error::ApiError;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use model::{Code, Object, Value, Workflow};
use store::Workflows as _;
use store::workflows::{NewVersion, StoredWorkflow, WorkflowFilter};

/// Fields that a caller may send; the server owns the others.
const WRITABLE: [&str; 7] = ["name", "nodes", "connections", "settings", "staticData", "pinData", "meta"];
/// Fields that clients send back as they got them; they are taken and not used.
const ECHOED: [&str; 16] = [
    "id",
    "active",
    "createdAt",
    "updatedAt",
    "versionId",
    "activeVersionId",
    "activeVersion",
    "triggerCount",
    "isArchived",
    "tags",
    "shared",
    "versionCounter",
    "description",
    "parentFolder",
    "homeProject",
    "scopes",
];

pub(super) async fn list(State(app): State<App>, Extension(who): Extension<Principal>, query: Query) -> Result<Response, ApiError> {
    who.require("workflow:list")?;
    let limit = limit(&query)?;
    let after = from_cursor(&query)?
        .map(|text| {
            let (moment, id) = text.split_once(' ').ok_or_else(|| invalid("cursor", "is none that this list gave out"))?;
            Ok::<_, ApiError>((moment.parse().map_err(|_| invalid("cursor", "is none that this list gave out"))?, id.into()))
        })
        .transpose()?;
    let filter = WorkflowFilter {
        active: flag(&query, "active")?,
        name: query.get("name").map(|name| name.as_str().into()),
        archived: None,
        after,
        limit: limit + 1,
    };
    let mut found = app.store.workflows(filter).await?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| has_more).map(|last| to_cursor(&format!("{} {}", last.updated_ms, last.id)));
    let rows = found.iter().map(to_value).collect::<Result<Vec<_>, _>>()?;
    Ok(json(StatusCode::OK, &page(rows, next)))
}

pub(super) async fn get(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.require("workflow:read")?;
    Ok(json(StatusCode::OK, &to_value(&find(&app, &id).await?)?))
}

pub(super) async fn create(State(app): State<App>, Extension(who): Extension<Principal>, body: String) -> Result<Response, ApiError> {
    who.require("workflow:create")?;
    let document = read(&body)?;
    let saved = save(&app, store::new_id(), document, &who).await?;
    Ok(json(StatusCode::OK, &to_value(&saved)?))
}

pub(super) async fn update(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    body: String,
) -> Result<Response, ApiError> {
    who.require("workflow:update")?;
    let before = find(&app, &id).await?;
    let document = read(&body)?;
    let saved = save(&app, before.id.clone(), document, &who).await?;
    if before.active {
        // The new version listens from now on; if it cannot, the caller is told and the old one has ended.
        app.runtime.activate(&before.id).await?;
    }
    Ok(json(StatusCode::OK, &to_value(&saved)?))
}

pub(super) async fn delete(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.require("workflow:delete")?;
    let before = find(&app, &id).await?;
    app.store.delete_workflow(&id).await?;
    app.runtime.reload().await?;
    Ok(json(StatusCode::OK, &to_value(&before)?))
}

pub(super) async fn activate(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.require("workflow:activate")?;
    app.runtime.activate(&id).await?;
    Ok(json(StatusCode::OK, &to_value(&find(&app, &id).await?)?))
}

pub(super) async fn deactivate(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.require("workflow:deactivate")?;
    app.runtime.deactivate(&id).await?;
    Ok(json(StatusCode::OK, &to_value(&find(&app, &id).await?)?))
}

async fn find(app: &App, id: &str) -> Result<StoredWorkflow, ApiError> {
    let missing = || ApiError::new(Code::WORKFLOW_NOT_FOUND, format!("There is no workflow with the id '{id}'"));
    app.store.workflow(id).await?.ok_or_else(missing)
}

/// The workflow that a caller sent, without the fields that are the server's.
fn read(body: &str) -> Result<Object, ApiError> {
    let value = model::json::parse(body).map_err(|error| ApiError::new(Code::REQUEST_BODY, format!("The body is not JSON: {error}")))?;
    let Some(sent) = value.as_object() else { return Err(invalid("body", "must be an object")) };
    if let Some(key) = sent.keys().find(|key| !WRITABLE.contains(&key.as_str()) && !ECHOED.contains(&key.as_str())) {
        return Err(invalid(key, "is not a field of a workflow"));
    }
    for (key, wanted) in [("name", "text"), ("nodes", "a list"), ("connections", "an object"), ("settings", "an object")] {
        let fits = match (key, sent.get(key)) {
            ("settings", None) => true,
            (_, None) => return Err(invalid(key, "is missing")),
            ("name", Some(name)) => name.as_str().is_some_and(|name| !name.is_empty()),
            ("nodes", Some(nodes)) => nodes.as_array().is_some(),
            (_, Some(value)) => value.is_object(),
        };
        if !fits {
            return Err(invalid(key, &format!("must be {wanted}")));
        }
    }
    Ok(sent.iter().filter(|(key, _)| WRITABLE.contains(&key.as_str())).map(|(key, value)| (key.clone(), value.clone())).collect())
}

async fn save(app: &App, id: model::Str, document: Object, who: &Principal) -> Result<StoredWorkflow, ApiError> {
    let name = document.get("name").and_then(Value::as_str).unwrap_or_default().into();
    let static_data = document.get("staticData").filter(|data| data.is_object()).map(|data| model::json::to_string(data).into());
    let text = model::json::to_string(&document.into());
    let unreadable = |error: &dyn std::fmt::Display| ApiError::new(Code::WORKFLOW_JSON, error.to_string());
    Workflow::parse(&text).map_err(|error| unreadable(&error))?;
    let version = NewVersion { id, name, document: text.into(), author: Some(who.user.clone()), static_data };
    Ok(app.store.save_workflow(version).await?)
}

/// The workflow as n8n shows it: the document, and around it what the server knows.
fn to_value(stored: &StoredWorkflow) -> Result<Value, ApiError> {
    let damaged = |_| ApiError::new(Code::STORE_CORRUPT, format!("The document of workflow '{}' is damaged", stored.id));
    let document = model::json::parse(&stored.document).map_err(damaged)?;
    let mut value = Object::from_iter([
        ("id", Value::from(stored.id.clone())),
        ("name", stored.name.clone().into()),
        ("active", stored.active.into()),
        ("createdAt", iso(stored.created_ms)),
        ("updatedAt", iso(stored.updated_ms)),
        ("isArchived", stored.archived.into()),
        ("versionId", stored.version_id.clone().into()),
    ]);
    for (key, field) in document.as_object().into_iter().flat_map(Object::iter) {
        if !value.contains_key(key) {
            value.insert(key.clone(), field.clone());
        }
    }
    for (key, default) in
        [("settings", Value::empty_object()), ("staticData", Value::Null), ("pinData", Value::Null), ("meta", Value::Null)]
    {
        if !value.contains_key(key) {
            value.insert(key, default);
        }
    }
    if let Some(kept) = stored.static_data.as_deref().and_then(|text| model::json::parse(text).ok()) {
        value.insert("staticData", kept);
    }
    let nodes = value.get("nodes").and_then(Value::as_array).unwrap_or_default();
    let triggers = nodes.iter().filter(|node| {
        node.get("type").and_then(Value::as_str).is_some_and(|kind| kind.to_lowercase().contains("trigger") || kind.ends_with(".webhook"))
    });
    let count = triggers.count();
    value.insert("triggerCount", count);
    value.insert("tags", Value::array(Vec::new()));
    Ok(value.into())
}
