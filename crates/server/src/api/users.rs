//! `/api/v1/users`.

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
use model::Code;
use store::access::hash_of_key;
use store::users::{NewUser, User, UserRole};

const INVITATION_LASTS_MS: i64 = 7 * 24 * 60 * 60 * 1000;
const RESET_LASTS_MS: i64 = 24 * 60 * 60 * 1000;

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/users", "user:list", "getUsers", "List users", || get(list))
        .query::<wire::UserListQuery>()
        .response::<wire::UserList>(200),
    ApiOperation::new("POST", "/users", "user:create", "createUser", "Invite users", || {
        post(create)
    })
    .request_body::<wire::UserInputs>()
    .response::<wire::Invitations>(201),
    ApiOperation::new(
        "GET",
        "/users/{id}",
        "user:read",
        "getUser",
        "Show a user by ID or email address",
        || get(show),
    )
    .query::<wire::UserQuery>()
    .response::<wire::User>(200),
    ApiOperation::new(
        "POST",
        "/users/{id}/password-reset",
        "user:resetPassword",
        "createPasswordReset",
        "Create a password reset link for a user",
        || post(reset_password),
    )
    .response::<wire::Link>(200),
    ApiOperation::new(
        "DELETE",
        "/users/{id}/two-factor",
        "user:resetTwoFactor",
        "deleteTwoFactor",
        "Remove the authenticator app of a user who has lost it",
        || delete(remove_second_factor),
    )
    .empty_response(204),
    ApiOperation::new(
        "DELETE",
        "/users/{id}",
        "user:delete",
        "deleteUser",
        "Delete a user",
        || delete(remove),
    )
    .empty_response(204),
    ApiOperation::new(
        "PATCH",
        "/users/{id}/role",
        "user:changeRole",
        "changeRole",
        "Change a user's role",
        || patch(set_role),
    )
    .request_body::<wire::RoleInput>()
    .empty_response(204),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::UserListQuery>,
) -> Result<Response, ApiError> {
    let (limit, roles) = (query.limit.get(), RoleField::from_flag(query.include_role));
    let after = query.cursor.0;
    let mut found = match query.project_id {
        None => app.store.users(after.as_deref(), limit + 1).await?,
        Some(id) => {
            let project = who.project(&app, &id, AccessLevel::View).await?;
            let all: Vec<User> =
                app.store.members(&project.id).await?.into_iter().map(|(user, _)| user).collect();
            let begin = after
                .and_then(|after| all.iter().position(|user| user.id == after))
                .map_or(0, |place| place + 1);
            all.into_iter().skip(begin).take(limit + 1).collect()
        }
    };
    let next_cursor = split_page(&mut found, limit, |last| last.id.to_string());
    let data = found.iter().map(|user| to_wire(user, roles)).collect();
    Ok(typed(StatusCode::OK, &wire::UserList { data, next_cursor }))
}

async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
    RequestQuery(query): RequestQuery<wire::UserQuery>,
) -> Result<Response, ApiError> {
    let roles = RoleField::from_flag(query.include_role);
    Ok(typed(StatusCode::OK, &to_wire(&find(&app, &id).await?, roles)))
}

/// Each gets a link by which a password is chosen; nobody sends mail here, so the caller passes it
/// on.
async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::UserInputs(wanted) = body.read()?;
    let role_of = |user: &wire::UserInput| user.role.map_or(UserRole::Editor, |name| name.0);
    wanted.0.iter().try_for_each(|user| check_rank(&who, role_of(user)))?;
    let wanted = wanted.0.into_iter().map(|user| (role_of(&user), user.email.0));
    let mut rows = Vec::with_capacity(wanted.len());
    for (role, email) in wanted {
        rows.push(invite(&app, email, role).await?);
    }
    Ok(typed(StatusCode::CREATED, &wire::Invitations(rows)))
}

async fn invite(app: &App, email: String, role: UserRole) -> Result<wire::Invitation, ApiError> {
    let new = NewUser {
        email: email.as_str().into(),
        first_name: "".into(),
        last_name: "".into(),
        role,
        password_hash: None,
    };
    let (id, invite_accept_url, error) = match app.store.add_user(new).await {
        Ok(user) => {
            let link = link(app, &user, "invitation", INVITATION_LASTS_MS).await?;
            (user.id.to_string(), Some(link), String::new())
        }
        Err(error @ store::Error::Taken { .. }) => (String::new(), None, error.to_string()),
        Err(error) => return Err(error.into()),
    };
    let role = role_name(role);
    let user = wire::InvitedUser { id, email, invite_accept_url, email_sent: false, role };
    Ok(wire::Invitation { user, error })
}

/// The address of a page where a person chooses a password. It works once; the one before does not
/// work any more.
async fn link(app: &App, user: &User, page: &str, lasts_ms: i64) -> Result<String, ApiError> {
    let token = format!("{}{}{}", store::new_id(), store::new_id(), store::new_id());
    let now_ms = jiff::Timestamp::now().as_millisecond();
    app.store.add_invitation(hash_of_key(&token), &user.id, now_ms + lasts_ms).await?;
    Ok(format!("{}/{page}#{token}", app.base_url))
}

async fn reset_password(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let user = find(&app, &id).await?;
    check_rank(&who, user.role)?;
    let link = link(&app, &user, "password-reset", RESET_LASTS_MS).await?;
    Ok(typed(StatusCode::OK, &wire::Link { link: &link }))
}

async fn remove_second_factor(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let user = find(&app, &id).await?;
    // One's own is turned off with a password and a code.
    check_not_self(&who, &user)?;
    check_rank(&who, user.role)?;
    if app.store.remove_second_factor(&user.id).await? {
        tracing::info!(user = %user.id, by = %who.user_id, "A user's authenticator app was removed");
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let user = find(&app, &id).await?;
    check_not_self(&who, &user)?;
    check_rank(&who, user.role)?;
    app.store.delete_user(&user.id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn set_role(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::RoleInput { new_role_name: wire::UserRoleName(role) } = body.read()?;
    let user = find(&app, &id).await?;
    check_not_self(&who, &user)?;
    check_rank(&who, user.role)?;
    check_rank(&who, role)?;
    app.store.set_role(&user.id, role).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn find(app: &App, id: &str) -> Result<User, ApiError> {
    app.store.user(id).await?.ok_or_else(|| not_found("user", id))
}

/// Nobody makes, changes or removes people above themselves, and owners are made at the set-up
/// only.
fn check_rank(who: &Principal, role: UserRole) -> Result<(), ApiError> {
    if role < UserRole::Owner && role <= who.role {
        return Ok(());
    }
    Err(ApiError::new(
        Code::ACCESS_FORBIDDEN,
        format!("The role '{}' cannot be assigned, changed or removed here", role_name(role)),
    ))
}

fn check_not_self(who: &Principal, user: &User) -> Result<(), ApiError> {
    if user.id == who.user_id {
        return Err(ApiError::new(
            Code::ACCESS_FORBIDDEN,
            "This cannot be done to your own account",
        ));
    }
    Ok(())
}

/// Roles as n8n names them; it has no viewers, and calls editors members.
fn role_name(role: UserRole) -> &'static str {
    match role {
        UserRole::Owner => "global:owner",
        UserRole::Admin => "global:admin",
        UserRole::Editor => "global:member",
        UserRole::Viewer => "global:viewer",
    }
}

/// Whether the role of a person is part of the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RoleField {
    Included,
    Omitted,
}

impl RoleField {
    fn from_flag(is_included: bool) -> Self {
        if is_included { Self::Included } else { Self::Omitted }
    }
}

fn to_wire(user: &User, roles: RoleField) -> wire::User<'_> {
    let role = (roles == RoleField::Included).then(|| role_name(user.role));
    wire::User { role, ..wire::User::from(user) }
}
