//! `/api/v1/variables`.

use super::{ApiOperation, RequestJson, RequestQuery, not_found, page_of};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use model::Code;
use store::users::UserRole;
use store::variables::Variable;

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/variables",
        "variable:list",
        "getVariables",
        "List variables",
        || get(list),
    )
    .query::<wire::VariableQuery>()
    .response::<wire::VariableList>(200),
    ApiOperation::new(
        "POST",
        "/variables",
        "variable:create",
        "createVariable",
        "Create a variable",
        || post(create),
    )
    .request_body::<wire::VariableInput>()
    .response::<wire::Variable>(201),
    ApiOperation::new(
        "PUT",
        "/variables/{id}",
        "variable:update",
        "updateVariable",
        "Change a variable",
        || put(update),
    )
    .request_body::<wire::VariableInput>()
    .empty_response(204),
    ApiOperation::new(
        "DELETE",
        "/variables/{id}",
        "variable:delete",
        "deleteVariable",
        "Delete a variable",
        || delete(remove),
    )
    .empty_response(204),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::VariableQuery>,
) -> Result<Response, ApiError> {
    let (limit, after) = (query.limit.get(), query.cursor.0);
    let only_empty = query.state == Some(wire::VariableState::Empty);
    let project = query.project_id.as_deref();
    let mut all = app.store.variables().await?;
    all.retain(|variable| {
        can_view(&who, variable)
            && project.is_none_or(|wanted| variable.project_id.as_deref() == Some(wanted))
    });
    let begin = after
        .and_then(|after| all.iter().position(|variable| variable.id == after))
        .map_or(0, |place| place + 1);
    let rest = all.into_iter().skip(begin);
    let found = rest.filter(|variable| !only_empty || variable.value.is_empty());
    let mut found: Vec<Variable> = found.take(limit + 1).collect();
    let page: wire::VariableList<'_> = page_of(&mut found, limit, |variable| &variable.id);
    Ok(typed(StatusCode::OK, &page))
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::VariableInput { key, value, project_id, .. } = body.read()?;
    let project = project_id.0.as_deref();
    check_can_change(&app, &who, project).await?;
    let made = app.store.add_variable(&key.0, &value, project).await?;
    app.runtime.reload().await?;
    Ok(typed(StatusCode::CREATED, &wire::Variable::from(&made)))
}

async fn update(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let before = find(&app, &who, &id).await?;
    let wire::VariableInput { key, value, project_id, .. } = body.read()?;
    check_can_change(&app, &who, before.project_id.as_deref()).await?;
    let project = project_id.0.as_deref().or(before.project_id.as_deref());
    check_can_change(&app, &who, project).await?;
    match app.store.change_variable(&id, &key.0, &value, project).await? {
        true => change_response(&app).await,
        false => Err(not_found("variable", &id)),
    }
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let before = find(&app, &who, &id).await?;
    check_can_change(&app, &who, before.project_id.as_deref()).await?;
    match app.store.delete_variable(&id).await? {
        true => change_response(&app).await,
        false => Err(not_found("variable", &id)),
    }
}

/// Whoever is told that a variable has changed finds triggers that read it, and what is started
/// from then on, as it says now.
async fn change_response(app: &App) -> Result<Response, ApiError> {
    app.runtime.reload().await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn find(app: &App, who: &Principal, id: &str) -> Result<Variable, ApiError> {
    app.store
        .variable(id)
        .await?
        .filter(|variable| can_view(who, variable))
        .ok_or_else(|| not_found("variable", id))
}

fn can_view(who: &Principal, variable: &Variable) -> bool {
    variable.project_id.as_ref().is_none_or(|project| who.access.can_view(project))
}

/// Those of a project are for its editors, those of everybody for admins.
async fn check_can_change(
    app: &App,
    who: &Principal,
    project: Option<&str>,
) -> Result<(), ApiError> {
    match project {
        Some(id) => who.project(app, id, AccessLevel::Edit).await.map(drop),
        None if who.role >= UserRole::Admin => Ok(()),
        None => Err(ApiError::new(
            Code::ACCESS_FORBIDDEN,
            "Only admins can change instance-wide variables",
        )
        .hint("Name a project to create a variable for its workflows only.")),
    }
}
