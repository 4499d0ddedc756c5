//! `/api/v1/folders`, and where workflows lie.

use super::operation::{CURSOR, LIMIT, QueryParam};
use super::{
    ApiOperation, BodyFields, QueryParams, RequestJson, from_cursor, invalid, limit, not_found,
    page_of,
};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get, patch, post};
use model::{Str, Value};
use store::folders::{FolderChange, FolderFilter, FolderUpdate};
use store::workflows::StoredWorkflow;

/// Letters of a folder's name at most.
const MAX_NAME_CHARS: usize = 128;

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/folders", "workflow:list", "getFolders", "List folders", || {
        get(list)
    })
    .query(&[LIMIT, CURSOR, QueryParam("projectId", "string")])
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
    query: QueryParams,
) -> Result<Response, ApiError> {
    let limit = limit(&query)?;
    let filter = FolderFilter {
        project_id: query.get("projectId").map(|id| id.as_str().into()),
        within: who.access.project_filter(),
        after: from_cursor(&query)?.map(Into::into),
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
    let body = BodyFields::read(&body, &["name", "parentId", "projectId"])?;
    let name = body.text("name", 1, MAX_NAME_CHARS)?;
    let parent = parent_id(&body)?.flatten();
    // A folder within another one is where that one is.
    let project = match (&parent, body.optional_text("projectId", 1, 100)?) {
        (Some(parent), None) => who.folder(&app, parent, AccessLevel::Edit).await?.project_id,
        (_, named) => who.target_project(&app, named).await?,
    };
    let made = app.store.add_folder(name, parent.as_deref(), &project).await?;
    Ok(typed(StatusCode::CREATED, &wire::Folder::from(&made.ok_or_else(invalid_parent)?)))
}

async fn change(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let folder = who.folder(&app, &id, AccessLevel::Edit).await?;
    let body = BodyFields::read(&body, &["name", "parentId"])?;
    let change = FolderChange {
        name: body.optional_text("name", 1, MAX_NAME_CHARS)?.map(Into::into),
        parent: parent_id(&body)?,
    };
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

/// Where something is to lie: in a folder, at the top if `null` is said, where it was if nothing
/// is.
fn parent_id(body: &BodyFields) -> Result<Option<Option<Str>>, ApiError> {
    match body.get("parentId") {
        Some(Value::Null) => Ok(Some(None)),
        _ => Ok(body.optional_text("parentId", 1, 100)?.map(|id| Some(id.into()))),
    }
}

fn invalid_parent() -> ApiError {
    invalid(
        "parentId",
        "must be a folder of the same project, not inside this one and not nested too deeply",
    )
}

/// Puts a workflow where a caller says: `parentFolderId` is a folder of its project, or `null` for
/// the top.
pub(super) async fn move_workflow(app: &App, id: &str, place: &Value) -> Result<(), ApiError> {
    match app.store.move_to_folder(id, folder_id(place)?).await? {
        true => Ok(()),
        false => Err(invalid_folder()),
    }
}

/// Refuses a place that a workflow cannot be put into.
pub(super) async fn check_folder(
    app: &App,
    workflow: &StoredWorkflow,
    place: &Value,
) -> Result<(), ApiError> {
    let Some(id) = folder_id(place)? else { return Ok(()) };
    let folder = app.store.find_folder(id).await?;
    folder
        .filter(|folder| folder.project_id == workflow.project_id)
        .map(|_| ())
        .ok_or_else(invalid_folder)
}

fn folder_id(place: &Value) -> Result<Option<&str>, ApiError> {
    let id = |place: &'_ Value| place.as_str().is_some_and(|id| !id.is_empty() && id.len() <= 100);
    match place {
        Value::Null => Ok(None),
        place if id(place) => Ok(place.as_str()),
        _ => Err(invalid("parentFolderId", "must be a folder ID")),
    }
}

fn invalid_folder() -> ApiError {
    invalid("parentFolderId", "must be a folder of the workflow's project")
}
