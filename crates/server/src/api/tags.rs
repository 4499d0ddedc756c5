//! `/api/v1/tags`, and the tags of workflows and executions.

use super::operation::{CURSOR, LIMIT};
use super::{
    Body, JsonBody, Operation, Query, Text, cut, from_cursor, invalid, iso, limit, missing, page,
};
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
use store::tags::{Tag, TagChange, TagPlace, Tagged, TagsSet};

/// Letters of a tag's name at most.
const LONGEST: usize = 100;

pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new("GET", "/tags", "tag:list", "getTags", "List tags", || get(list))
        .query(&[LIMIT, CURSOR])
        .gives(200, "tagList"),
    Operation::new("POST", "/tags", "tag:create", "createTag", "Make a tag", || post(create))
        .takes("tagInput")
        .gives(201, "tag"),
    Operation::new("GET", "/tags/{id}", "tag:read", "getTag", "Show a tag", || get(show))
        .gives(200, "tag"),
    Operation::new("PUT", "/tags/{id}", "tag:update", "updateTag", "Rename a tag", || put(update))
        .takes("tagInput")
        .gives(200, "tag"),
    Operation::new(
        "DELETE",
        "/tags/{id}",
        "tag:delete",
        "deleteTag",
        "Remove a tag from everything",
        || delete(remove),
    )
    .gives(200, "tag"),
    Operation::new(
        "GET",
        "/workflows/{id}/tags",
        "workflowTags:list",
        "getWorkflowTags",
        "The tags of a workflow",
        || get(of_workflow),
    )
    .gives(200, "tags"),
    Operation::new(
        "PUT",
        "/workflows/{id}/tags",
        "workflowTags:update",
        "updateWorkflowTags",
        "Give a workflow these tags",
        || put(set_of_workflow),
    )
    .takes("tagIds")
    .gives(200, "tags"),
    Operation::new(
        "GET",
        "/executions/{id}/tags",
        "executionTags:list",
        "getExecutionTags",
        "The tags of an execution",
        || get(of_execution),
    )
    .gives(200, "tags"),
    Operation::new(
        "PUT",
        "/executions/{id}/tags",
        "executionTags:update",
        "updateExecutionTags",
        "Give an execution these tags",
        || put(set_of_execution),
    )
    .takes("tagIds")
    .gives(200, "tags"),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    query: Query,
) -> Result<Response, ApiError> {
    let limit = limit(&query)?;
    let after = match from_cursor(&query)? {
        Some(text) => {
            let (id, name) = text
                .split_once(' ')
                .ok_or_else(|| invalid("cursor", "is none that this list gave out"))?;
            Some(TagPlace { name: name.into(), id: id.into() })
        }
        None => None,
    };
    let mut found = app.store.tags(who.tags(), after, limit + 1).await?;
    let next = cut(&mut found, limit, |last| format!("{} {}", last.id, last.name));
    Ok(json(StatusCode::OK, &page(found.iter().map(to_value).collect(), next)))
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Text(body): Text,
) -> Result<Response, ApiError> {
    let tag = app.store.add_tag(&name(&body)?, &who.user_id, who.tags()).await?;
    Ok(json(StatusCode::CREATED, &to_value(&tag)))
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let tag = app.store.tag(&id, who.tags()).await?.ok_or_else(|| missing("tag", &id))?;
    Ok(json(StatusCode::OK, &to_value(&tag)))
}

async fn update(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    Text(body): Text,
) -> Result<Response, ApiError> {
    changed(&id, app.store.rename_tag(&id, &name(&body)?, who.tags()).await?)
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    changed(&id, app.store.delete_tag(&id, who.tags()).await?)
}

fn changed(id: &str, change: TagChange) -> Result<Response, ApiError> {
    match change {
        TagChange::Done(tag) => Ok(json(StatusCode::OK, &to_value(&tag))),
        TagChange::Missing => Err(missing("tag", id)),
        TagChange::Foreign => Err(ApiError::new(
            Code::ACCESS_FORBIDDEN,
            "The tag is used in projects in which you may not change anything",
        )),
    }
}

async fn of_workflow(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    tags_of(&app, Tagged::Workflow(who.workflow(&app, &id, Need::See).await?.id)).await
}

async fn set_of_workflow(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    Text(body): Text,
) -> Result<Response, ApiError> {
    set(&app, &who, Tagged::Workflow(who.workflow(&app, &id, Need::Change).await?.id), &body).await
}

async fn of_execution(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    tags_of(&app, Tagged::Execution(who.execution(&app, &id, Need::See).await?.id)).await
}

async fn set_of_execution(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    Text(body): Text,
) -> Result<Response, ApiError> {
    set(&app, &who, Tagged::Execution(who.execution(&app, &id, Need::Change).await?.id), &body)
        .await
}

async fn tags_of(app: &App, tagged: Tagged) -> Result<Response, ApiError> {
    let tags = app.store.tags_of(tagged).await?;
    Ok(json(StatusCode::OK, &Value::array(tags.iter().map(to_value).collect())))
}

async fn set(
    app: &App,
    who: &Principal,
    tagged: Tagged,
    body: &JsonBody,
) -> Result<Response, ApiError> {
    let value = body.json()?;
    let list = value.as_array().ok_or_else(|| invalid("body", "must be a list of tags"))?;
    if list.len() > 1000 {
        return Err(invalid("body", "has too many tags"));
    }
    let ids = list
        .iter()
        .map(|row| Ok(Body::of(row, &["id"])?.text("id", 1, 100)?.into()))
        .collect::<Result<Vec<Str>, ApiError>>()?;
    match app.store.set_tags(tagged.clone(), ids, who.tags()).await? {
        TagsSet::Done => tags_of(app, tagged).await,
        TagsSet::Missing => Err(ApiError::new(Code::NOT_FOUND, "Some tags are not there")),
        TagsSet::Foreign => Err(ApiError::new(
            Code::ACCESS_FORBIDDEN,
            "Some tags are used only in projects in which you may not change anything",
        )
        .hint("Make a tag of your own, under another name.")),
    }
}

fn name(body: &JsonBody) -> Result<String, ApiError> {
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
