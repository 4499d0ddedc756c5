//! `/api/v1/workflows`.

use super::{ApiOperation, RequestJson, RequestQuery, folders, not_found, split_page};
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

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/workflows",
        "workflow:list",
        "getWorkflows",
        "List workflows, last updated first",
        || get(list),
    )
    .query::<wire::WorkflowListQuery>()
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
    .query::<wire::WorkflowQuery>()
    .response::<wire::Workflow>(200),
    ApiOperation::new(
        "PUT",
        "/workflows/{id}",
        "workflow:update",
        "updateWorkflow",
        "Save a new version of a workflow",
        || put(update),
    )
    .query::<wire::WorkflowUpdateQuery>()
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

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::WorkflowListQuery>,
) -> Result<Response, ApiError> {
    let limit = query.limit.get();
    let filter = WorkflowFilter {
        active: query.active,
        name: query.name.or(query.query).map(Into::into),
        archived: None,
        tags: query.tags.as_deref().map(tag_names).unwrap_or_default(),
        project_id: query.project_id.map(Into::into),
        // Nothing stands for the top.
        folder: query.parent_folder_id.map(|id| Some(Str::from(id)).filter(|id| !id.is_empty())),
        within: who.access.project_filter(),
        after: query.cursor.0.map(|after| (after.updated_ms, after.id)),
        limit: limit + 1,
    };
    let mut found = app.store.workflows(filter).await?;
    let next = split_page(&mut found, limit, |last| format!("{} {}", last.updated_ms, last.id));
    let tags =
        app.store.tags_of_workflows(found.iter().map(|stored| stored.id.clone()).collect()).await?;
    let mut rows = Vec::with_capacity(found.len());
    for stored in &found {
        let own: Vec<&Tag> =
            tags.iter().filter(|(id, _)| *id == stored.id).map(|(_, tag)| tag).collect();
        let mut row = to_wire(stored, &own)?;
        if query.exclude_pinned_data {
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
    RequestQuery(query): RequestQuery<wire::WorkflowQuery>,
) -> Result<Response, ApiError> {
    let stored = who.workflow(&app, &id, AccessLevel::View).await?;
    let tags = app.store.tags_of_workflows(vec![stored.id.clone()]).await?;
    let mut shown = to_wire(&stored, &tags.iter().map(|(_, tag)| tag).collect::<Vec<_>>())?;
    if query.exclude_pinned_data {
        shown.document.remove_pins();
    }
    Ok(typed(StatusCode::OK, &shown))
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let input: wire::WorkflowInput = body.read()?;
    let wire::WorkflowParts { document, project_id, folder } = input.into_parts(body.json()?);
    // Only a new workflow may say where it goes.
    let project = who.target_project(&app, project_id.as_deref()).await?;
    let new = SaveTarget { id: store::new_id(), project: &project, seen: None };
    let mut saved = save(&app, new, document, &who).await?;
    if let Some(folder) = folder_of(&folder) {
        if let Err(error) = folders::move_workflow(&app, &saved.id, folder).await {
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
    RequestQuery(query): RequestQuery<wire::WorkflowUpdateQuery>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let before = who.workflow(&app, &id, AccessLevel::Edit).await?;
    let input: wire::WorkflowInput = body.read()?;
    let wire::WorkflowParts { document, folder, .. } = input.into_parts(body.json()?);
    if let Some(folder) = folder_of(&folder) {
        folders::check_folder(&app, &before, folder).await?;
    }
    // What cannot be saved changes nothing, neither the version that listens nor where the workflow
    // lies.
    let target = SaveTarget {
        id: before.id.clone(),
        project: &before.project_id,
        seen: query.version_id.as_deref(),
    };
    let mut saved = save(&app, target, document, &who).await?;
    if let Some(folder) = folder_of(&folder) {
        folders::move_workflow(&app, &before.id, folder).await?;
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
    let wire::WorkflowPlace { parent_folder_id } = body.read()?;
    folders::move_workflow(&app, &workflow.id, parent_folder_id.0.as_deref()).await?;
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
    let wire::Activation { version_id, name, description } = body.read_or_default()?;
    let words =
        VersionLabel { name: name.map(Into::into), description: description.map(Into::into) };
    let chosen = version_id.as_deref().filter(|version| !version.is_empty());
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

/// The folder that a workflow is put into, or the top; nothing if it stays where it is.
fn folder_of(place: &wire::Patch<wire::Id>) -> Option<Option<&str>> {
    match place {
        wire::Patch::Absent => None,
        wire::Patch::Null => Some(None),
        wire::Patch::Value(id) => Some(Some(id)),
    }
}

/// The workflow that a version is saved of.
struct SaveTarget<'a> {
    id: Str,
    project: &'a str,
    /// The version that the change is based on.
    seen: Option<&'a str>,
}

async fn save(
    app: &App,
    SaveTarget { id, project, seen }: SaveTarget<'_>,
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
    Ok(app.runtime.save_over(version, project, seen).await?)
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
