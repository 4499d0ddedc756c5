//! `/api/v1/local-models`: the models that run on this machine, and their download.

use super::ApiOperation;
use crate::App;
use crate::access::Principal;
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use model::Code;
use store::users::UserRole;

#[rustfmt::skip]
pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/local-models", "", "listLocalModels", "List the built-in models", || get(list))
        .without_scope().response::<wire::LocalModelList<'_>>(200),
    ApiOperation::new("POST", "/local-models/{name}/download", "localModel:download", "downloadLocalModel", "Start to download a built-in model", || {
        post(download)
    }).response::<wire::LocalModel<'_>>(202),
];

async fn list(State(app): State<App>, Extension(who): Extension<Principal>) -> Response {
    let packages = app.model_packages.list();
    let for_admin = who.role >= UserRole::Admin;
    let data = packages.iter().map(|one| wire::LocalModel::new(one, for_admin)).collect();
    typed(StatusCode::OK, &wire::LocalModelList { data })
}

/// Begins the download and answers at once; how far it is shows in the list.
async fn download(State(app): State<App>, Path(name): Path<String>) -> Result<Response, ApiError> {
    app.model_packages.download(&name)?;
    let packages = app.model_packages.list();
    let unknown = || ApiError::new(Code::NOT_FOUND, "There is no built-in model of this name");
    let package = packages.iter().find(|one| one.name == name).ok_or_else(unknown)?;
    Ok(typed(StatusCode::ACCEPTED, &wire::LocalModel::new(package, true)))
}
