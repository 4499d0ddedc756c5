//! `/api/v1/projects/ID/users`: who is in a project, and what they may do there.

use super::operation::{CURSOR, LIMIT};
use super::projects::team;
use super::{
    ApiOperation, BodyFields, QueryParams, RequestJson, from_cursor, invalid, limit, not_found,
    split_page,
};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, patch, post};
use model::{Code, Str, Value};
use store::projects::{ProjectKind, ProjectRole};
use store::users::User;

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/projects/{id}/users",
        "project:read",
        "getProjectUsers",
        "List the members of a project",
        || get(list),
    )
    .query(&[LIMIT, CURSOR])
    .response::<wire::MemberList>(200),
    ApiOperation::new(
        "POST",
        "/projects/{id}/users",
        "project:update",
        "addUsersToProject",
        "Add users to a project",
        || post(add),
    )
    .request_body::<wire::MemberInputs>()
    .empty_response(201),
    ApiOperation::new(
        "PATCH",
        "/projects/{id}/users/{userId}",
        "project:update",
        "changeUserRoleInProject",
        "Change a user's role in a project",
        || patch(change),
    )
    .request_body::<wire::MemberRole>()
    .empty_response(204),
    ApiOperation::new(
        "DELETE",
        "/projects/{id}/users/{userId}",
        "project:update",
        "deleteUserFromProject",
        "Remove a user from a project",
        || delete(remove),
    )
    .empty_response(204),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryParams,
) -> Result<Response, ApiError> {
    let (limit, after) = (limit(&query)?, from_cursor(&query)?);
    let project = who.project(&app, &id, AccessLevel::View).await?;
    let all = app.store.members(&project.id).await?;
    let begin = after
        .and_then(|after| all.iter().position(|(user, _)| user.id == after))
        .map_or(0, |place| place + 1);
    let mut found: Vec<(User, ProjectRole)> = all.into_iter().skip(begin).take(limit + 1).collect();
    let is_personal = project.kind == ProjectKind::Personal;
    let next_cursor = split_page(&mut found, limit, |(last, _)| last.id.to_string());
    let shown = |(_, role): &(User, ProjectRole)| {
        if is_personal { "project:personalOwner" } else { role.name() }
    };
    let data = found
        .iter()
        .map(|member| wire::User { role: Some(shown(member)), ..wire::User::from(&member.0) })
        .collect();
    Ok(typed(StatusCode::OK, &wire::MemberList { data, next_cursor }))
}

async fn add(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let body = BodyFields::read(&body, &["relations"])?;
    let list = body
        .get("relations")
        .and_then(Value::as_array)
        .filter(|list| (1..=1000).contains(&list.len()));
    let list =
        list.ok_or_else(|| invalid("relations", "must be a list of users and their roles"))?;
    let mut members: Vec<(Str, ProjectRole)> = Vec::with_capacity(list.len());
    for row in list {
        let row = BodyFields::of(row, &["userId", "role"])?;
        members.push((row.text("userId", 1, 100)?.into(), role_named(row.text("role", 1, 100)?)?));
    }
    let project = team(&app, &who, &id).await?;
    match app.store.set_members(&project.id, members).await? {
        true => Ok(StatusCode::CREATED.into_response()),
        false => Err(ApiError::new(Code::NOT_FOUND, "Some of these users do not exist")),
    }
}

async fn change(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path((id, user_id)): Path<(String, String)>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let role = role_named(BodyFields::read(&body, &["role"])?.text("role", 1, 100)?)?;
    let project = team(&app, &who, &id).await?;
    let is_member =
        app.store.members(&project.id).await?.iter().any(|(user, _)| user.id == user_id);
    if !is_member
        || !app.store.set_members(&project.id, vec![(user_id.as_str().into(), role)]).await?
    {
        return Err(not_found("user of this project", &user_id));
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path((id, user_id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let project = team(&app, &who, &id).await?;
    match app.store.remove_member(&project.id, &user_id).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(not_found("user of this project", &user_id)),
    }
}

fn role_named(name: &str) -> Result<ProjectRole, ApiError> {
    ProjectRole::from_name(name)
        .ok_or_else(|| invalid("role", "must be project:admin, project:editor or project:viewer"))
}
