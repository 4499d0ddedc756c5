//! `/api/v1/projects`, and moving and sharing what is in them.

use super::{ApiOperation, RequestJson, RequestQuery, invalid, page_of, workflows};
use crate::App;
use crate::access::{AccessLevel, Principal, not_found};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use model::{Code, Str};
use store::projects::{Project, ProjectKind};

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/projects", "project:list", "getProjects", "List projects", || {
        get(list)
    })
    .query::<wire::ListQuery>()
    .response::<wire::ProjectList>(200),
    ApiOperation::new(
        "POST",
        "/projects",
        "project:create",
        "createProject",
        "Create a project",
        || post(create),
    )
    .request_body::<wire::ProjectInput>()
    .response::<wire::Project>(201),
    ApiOperation::new(
        "GET",
        "/projects/{id}",
        "project:read",
        "getProject",
        "Show a project",
        || get(show),
    )
    .response::<wire::Project>(200),
    ApiOperation::new(
        "PUT",
        "/projects/{id}",
        "project:update",
        "updateProject",
        "Rename a project",
        || put(update),
    )
    .request_body::<wire::ProjectInput>()
    .empty_response(204),
    ApiOperation::new(
        "DELETE",
        "/projects/{id}",
        "project:delete",
        "deleteProject",
        "Delete a project; its contents move to the first owner",
        || delete(remove),
    )
    .empty_response(204),
    ApiOperation::new(
        "PUT",
        "/workflows/{id}/transfer",
        "workflow:move",
        "transferWorkflow",
        "Move a workflow to another project",
        || put(move_workflow),
    )
    .request_body::<wire::Transfer>()
    .empty_response(204),
    ApiOperation::new(
        "PUT",
        "/credentials/{id}/transfer",
        "credential:move",
        "transferCredential",
        "Move a credential to another project",
        || put(move_credential),
    )
    .request_body::<wire::Transfer>()
    .empty_response(204),
    ApiOperation::new(
        "PUT",
        "/credentials/{id}/share",
        "credential:share",
        "shareCredential",
        "Set which other projects may use a credential",
        || put(share_credential),
    )
    .request_body::<wire::Shares>()
    .empty_response(204),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::ListQuery>,
) -> Result<Response, ApiError> {
    let (limit, after) = (query.limit.get(), query.cursor.0);
    let all: Vec<Project> = app
        .store
        .projects()
        .await?
        .into_iter()
        .filter(|project| who.access.can_view(&project.id))
        .collect();
    let begin = after
        .and_then(|after| all.iter().position(|project| project.id == after))
        .map_or(0, |place| place + 1);
    let mut found: Vec<Project> = all.into_iter().skip(begin).take(limit + 1).collect();
    let page: wire::ProjectList<'_> = page_of(&mut found, limit, |project| &project.id);
    Ok(typed(StatusCode::OK, &page))
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    Ok(typed(
        StatusCode::OK,
        &wire::Project::from(&who.project(&app, &id, AccessLevel::View).await?),
    ))
}

async fn create(
    State(app): State<App>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::ProjectInput { name, .. } = body.read()?;
    let project = app.store.add_project(&name).await?;
    Ok(typed(StatusCode::CREATED, &wire::Project::from(&project)))
}

async fn update(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    team(&app, &who, &id).await?;
    let wire::ProjectInput { name, .. } = body.read()?;
    match app.store.rename_project(&id, &name).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(not_found("project", &id)),
    }
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    team(&app, &who, &id).await?;
    match app.store.delete_project(&id).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(not_found("project", &id)),
    }
}

async fn move_workflow(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::Transfer { destination_project_id: destination } = body.read()?;
    let workflow = who.workflow(&app, &id, AccessLevel::Manage).await?;
    let project = who.project(&app, &destination, AccessLevel::Edit).await?;
    let damaged = |_| {
        ApiError::new(
            Code::STORE_CORRUPT,
            format!("The document of workflow '{}' is damaged", workflow.id),
        )
    };
    let document = model::json::parse(&workflow.document).map_err(damaged)?;
    let credentials = document.as_object().map(workflows::credentials_in).unwrap_or_default();
    app.runtime.check_credentials(&project.id, credentials).await?;
    app.store.move_workflow(&workflow.id, &project.id).await?;
    app.runtime.reload().await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn move_credential(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::Transfer { destination_project_id: destination } = body.read()?;
    let credential = who.credential(&app, &id, AccessLevel::Manage).await?;
    let project = who.project(&app, &destination, AccessLevel::Edit).await?;
    app.store.move_credential(&credential.id, &project.id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn share_credential(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::Shares { share_with_ids } = body.read()?;
    let ids: Vec<Str> = share_with_ids.0.into_iter().map(Into::into).collect();
    let credential = who.credential(&app, &id, AccessLevel::Manage).await?;
    let before = app.store.shares_of(&credential.id).await?;
    for id in ids.iter().filter(|id| !before.contains(id)) {
        who.project(&app, id, AccessLevel::View).await?;
    }
    let ids = ids.into_iter().filter(|id| *id != credential.project_id).collect();
    match app.store.share_credential(&credential.id, ids).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(ApiError::new(Code::NOT_FOUND, "Some projects do not exist")),
    }
}

/// A project that can have members, a name and an end of its own.
pub(super) async fn team(app: &App, who: &Principal, id: &str) -> Result<Project, ApiError> {
    let project = who.project(app, id, AccessLevel::Manage).await?;
    match project.kind {
        ProjectKind::Team => Ok(project),
        ProjectKind::Personal => {
            Err(invalid("id", "is a personal project, which belongs to its user alone"))
        }
    }
}
