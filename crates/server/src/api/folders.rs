//! `/api/v1/folders`, and where workflows lie.

use super::{ApiOperation, RequestJson, RequestQuery, invalid, not_found, page_of};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get, patch, post};
use store::folders::{FolderChange, FolderFilter, FolderUpdate};
use store::workflows::StoredWorkflow;

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/folders", "workflow:list", "getFolders", "List folders", || {
        get(list)
    })
    .query::<wire::FolderQuery>()
    .response::<wire::FolderList>(200),
    ApiOperation::new(
        "POST",
        "/folders",
        "workflow:create",
        "createFolder",
        "Create a folder",
        || post(create),
    )
    .request_body::<wire::FolderInput>()
    .response::<wire::Folder>(201),
    ApiOperation::new(
        "PATCH",
        "/folders/{id}",
        "workflow:update",
        "updateFolder",
        "Rename or move a folder",
        || patch(change),
    )
    .request_body::<wire::FolderChange>()
    .response::<wire::Folder>(200),
    ApiOperation::new(
        "DELETE",
        "/folders/{id}",
        "workflow:delete",
        "deleteFolder",
        "Delete a folder; its contents move to the parent folder",
        || delete(remove),
    )
    .response::<wire::Folder>(200),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::FolderQuery>,
) -> Result<Response, ApiError> {
    let limit = query.limit.get();
    let filter = FolderFilter {
        project_id: query.project_id.map(Into::into),
        within: who.access.project_filter(),
        after: query.cursor.0.map(Into::into),
        limit: limit + 1,
    };
    let mut found = app.store.folders(filter).await?;
    let page: wire::FolderList<'_> = page_of(&mut found, limit, |folder| &folder.id);
    Ok(typed(StatusCode::OK, &page))
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::FolderInput { name, parent_id: wire::Nullable(parent), project_id } = body.read()?;
    // A folder within another one is where that one is.
    let project = match (&parent, project_id) {
        (Some(parent), None) => who.folder(&app, parent, AccessLevel::Edit).await?.project_id,
        (_, named) => who.target_project(&app, named.as_deref()).await?,
    };
    let made = app.store.add_folder(&name, parent.as_deref(), &project).await?;
    Ok(typed(StatusCode::CREATED, &wire::Folder::from(&made.ok_or_else(invalid_parent)?)))
}

async fn change(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let folder = who.folder(&app, &id, AccessLevel::Edit).await?;
    let wire::FolderChange { name, parent_id } = body.read()?;
    let parent = match parent_id {
        wire::Patch::Absent => None,
        wire::Patch::Null => Some(None),
        wire::Patch::Value(id) => Some(Some(id.into())),
    };
    let change = FolderChange { name: name.map(Into::into), parent };
    match app.store.change_folder(&folder.id, change).await? {
        FolderUpdate::Done(folder) => Ok(typed(StatusCode::OK, &wire::Folder::from(&folder))),
        FolderUpdate::Missing => Err(not_found("folder", &id)),
        FolderUpdate::BadParent => Err(invalid_parent()),
    }
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let folder = who.folder(&app, &id, AccessLevel::Edit).await?;
    match app.store.delete_folder(&folder.id).await? {
        true => Ok(typed(StatusCode::OK, &wire::Folder::from(&folder))),
        false => Err(not_found("folder", &id)),
    }
}

fn invalid_parent() -> ApiError {
    invalid(
        "parentId",
        "must be a folder of the same project, not inside this one and not nested too deeply",
    )
}

/// Puts a workflow into a folder of its project, or to the top.
pub(super) async fn move_workflow(
    app: &App,
    id: &str,
    folder: Option<&str>,
) -> Result<(), ApiError> {
    match app.store.move_to_folder(id, folder).await? {
        true => Ok(()),
        false => Err(invalid_folder()),
    }
}

/// Refuses a folder that a workflow cannot be put into.
pub(super) async fn check_folder(
    app: &App,
    workflow: &StoredWorkflow,
    folder: Option<&str>,
) -> Result<(), ApiError> {
    let Some(id) = folder else { return Ok(()) };
    let folder = app.store.find_folder(id).await?;
    folder
        .filter(|folder| folder.project_id == workflow.project_id)
        .map(|_| ())
        .ok_or_else(invalid_folder)
}

fn invalid_folder() -> ApiError {
    invalid("parentFolderId", "must be a folder of the workflow's project")
}
