//! `/api/v1/projects/ID/users`: who is in a project, and what they may do there.

use super::projects::team;
use super::{ApiOperation, RequestJson, RequestQuery, not_found, split_page};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, patch, post};
use model::{Code, Str};
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
    .query::<wire::ListQuery>()
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
    RequestQuery(query): RequestQuery<wire::ListQuery>,
) -> Result<Response, ApiError> {
    let (limit, after) = (query.limit.get(), query.cursor.0);
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
    let wire::MemberInputs { relations } = body.read()?;
    let members: Vec<(Str, ProjectRole)> =
        relations.0.into_iter().map(|member| (member.user_id.into(), member.role.into())).collect();
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
    let wire::MemberRole { role } = body.read()?;
    let project = team(&app, &who, &id).await?;
    let is_member =
        app.store.members(&project.id).await?.iter().any(|(user, _)| user.id == user_id);
    if !is_member
        || !app.store.set_members(&project.id, vec![(user_id.as_str().into(), role.into())]).await?
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
