//! `/api/v1/tags`, and the tags of workflows and executions.

use super::{ApiOperation, JsonBody, RequestJson, RequestQuery, invalid, not_found, split_page};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get, post, put};
use model::Code;
use store::tags::{TagChange, TagTarget, TagsUpdate};

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/tags", "tag:list", "getTags", "List tags", || get(list))
        .query::<wire::TagQuery>()
        .response::<wire::TagList>(200),
    ApiOperation::new("POST", "/tags", "tag:create", "createTag", "Create a tag", || post(create))
        .request_body::<wire::TagInput>()
        .response::<wire::Tag>(201),
    ApiOperation::new("GET", "/tags/{id}", "tag:read", "getTag", "Show a tag", || get(show))
        .response::<wire::Tag>(200),
    ApiOperation::new("PUT", "/tags/{id}", "tag:update", "updateTag", "Rename a tag", || {
        put(update)
    })
    .request_body::<wire::TagInput>()
    .response::<wire::Tag>(200),
    ApiOperation::new("DELETE", "/tags/{id}", "tag:delete", "deleteTag", "Delete a tag", || {
        delete(remove)
    })
    .response::<wire::Tag>(200),
    ApiOperation::new(
        "GET",
        "/workflows/{id}/tags",
        "workflowTags:list",
        "getWorkflowTags",
        "List the tags of a workflow",
        || get(of_workflow),
    )
    .response::<wire::Tags>(200),
    ApiOperation::new(
        "PUT",
        "/workflows/{id}/tags",
        "workflowTags:update",
        "updateWorkflowTags",
        "Set the tags of a workflow",
        || put(set_of_workflow),
    )
    .request_body::<wire::TagIds>()
    .response::<wire::Tags>(200),
    ApiOperation::new(
        "GET",
        "/executions/{id}/tags",
        "executionTags:list",
        "getExecutionTags",
        "List the tags of an execution",
        || get(of_execution),
    )
    .response::<wire::Tags>(200),
    ApiOperation::new(
        "PUT",
        "/executions/{id}/tags",
        "executionTags:update",
        "updateExecutionTags",
        "Set the tags of an execution",
        || put(set_of_execution),
    )
    .request_body::<wire::TagIds>()
    .response::<wire::Tags>(200),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::TagQuery>,
) -> Result<Response, ApiError> {
    let limit = query.limit.get();
    let after = query.cursor.0.map(|place| place.0);
    let mut found = app.store.tags(who.tags(), after, limit + 1).await?;
    let next = split_page(&mut found, limit, wire::TagPlace::to_text);
    let page: wire::TagList<'_> =
        wire::Page { data: found.iter().map(Into::into).collect(), next_cursor: next };
    Ok(typed(StatusCode::OK, &page))
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let tag = app.store.add_tag(&name(&body)?, &who.user_id, who.tags()).await?;
    Ok(typed(StatusCode::CREATED, &wire::Tag::from(&tag)))
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let tag = app.store.tag(&id, who.tags()).await?.ok_or_else(|| not_found("tag", &id))?;
    Ok(typed(StatusCode::OK, &wire::Tag::from(&tag)))
}

async fn update(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    change_response(&id, app.store.rename_tag(&id, &name(&body)?, who.tags()).await?)
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    change_response(&id, app.store.delete_tag(&id, who.tags()).await?)
}

fn change_response(id: &str, change: TagChange) -> Result<Response, ApiError> {
    match change {
        TagChange::Done(tag) => Ok(typed(StatusCode::OK, &wire::Tag::from(&tag))),
        TagChange::Missing => Err(not_found("tag", id)),
        TagChange::Foreign => Err(ApiError::new(
            Code::ACCESS_FORBIDDEN,
            "The tag is used in projects that you may not change",
        )),
    }
}

async fn of_workflow(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    tags_of(&app, TagTarget::Workflow(who.workflow(&app, &id, AccessLevel::View).await?.id)).await
}

async fn set_of_workflow(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    set(
        &app,
        &who,
        TagTarget::Workflow(who.workflow(&app, &id, AccessLevel::Edit).await?.id),
        &body,
    )
    .await
}

async fn of_execution(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    tags_of(&app, TagTarget::Execution(who.execution(&app, &id, AccessLevel::View).await?.id)).await
}

async fn set_of_execution(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    set(
        &app,
        &who,
        TagTarget::Execution(who.execution(&app, &id, AccessLevel::Edit).await?.id),
        &body,
    )
    .await
}

async fn tags_of(app: &App, tagged: TagTarget) -> Result<Response, ApiError> {
    let tags = app.store.tags_of(tagged).await?;
    Ok(typed(StatusCode::OK, &wire::Tags(tags.iter().map(Into::into).collect())))
}

async fn set(
    app: &App,
    who: &Principal,
    tagged: TagTarget,
    body: &JsonBody,
) -> Result<Response, ApiError> {
    let wire::TagIds(tags) = body.read()?;
    let ids = tags.0.into_iter().map(|tag| tag.id.into()).collect();
    match app.store.set_tags(tagged.clone(), ids, who.tags()).await? {
        TagsUpdate::Done => tags_of(app, tagged).await,
        TagsUpdate::Missing => Err(ApiError::new(Code::NOT_FOUND, "Some tags do not exist")),
        TagsUpdate::Foreign => Err(ApiError::new(
            Code::ACCESS_FORBIDDEN,
            "Some tags are used only in projects that you may not change",
        )
        .hint("Create your own tag with another name.")),
    }
}

fn name(body: &JsonBody) -> Result<String, ApiError> {
    let wire::TagInput { name, .. } = body.read()?;
    let name = name.trim();
    if name.is_empty() { Err(invalid("name", "is empty")) } else { Ok(name.to_owned()) }
}
