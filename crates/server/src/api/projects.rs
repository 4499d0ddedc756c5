//! `/api/v1/projects`, and moving workflows between them.

use super::operation::{CURSOR, LIMIT};
use super::{Body, Operation, Query, Text, from_cursor, iso, limit, missing, page_of};
use crate::App;
use crate::answer::json;
use crate::error::ApiError;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use model::{Code, Object, Value};
use store::tags::{PERSONAL, Project};
use store::{Credentials as _, Tags as _};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("GET", "/projects", "project:list", "getProjects", "List projects", || get(list))
        .query(&[LIMIT, CURSOR])
        .gives(200, "projectList"),
    Operation::new("POST", "/projects", "project:create", "createProject", "Make a project", || post(create))
        .takes("projectInput")
        .gives(201, "project"),
    Operation::new("PUT", "/projects/{id}", "project:update", "updateProject", "Rename a project", || put(update))
        .takes("projectInput")
        .gives_nothing(204),
    Operation::new("DELETE", "/projects/{id}", "project:delete", "deleteProject", "Remove a project; what it holds stays", || {
        delete(remove)
    })
    .gives_nothing(204),
    Operation::new("PUT", "/workflows/{id}/transfer", "workflow:move", "transferWorkflow", "Move a workflow to another project", || {
        put(move_workflow)
    })
    .takes("transfer")
    .gives_nothing(204),
    Operation::new(
        "PUT",
        "/credentials/{id}/transfer",
        "credential:move",
        "transferCredential",
        "Move a credential to another project",
        || put(move_credential),
    )
    .takes("transfer")
    .gives_nothing(204),
];

async fn list(State(app): State<App>, query: Query) -> Result<Response, ApiError> {
    let (limit, after) = (limit(&query)?, from_cursor(&query)?);
    let personal = Project { id: PERSONAL.into(), name: "Personal".into(), created_ms: 0, updated_ms: 0 };
    let mut all = app.store.projects().await?;
    all.insert(0, personal);
    let begin = after.and_then(|after| all.iter().position(|project| project.id == after)).map_or(0, |place| place + 1);
    let found = all.into_iter().skip(begin).take(limit + 1).collect();
    Ok(json(StatusCode::OK, &page_of(found, limit, |project: &Project| &project.id, to_value)))
}

async fn create(State(app): State<App>, Text(body): Text) -> Result<Response, ApiError> {
    let project = app.store.add_project(&name(&body)?).await?;
    Ok(json(StatusCode::CREATED, &to_value(&project)))
}

async fn update(State(app): State<App>, Path(id): Path<String>, Text(body): Text) -> Result<Response, ApiError> {
    match app.store.rename_project(&id, &name(&body)?).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(missing("project", &id)),
    }
}

async fn remove(State(app): State<App>, Path(id): Path<String>) -> Result<Response, ApiError> {
    match app.store.delete_project(&id).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(missing("project", &id)),
    }
}

async fn move_workflow(State(app): State<App>, Path(id): Path<String>, Text(body): Text) -> Result<Response, ApiError> {
    let project = destination(&app, &body).await?;
    match app.store.move_workflow(&id, &project).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(ApiError::new(Code::WORKFLOW_NOT_FOUND, format!("There is no workflow with the id '{id}'"))),
    }
}

async fn move_credential(State(app): State<App>, Path(id): Path<String>, Text(body): Text) -> Result<Response, ApiError> {
    let project = destination(&app, &body).await?;
    let change = store::credentials::CredentialChange { project_id: Some(project.into()), ..Default::default() };
    match app.store.change_credential(&id, change).await? {
        Some(_) => Ok(StatusCode::NO_CONTENT.into_response()),
        None => Err(missing("credential", &id)),
    }
}

async fn destination(app: &App, body: &str) -> Result<String, ApiError> {
    let body = Body::read(body, &["destinationProjectId"])?;
    let id = body.text("destinationProjectId", 1, 100)?;
    let is_there = id == PERSONAL || app.store.projects().await?.iter().any(|project| project.id == id);
    if is_there { Ok(id.to_owned()) } else { Err(missing("project", id)) }
}

fn name(body: &str) -> Result<String, ApiError> {
    Ok(Body::read(body, &["name", "id", "type"])?.text("name", 1, 255)?.to_owned())
}

fn to_value(project: &Project) -> Value {
    let kind = if project.id == PERSONAL { "personal" } else { "team" };
    Object::from_iter([
        ("id", Value::from(project.id.clone())),
        ("name", project.name.clone().into()),
        ("type", kind.into()),
        ("createdAt", iso(project.created_ms)),
        ("updatedAt", iso(project.updated_ms)),
    ])
    .into()
}
