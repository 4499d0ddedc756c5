//! `/api/v1/folders`, and where workflows lie.

use super::operation::{CURSOR, LIMIT, Param};
use super::{Body, Operation, Query, Text, from_cursor, invalid, iso, limit, missing, page_of};
use crate::App;
use crate::access::{Need, Principal};
use crate::answer::json;
use crate::error::ApiError;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get, patch, post};
use model::{Object, Str, Value};
use store::Folders as _;
use store::folders::{Changed, Folder, FolderChange, FolderFilter};
use store::workflows::StoredWorkflow;

/// Letters of a folder's name at most.
const LONGEST: usize = 128;

pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("GET", "/folders", "workflow:list", "getFolders", "List folders", || get(list))
        .query(&[LIMIT, CURSOR, Param("projectId", "string")])
        .gives(200, "folderList"),
    Operation::new("POST", "/folders", "workflow:create", "createFolder", "Make a folder", || {
        post(create)
    })
    .takes("folderInput")
    .gives(201, "folder"),
    Operation::new(
        "PATCH",
        "/folders/{id}",
        "workflow:update",
        "updateFolder",
        "Rename a folder, or put it somewhere else",
        || patch(change),
    )
    .takes("folderChange")
    .gives(200, "folder"),
    Operation::new(
        "DELETE",
        "/folders/{id}",
        "workflow:delete",
        "deleteFolder",
        "Remove a folder; what lies in it moves up",
        || delete(remove),
    )
    .gives(200, "folder"),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    query: Query,
) -> Result<Response, ApiError> {
    let limit = limit(&query)?;
    let filter = FolderFilter {
        project_id: query.get("projectId").map(|id| id.as_str().into()),
        within: who.reach.within(),
        after: from_cursor(&query)?.map(Into::into),
        limit: limit + 1,
    };
    let found = app.store.folders(filter).await?;
    Ok(json(StatusCode::OK, &page_of(found, limit, |folder| &folder.id, to_value)))
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Text(body): Text,
) -> Result<Response, ApiError> {
    let body = Body::read(&body, &["name", "parentId", "projectId"])?;
    let name = body.text("name", 1, LONGEST)?;
    let parent = parent_in(&body)?.flatten();
    // A folder within another one is where that one is.
    let project = match (&parent, body.optional_text("projectId", 1, 100)?) {
        (Some(parent), None) => who.folder(&app, parent, Need::Change).await?.project_id,
        (_, named) => who.home(&app, named).await?,
    };
    let made = app.store.add_folder(name, parent.as_deref(), &project).await?;
    Ok(json(StatusCode::CREATED, &to_value(&made.ok_or_else(bad_parent)?)))
}

async fn change(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    Text(body): Text,
) -> Result<Response, ApiError> {
    let folder = who.folder(&app, &id, Need::Change).await?;
    let body = Body::read(&body, &["name", "parentId"])?;
    let change = FolderChange {
        name: body.optional_text("name", 1, LONGEST)?.map(Into::into),
        parent: parent_in(&body)?,
    };
    match app.store.change_folder(&folder.id, change).await? {
        Changed::Done(folder) => Ok(json(StatusCode::OK, &to_value(&folder))),
        Changed::Missing => Err(missing("folder", &id)),
        Changed::BadParent => Err(bad_parent()),
    }
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let folder = who.folder(&app, &id, Need::Change).await?;
    match app.store.delete_folder(&folder.id).await? {
        true => Ok(json(StatusCode::OK, &to_value(&folder))),
        false => Err(missing("folder", &id)),
    }
}

/// Where something is to lie: in a folder, at the top if `null` is said, where it was if nothing
/// is.
fn parent_in(body: &Body) -> Result<Option<Option<Str>>, ApiError> {
    match body.get("parentId") {
        Some(Value::Null) => Ok(Some(None)),
        _ => Ok(body.optional_text("parentId", 1, 100)?.map(|id| Some(id.into()))),
    }
}

fn bad_parent() -> ApiError {
    invalid(
        "parentId",
        "must be a folder of the same project that does not lie in this one, nor too deep",
    )
}

/// Puts a workflow where a caller says: `parentFolderId` is a folder of its project, or `null` for
/// the top.
pub(super) async fn put_workflow(app: &App, id: &str, place: &Value) -> Result<(), ApiError> {
    match app.store.put_into_folder(id, folder_in(place)?).await? {
        true => Ok(()),
        false => Err(bad_place()),
    }
}

/// Refuses a place that a workflow cannot be put into.
pub(super) async fn check_place(
    app: &App,
    workflow: &StoredWorkflow,
    place: &Value,
) -> Result<(), ApiError> {
    let Some(id) = folder_in(place)? else { return Ok(()) };
    let folder = app.store.find_folder(id).await?;
    folder
        .filter(|folder| folder.project_id == workflow.project_id)
        .map(|_| ())
        .ok_or_else(bad_place)
}

fn folder_in(place: &Value) -> Result<Option<&str>, ApiError> {
    let id = |place: &'_ Value| place.as_str().is_some_and(|id| !id.is_empty() && id.len() <= 100);
    match place {
        Value::Null => Ok(None),
        place if id(place) => Ok(place.as_str()),
        _ => Err(invalid("parentFolderId", "must be the id of a folder")),
    }
}

fn bad_place() -> ApiError {
    invalid("parentFolderId", "must be a folder of the workflow's project")
}

fn to_value(folder: &Folder) -> Value {
    Object::from_iter([
        ("id", Value::from(folder.id.clone())),
        ("name", folder.name.clone().into()),
        ("parentId", folder.parent_id.clone().map_or(Value::Null, Value::from)),
        ("projectId", folder.project_id.clone().into()),
        ("createdAt", iso(folder.created_ms)),
        ("updatedAt", iso(folder.updated_ms)),
    ])
    .into()
}
