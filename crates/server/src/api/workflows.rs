//! `/api/v1/workflows`.

use super::operation::{CURSOR, LIMIT, QueryParam};
use super::{
    ApiOperation, BodyFields, QueryParams, RequestJson, flag, folders, from_cursor, invalid, limit,
    not_found, split_page,
};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get, patch, post, put};
use model::{Code, Object, Str, Value, Workflow};
use runtime::VersionChoice;
use store::tags::Tag;
use store::workflows::{NewVersion, StoredWorkflow, VersionLabel, WorkflowFilter};

const EXCLUDE_PINS: QueryParam = QueryParam("excludePinnedData", "boolean");

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/workflows",
        "workflow:list",
        "getWorkflows",
        "List workflows, last updated first",
        || get(list),
    )
    .query(&[
        LIMIT,
        CURSOR,
        QueryParam("active", "boolean"),
        QueryParam("tags", "string"),
        QueryParam("name", "string"),
        QueryParam("query", "string"),
        QueryParam("projectId", "string"),
        QueryParam("parentFolderId", "string"),
        EXCLUDE_PINS,
    ])
    .response::<wire::WorkflowList>(200),
    ApiOperation::new(
        "POST",
        "/workflows",
        "workflow:create",
        "createWorkflow",
        "Create a workflow",
        || post(create),
    )
    .request_body::<wire::WorkflowInput>()
    .response::<wire::Workflow>(200),
    ApiOperation::new(
        "GET",
        "/workflows/{id}",
        "workflow:read",
        "getWorkflow",
        "Show a workflow",
        || get(show),
    )
    .query(&[EXCLUDE_PINS])
    .response::<wire::Workflow>(200),
    ApiOperation::new(
        "PUT",
        "/workflows/{id}",
        "workflow:update",
        "updateWorkflow",
        "Save a new version of a workflow",
        || put(update),
    )
    .request_body::<wire::WorkflowInput>()
    .response::<wire::Workflow>(200),
    ApiOperation::new(
        "PATCH",
        "/workflows/{id}",
        "workflow:update",
        "moveWorkflow",
        "Move a workflow to a folder",
        || patch(move_to_folder),
    )
    .request_body::<wire::WorkflowPlace>()
    .response::<wire::Workflow>(200),
    ApiOperation::new(
        "DELETE",
        "/workflows/{id}",
        "workflow:delete",
        "deleteWorkflow",
        "Delete a workflow and its executions",
        || delete(remove),
    )
    .response::<wire::Workflow>(200),
    ApiOperation::new(
        "POST",
        "/workflows/{id}/activate",
        "workflow:activate",
        "activateWorkflow",
        "Activate a workflow",
        || post(activate),
    )
    .optional_body::<wire::Activation>()
    .response::<wire::Workflow>(200),
    ApiOperation::new(
        "POST",
        "/workflows/{id}/publish",
        "workflow:activate",
        "publishWorkflow",
        "Activate a version of a workflow",
        || post(activate),
    )
    .optional_body::<wire::Activation>()
    .response::<wire::Workflow>(200),
    ApiOperation::new(
        "POST",
        "/workflows/{id}/unpublish",
        "workflow:deactivate",
        "unpublishWorkflow",
        "Deactivate a workflow",
        || post(deactivate),
    )
    .response::<wire::Workflow>(200),
    ApiOperation::new(
        "POST",
        "/workflows/{id}/archive",
        "workflow:delete",
        "archiveWorkflow",
        "Archive a workflow",
        || post(archive),
    )
    .response::<wire::Workflow>(200),
    ApiOperation::new(
        "POST",
        "/workflows/{id}/unarchive",
        "workflow:delete",
        "unarchiveWorkflow",
        "Unarchive a workflow",
        || post(unarchive),
    )
    .response::<wire::Workflow>(200),
    ApiOperation::new(
        "POST",
        "/workflows/{id}/deactivate",
        "workflow:deactivate",
        "deactivateWorkflow",
        "Deactivate a workflow",
        || post(deactivate),
    )
    .response::<wire::Workflow>(200),
];

/// The field that says in which folder a workflow lies. It is no part of the document.
const FOLDER_FIELD: &str = "parentFolderId";

/// Fields that a caller may send; the server owns the others.
const WRITABLE: [&str; 7] =
    ["name", "nodes", "connections", "settings", "staticData", "pinData", "meta"];
/// Fields that clients send back as they got them; they are taken and not used.
const ECHOED: [&str; 18] = [
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
    FOLDER_FIELD,
    "homeProject",
    "projectId",
    "scopes",
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    query: QueryParams,
) -> Result<Response, ApiError> {
    let limit = limit(&query)?;
    let after = from_cursor(&query)?
        .map(|text| {
            let (moment, id) = text
                .split_once(' ')
                .ok_or_else(|| invalid("cursor", "is not a cursor returned by this list"))?;
            Ok::<_, ApiError>((
                moment
                    .parse()
                    .map_err(|_| invalid("cursor", "is not a cursor returned by this list"))?,
                id.into(),
            ))
        })
        .transpose()?;
    let filter = WorkflowFilter {
        active: flag(&query, "active")?,
        name: query.get("name").or_else(|| query.get("query")).map(|name| name.as_str().into()),
        archived: None,
        tags: query.get("tags").map(|tags| tag_names(tags)).unwrap_or_default(),
        project_id: query.get("projectId").map(|id| id.as_str().into()),
        // Nothing stands for the top.
        folder: query
            .get("parentFolderId")
            .map(|id| Some(Str::from(id.as_str())).filter(|id| !id.is_empty())),
        within: who.access.project_filter(),
        after,
        limit: limit + 1,
    };
    let mut found = app.store.workflows(filter).await?;
    let next = split_page(&mut found, limit, |last| format!("{} {}", last.updated_ms, last.id));
    let tags =
        app.store.tags_of_workflows(found.iter().map(|stored| stored.id.clone()).collect()).await?;
    let without_pins = flag(&query, EXCLUDE_PINS.0)?.unwrap_or(false);
    let mut rows = Vec::with_capacity(found.len());
    for stored in &found {
        let own: Vec<&Tag> =
            tags.iter().filter(|(id, _)| *id == stored.id).map(|(_, tag)| tag).collect();
        let mut row = to_wire(stored, &own)?;
        if without_pins {
            row.document.remove_pins();
        }
        rows.push(row);
    }
    Ok(typed(StatusCode::OK, &wire::WorkflowList { data: rows, next_cursor: next }))
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryParams,
) -> Result<Response, ApiError> {
    let without_pins = flag(&query, EXCLUDE_PINS.0)?.unwrap_or(false);
    let stored = who.workflow(&app, &id, AccessLevel::View).await?;
    let tags = app.store.tags_of_workflows(vec![stored.id.clone()]).await?;
    let mut shown = to_wire(&stored, &tags.iter().map(|(_, tag)| tag).collect::<Vec<_>>())?;
    if without_pins {
        shown.document.remove_pins();
    }
    Ok(typed(StatusCode::OK, &shown))
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let mut sent = body.into_json()?;
    // Only a new workflow may say where it goes.
    let project = if sent.is_object() { sent.make_object().remove("projectId") } else { None };
    let project = match &project {
        None | Some(Value::Null) => None,
        Some(id) => Some(
            id.as_str()
                .filter(|id| !id.is_empty())
                .ok_or_else(|| invalid("projectId", "must be a project ID"))?,
        ),
    };
    let document = read(&sent)?;
    let project = who.target_project(&app, project).await?;
    let mut saved = save(&app, store::new_id(), &project, document, &who).await?;
    if let Some(place) = sent.get(FOLDER_FIELD) {
        if let Err(error) = folders::move_workflow(&app, &saved.id, place).await {
            app.runtime.delete_workflow(&saved.id).await?;
            return Err(error);
        }
        saved = who.workflow(&app, &saved.id, AccessLevel::View).await?;
    }
    with_tags(&app, &saved).await
}

async fn update(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let before = who.workflow(&app, &id, AccessLevel::Edit).await?;
    let sent = body.into_json()?;
    let document = read(&sent)?;
    let place = sent.get(FOLDER_FIELD);
    if let Some(place) = place {
        folders::check_folder(&app, &before, place).await?;
    }
    // What cannot be saved changes nothing, neither the version that listens nor where the workflow
    // lies.
    let mut saved = save(&app, before.id.clone(), &before.project_id, document, &who).await?;
    if let Some(place) = place {
        folders::move_workflow(&app, &before.id, place).await?;
        saved = who.workflow(&app, &before.id, AccessLevel::View).await?;
    }
    with_tags(&app, &saved).await
}

/// Puts a workflow into a folder, which makes no version of it.
async fn move_to_folder(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let workflow = who.workflow(&app, &id, AccessLevel::Edit).await?;
    let body = BodyFields::read(&body, &[FOLDER_FIELD])?;
    folders::move_workflow(
        &app,
        &workflow.id,
        body.get(FOLDER_FIELD).ok_or_else(|| invalid(FOLDER_FIELD, "is missing"))?,
    )
    .await?;
    current_workflow(&app, &who, &id).await
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let before = who.workflow(&app, &id, AccessLevel::Edit).await?;
    let shown = with_tags(&app, &before).await?;
    app.runtime.delete_workflow(&before.id).await?;
    Ok(shown)
}

async fn activate(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let workflow = who.workflow(&app, &id, AccessLevel::Edit).await?;
    let body = BodyFields::read_or_empty(&body, &["versionId", "name", "description"])?;
    let words = VersionLabel {
        name: body.optional_text("name", 0, 128)?.map(Str::from),
        description: body.optional_text("description", 0, 2048)?.map(Str::from),
    };
    let chosen = body.optional_text("versionId", 0, 100)?.filter(|version| !version.is_empty());
    let listening = match chosen {
        Some(version) => {
            // The id of a version of another workflow leads nowhere.
            let is_own = version == workflow.version_id
                || app.store.versions(&workflow.id).await?.iter().any(|own| own.id == version);
            if !is_own {
                return Err(not_found("version", version));
            }
            VersionChoice::Version(version)
        }
        None => VersionChoice::Newest,
    };
    app.runtime.activate(&workflow.id, listening).await?;
    if words != VersionLabel::default() {
        app.store.name_version(chosen.unwrap_or(&workflow.version_id), words).await?;
    }
    current_workflow(&app, &who, &id).await
}

async fn deactivate(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.workflow(&app, &id, AccessLevel::Edit).await?;
    app.runtime.deactivate(&id).await?;
    current_workflow(&app, &who, &id).await
}

async fn archive(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.workflow(&app, &id, AccessLevel::Edit).await?;
    app.store.set_archived(&id, true).await?;
    app.runtime.reload().await?;
    current_workflow(&app, &who, &id).await
}

async fn unarchive(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.workflow(&app, &id, AccessLevel::Edit).await?;
    app.store.set_archived(&id, false).await?;
    current_workflow(&app, &who, &id).await
}

/// The workflow as it is now.
async fn current_workflow(app: &App, who: &Principal, id: &str) -> Result<Response, ApiError> {
    with_tags(app, &who.workflow(app, id, AccessLevel::View).await?).await
}

/// A workflow as it is drawn: what has not been saved needs no name.
pub(super) fn draft_document(value: &Value) -> Result<Object, ApiError> {
    let mut sent = value.clone();
    if value.is_object() && value.get("name").is_none_or(|name| name.as_str() == Some("")) {
        sent.make_object().insert("name", "Workflow");
    }
    let mut document = read(&sent)?;
    if value.get("name").and_then(Value::as_str).is_none_or(str::is_empty) {
        document.remove("name");
    }
    Ok(document)
}

/// The workflow that a caller sent, without the fields that are the server's.
fn read(value: &Value) -> Result<Object, ApiError> {
    let Some(sent) = value.as_object() else {
        return Err(invalid("workflow", "must be an object"));
    };
    if let Some(key) =
        sent.keys().find(|key| !WRITABLE.contains(&key.as_str()) && !ECHOED.contains(&key.as_str()))
    {
        return Err(invalid(key, "is not a field of a workflow"));
    }
    for (key, wanted) in [
        ("name", "text"),
        ("nodes", "a list"),
        ("connections", "an object"),
        ("settings", "an object"),
    ] {
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
    for key in ["staticData", "pinData", "meta"] {
        if sent.get(key).is_some_and(|value| !value.is_object() && !value.is_null()) {
            return Err(invalid(key, "must be an object or null"));
        }
    }
    if sent
        .get("projectId")
        .is_some_and(|id| !id.is_null() && id.as_str().is_none_or(str::is_empty))
    {
        return Err(invalid("projectId", "must be a project ID"));
    }
    if sent
        .get("nodes")
        .and_then(Value::as_array)
        .is_some_and(|nodes| nodes.iter().any(|node| !node.is_object()))
    {
        return Err(invalid("nodes", "contains a value that is not an object"));
    }
    Ok(sent
        .iter()
        .filter(|(key, _)| WRITABLE.contains(&key.as_str()))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect())
}

async fn save(
    app: &App,
    id: Str,
    project: &str,
    document: Object,
    who: &Principal,
) -> Result<StoredWorkflow, ApiError> {
    app.runtime.check_credentials(project, credentials_in(&document)).await?;
    let name = document.get("name").and_then(Value::as_str).unwrap_or_default().into();
    let static_data = document
        .get("staticData")
        .filter(|data| data.is_object())
        .map(|data| model::json::to_string(data).into());
    let text = model::json::to_string(&document.into());
    let unreadable =
        |error: &dyn std::fmt::Display| ApiError::new(Code::WORKFLOW_JSON, error.to_string());
    Workflow::parse(&text).map_err(|error| unreadable(&error))?;
    let version =
        NewVersion { id, name, document: text.into(), author: Some(who.user.clone()), static_data };
    Ok(app.runtime.save(version, project).await?)
}

/// The ids of the credentials that the nodes of a document name.
pub(super) fn credentials_in(document: &Object) -> Vec<Str> {
    let nodes = document.get("nodes").and_then(Value::as_array).unwrap_or_default();
    let chosen = nodes
        .iter()
        .filter_map(|node| node.get("credentials").and_then(Value::as_object))
        .flat_map(Object::values);
    chosen.filter_map(|chosen| chosen.get("id").and_then(Value::as_str)).map(Str::from).collect()
}

fn tag_names(text: &str) -> Vec<Str> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Into::into).collect()
}

async fn with_tags(app: &App, stored: &StoredWorkflow) -> Result<Response, ApiError> {
    let own = app.store.tags_of_workflows(vec![stored.id.clone()]).await?;
    let shown = to_wire(stored, &own.iter().map(|(_, tag)| tag).collect::<Vec<_>>())?;
    Ok(typed(StatusCode::OK, &shown))
}

/// The workflow as n8n shows it: the document, and around it what the server knows.
fn to_wire<'a>(
    stored: &'a StoredWorkflow,
    own: &[&'a Tag],
) -> Result<wire::Workflow<'a>, ApiError> {
    let damaged = |_| {
        ApiError::new(
            Code::STORE_CORRUPT,
            format!("The document of workflow '{}' is damaged", stored.id),
        )
    };
    let static_data = stored.static_data.as_deref().and_then(|text| model::json::parse(text).ok());
    let document = model::json::parse(&stored.document).map_err(damaged)?;
    let document = wire::WorkflowDocument::new(&document, static_data);
    Ok(wire::Workflow {
        id: &stored.id,
        name: &stored.name,
        active: stored.active,
        created_at: wire::Timestamp(stored.created_ms),
        updated_at: wire::Timestamp(stored.updated_ms),
        is_archived: stored.archived,
        version_id: &stored.version_id,
        project_id: &stored.project_id,
        parent_folder_id: stored.folder_id.as_deref(),
        active_version_id: stored.active.then(|| stored.listening_version().as_str()),
        trigger_count: document.trigger_count(),
        document,
        tags: own.iter().map(|tag| wire::Tag::from(*tag)).collect(),
    })
}
