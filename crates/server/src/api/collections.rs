//! `/api/v1/collections`: the collections of knowledge themselves.

use super::{ApiOperation, RequestJson, RequestQuery, page_of};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, patch, post};
use model::{Code, Str};
use node_api::collections::{CollectionChange, NewCollection};
use store::credentials::StoredCredential;

#[rustfmt::skip]
pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/collections", "collection:list", "listCollections", "List knowledge collections", || get(list))
        .query::<wire::CollectionQuery>().response::<wire::CollectionList>(200),
    ApiOperation::new("POST", "/collections", "collection:create", "createCollection", "Create a collection", || post(create))
        .request_body::<wire::CollectionInput>().response::<wire::Collection>(201),
    ApiOperation::new("GET", "/collections/{id}", "collection:read", "getCollection", "Show a collection", || get(show)).response::<wire::Collection>(200),
    ApiOperation::new("PATCH", "/collections/{id}", "collection:update", "updateCollection", "Rename a collection, or choose its credential", || {
        patch(change)
    }).request_body::<wire::CollectionChange>().response::<wire::Collection>(200),
    ApiOperation::new("DELETE", "/collections/{id}", "collection:delete", "deleteCollection", "Delete a collection and its contents", || {
        delete(remove)
    }).empty_response(204),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::CollectionQuery>,
) -> Result<Response, ApiError> {
    if let Some(project) = &query.project_id {
        who.project(&app, project, AccessLevel::View).await?;
    }
    let mut found = app.store.collections().await?;
    found.retain(|collection| who.access.can_view(&collection.project_id));
    found.retain(|collection| {
        query.project_id.as_deref().is_none_or(|project| collection.project_id == project)
    });
    // By id, so that a page begins behind the last one, whatever was added or removed meanwhile.
    found.sort_by(|one, other| one.id.cmp(&other.id));
    if let Some(after) = query.cursor.0 {
        found.retain(|collection| collection.id.as_str() > after.as_str());
    }
    let page: wire::CollectionList<'_> =
        page_of(&mut found, query.limit.get(), |collection| &collection.id);
    Ok(typed(StatusCode::OK, &page))
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let body: wire::CollectionInput = body.read()?;
    let project_id = who.target_project(&app, body.project_id.as_deref()).await?;
    let credential_id = match body.credential_id {
        Some(id) => Some(usable_credential(&app, &who, &id, &project_id).await?),
        None => None,
    };
    let new = NewCollection {
        name: body.name.into(),
        description: body.description.map(Into::into).unwrap_or_default(),
        project_id: Some(project_id),
        model: body.embedding_model.map(Into::into),
        credential_id,
    };
    let collection = app.store.create_collection(new).await?;
    Ok(typed(StatusCode::CREATED, &wire::Collection::from(&collection)))
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let collection = who.collection(&app, &id, AccessLevel::View).await?;
    Ok(typed(StatusCode::OK, &wire::Collection::from(&collection)))
}

async fn change(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let collection = who.collection(&app, &id, AccessLevel::Edit).await?;
    let wire::CollectionChange { name, description, credential_id } = body.read()?;
    let credential_id = match credential_id {
        Some(id) => Some(usable_credential(&app, &who, &id, &collection.project_id).await?),
        None => None,
    };
    let change = CollectionChange {
        name: name.map(Into::into),
        description: description.map(Into::into),
        credential_id,
    };
    let collection = app.store.change_collection(&id, change).await?;
    Ok(typed(StatusCode::OK, &wire::Collection::from(&collection)))
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.collection(&app, &id, AccessLevel::Edit).await?;
    app.store.delete_collection(&id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// A credential that whoever asks may see, and that the collection's project may use.
async fn usable_credential(
    app: &App,
    who: &Principal,
    id: &str,
    project: &str,
) -> Result<Str, ApiError> {
    let credential = who.credential(app, id, AccessLevel::View).await?;
    check_credential(app, &credential, project).await?;
    Ok(credential.id)
}

/// Whether a project has a credential, or was let use it.
pub(super) async fn check_credential(
    app: &App,
    credential: &StoredCredential,
    project: &str,
) -> Result<(), ApiError> {
    if credential.project_id == project
        || app.store.shares_of(&credential.id).await?.iter().any(|shared| shared == project)
    {
        return Ok(());
    }
    let message = "The credential does not belong to the collection's project";
    Err(ApiError::new(Code::CREDENTIAL_FOREIGN, message)
        .hint("Share the credential with the project, or choose another one."))
}
