//! `/api/v1/tags`, and the tags of workflows and executions.

use super::operation::{CURSOR, LIMIT};
use super::{Body, Operation, Query, Text, from_cursor, invalid, iso, limit, missing, page_of, request};
use crate::App;
use crate::access::{Need, Principal};
use crate::answer::json;
use crate::error::ApiError;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get, post, put};
use model::{Code, Object, Str, Value};
use store::Tags as _;
use store::tags::{Tag, Tagged};

/// Letters of a tag's name at most.
const LONGEST: usize = 100;

pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("GET", "/tags", "tag:list", "getTags", "List tags", || get(list)).query(&[LIMIT, CURSOR]).gives(200, "tagList"),
    Operation::new("POST", "/tags", "tag:create", "createTag", "Make a tag", || post(create)).takes("tagInput").gives(201, "tag"),
    Operation::new("GET", "/tags/{id}", "tag:read", "getTag", "Show a tag", || get(show)).gives(200, "tag"),
    Operation::new("PUT", "/tags/{id}", "tag:update", "updateTag", "Rename a tag", || put(update)).takes("tagInput").gives(200, "tag"),
    Operation::new("DELETE", "/tags/{id}", "tag:delete", "deleteTag", "Remove a tag from everything", || delete(remove)).gives(200, "tag"),
    Operation::new("GET", "/workflows/{id}/tags", "workflowTags:list", "getWorkflowTags", "The tags of a workflow", || get(of_workflow))
        .gives(200, "tags"),
    Operation::new("PUT", "/workflows/{id}/tags", "workflowTags:update", "updateWorkflowTags", "Give a workflow these tags", || {
        put(set_of_workflow)
    })
    .takes("tagIds")
    .gives(200, "tags"),
    Operation::new("GET", "/executions/{id}/tags", "executionTags:list", "getExecutionTags", "The tags of an execution", || {
        get(of_execution)
    })
    .gives(200, "tags"),
    Operation::new("PUT", "/executions/{id}/tags", "executionTags:update", "updateExecutionTags", "Give an execution these tags", || {
        put(set_of_execution)
    })
    .takes("tagIds")
    .gives(200, "tags"),
];

async fn list(State(app): State<App>, query: Query) -> Result<Response, ApiError> {
    let limit = limit(&query)?;
    let found = app.store.tags(from_cursor(&query)?.as_deref(), limit + 1).await?;
    Ok(json(StatusCode::OK, &page_of(found, limit, |tag| &tag.name, to_value)))
}

async fn create(State(app): State<App>, Text(body): Text) -> Result<Response, ApiError> {
    let tag = app.store.add_tag(&name(&body)?).await?;
    Ok(json(StatusCode::CREATED, &to_value(&tag)))
}

async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let tag = app.store.tag(&id).await?.ok_or_else(|| missing("tag", &id))?;
    Ok(json(StatusCode::OK, &to_value(&tag)))
}

async fn update(State(app): State<App>, Path(id): Path<String>, Text(body): Text) -> Result<Response, ApiError> {
    let tag = app.store.rename_tag(&id, &name(&body)?).await?.ok_or_else(|| missing("tag", &id))?;
    Ok(json(StatusCode::OK, &to_value(&tag)))
}

async fn remove(State(app): State<App>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let tag = app.store.tag(&id).await?.ok_or_else(|| missing("tag", &id))?;
    app.store.delete_tag(&id).await?;
    Ok(json(StatusCode::OK, &to_value(&tag)))
}

async fn of_workflow(State(app): State<App>, Extension(who): Extension<Principal>, Path(id): Path<String>) -> Result<Response, ApiError> {
    tags_of(&app, Tagged::Workflow(who.workflow(&app, &id, Need::See).await?.id)).await
}

async fn set_of_workflow(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    Text(body): Text,
) -> Result<Response, ApiError> {
    set(&app, Tagged::Workflow(who.workflow(&app, &id, Need::Change).await?.id), &body).await
}

async fn of_execution(State(app): State<App>, Extension(who): Extension<Principal>, Path(id): Path<String>) -> Result<Response, ApiError> {
    tags_of(&app, Tagged::Execution(who.execution(&app, &id, Need::See).await?.id)).await
}

async fn set_of_execution(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    Text(body): Text,
) -> Result<Response, ApiError> {
    set(&app, Tagged::Execution(who.execution(&app, &id, Need::Change).await?.id), &body).await
}

async fn tags_of(app: &App, tagged: Tagged) -> Result<Response, ApiError> {
    let tags = app.store.tags_of(tagged).await?;
    Ok(json(StatusCode::OK, &Value::array(tags.iter().map(to_value).collect())))
}

async fn set(app: &App, tagged: Tagged, body: &str) -> Result<Response, ApiError> {
    let value = request::json(body)?;
    let list = value.as_array().ok_or_else(|| invalid("body", "must be a list of tags"))?;
    if list.len() > 1000 {
        return Err(invalid("body", "has too many tags"));
    }
    let ids = list.iter().map(|row| Ok(Body::of(row, &["id"])?.text("id", 1, 100)?.into())).collect::<Result<Vec<Str>, ApiError>>()?;
    if !app.store.set_tags(tagged.clone(), ids).await? {
        return Err(ApiError::new(Code::NOT_FOUND, "Some tags are not there"));
    }
    tags_of(app, tagged).await
}

fn name(body: &str) -> Result<String, ApiError> {
    // Clients send back what they got; only the name is theirs to change.
    let body = Body::read(body, &["name", "id", "createdAt", "updatedAt"])?;
    let name = body.text("name", 1, LONGEST)?.trim();
    if name.is_empty() { Err(invalid("name", "is empty")) } else { Ok(name.to_owned()) }
}

pub(super) fn to_value(tag: &Tag) -> Value {
    Object::from_iter([
        ("id", Value::from(tag.id.clone())),
        ("name", tag.name.clone().into()),
        ("createdAt", iso(tag.created_ms)),
        ("updatedAt", iso(tag.updated_ms)),
    ])
    .into()
}
