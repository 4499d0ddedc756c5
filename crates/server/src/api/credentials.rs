//! `/api/v1/credentials`: what they are, never what they hold.

use super::{
    ApiOperation, RequestJson, RequestQuery, credential_fields, credential_test, invalid,
    not_found, page_of,
};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::{json, typed};
use crate::wire;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{delete, get, patch, post};
use model::{Code, Str};
use node_api::Credential;
use node_api::credential::{CredentialRegistry, CredentialSpec};
use std::sync::Arc;
use store::credentials::{CredentialChange, NewCredential, SecretFields, StoredCredential};

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/credentials",
        "credential:list",
        "getCredentials",
        "List credentials without their data",
        || get(list),
    )
    .query::<wire::ListQuery>()
    .response::<wire::CredentialList>(200),
    ApiOperation::new(
        "POST",
        "/credentials",
        "credential:create",
        "createCredential",
        "Create a credential",
        || post(create),
    )
    .request_body::<wire::CredentialInput>()
    .response::<wire::Credential>(200),
    ApiOperation::new(
        "GET",
        "/credentials/{id}",
        "credential:read",
        "getCredential",
        "Show a credential without its data",
        || get(show),
    )
    .response::<wire::Credential>(200),
    ApiOperation::new(
        "PATCH",
        "/credentials/{id}",
        "credential:update",
        "updateCredential",
        "Change a credential",
        || patch(update),
    )
    .request_body::<wire::CredentialChange>()
    .response::<wire::Credential>(200),
    ApiOperation::new(
        "DELETE",
        "/credentials/{id}",
        "credential:delete",
        "deleteCredential",
        "Delete a credential",
        || delete(remove),
    )
    .response::<wire::Credential>(200),
    ApiOperation::new(
        "POST",
        "/credentials/{id}/test",
        "credential:test",
        "testCredential",
        "Test a credential",
        || post(test),
    )
    .response::<wire::CredentialTest>(200),
    ApiOperation::new(
        "GET",
        "/credentials/{id}/models",
        "credential:test",
        "getCredentialModels",
        "List the models available to a credential",
        || get(models),
    )
    .response::<wire::CredentialModels>(200),
    ApiOperation::new(
        "GET",
        "/credentials/schema/{kind}",
        "",
        "getCredentialType",
        "Show the fields of a credential type",
        || get(schema),
    )
    .without_scope()
    .response::<wire::JsonObject>(200),
    ApiOperation::new(
        "GET",
        "/credential-types",
        "",
        "getCredentialTypes",
        "List all descriptions of credential types",
        || get(types),
    )
    .without_scope()
    .response::<wire::CredentialTypes>(200),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::ListQuery>,
) -> Result<Response, ApiError> {
    let (limit, after) = (query.limit.get(), query.cursor.0);
    let mut found = match who.access.project_filter() {
        None => app.store.credentials(after.as_deref(), limit + 1).await?,
        Some(projects) => app.store.credentials_of(projects, after.as_deref(), limit + 1).await?,
    };
    let page: wire::CredentialList<'_> = page_of(&mut found, limit, |credential| &credential.id);
    Ok(typed(StatusCode::OK, &page))
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let credential = who.credential(&app, &id, AccessLevel::View).await?;
    // With whom it is shared is for those who may change that.
    let shares = match who.credential(&app, &id, AccessLevel::Manage).await {
        Ok(_) => Some(app.store.shares_of(&credential.id).await?),
        Err(_) => None,
    };
    let mut shown = wire::Credential::from(&credential);
    shown.shared_with = shares.as_ref().map(|ids| ids.iter().map(Str::as_str).collect());
    Ok(typed(StatusCode::OK, &shown))
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::CredentialInput { name, kind, data, project_id, .. } = body.read()?;
    let fields = data.into_object();
    let types = &app.runtime.engine.registry.credentials;
    let kind = types.canonical_id(&kind);
    credential_fields::check(known(types, kind)?, &fields, false)?;
    let project_id = Some(who.target_project(&app, project_id.as_deref()).await?);
    let new = NewCredential {
        id: store::new_id(),
        name: name.into(),
        kind: kind.into(),
        secret: SecretFields::new(fields),
        project_id,
    };
    let saved = app.store.save_credential(new).await?;
    Ok(typed(StatusCode::OK, &wire::Credential::from(&saved)))
}

async fn update(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let before = who.credential(&app, &id, AccessLevel::Edit).await?;
    let wire::CredentialChange { name, kind, data, is_partial_data: is_partial, .. } =
        body.read()?;
    let types = &app.runtime.engine.registry.credentials;
    let kind = kind.as_deref().map(|kind| types.canonical_id(kind));
    let fields = data.map(wire::JsonObject::into_object);
    if kind.is_some_and(|kind| kind != before.kind) && (fields.is_none() || is_partial) {
        return Err(invalid("data", "is required in full when the type changes"));
    }
    let spec = known(types, kind.unwrap_or(&before.kind))?;
    if let Some(fields) = &fields {
        credential_fields::check(spec, fields, is_partial)?;
    }
    let change = CredentialChange {
        name: name.map(Into::into),
        kind: kind.map(Into::into),
        secret: fields.map(SecretFields::new),
        is_partial,
    };
    let after = app
        .store
        .change_credential(&id, change, types.clone())
        .await?
        .ok_or_else(|| not_found("credential", &id))?;
    Ok(typed(StatusCode::OK, &wire::Credential::from(&after)))
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let before = who.credential(&app, &id, AccessLevel::Edit).await?;
    app.store.delete_credential(&id).await?;
    Ok(typed(StatusCode::OK, &wire::Credential::from(&before)))
}

async fn schema(State(app): State<App>, Path(kind): Path<String>) -> Result<Response, ApiError> {
    let spec = app.runtime.engine.registry.credentials.find(&kind);
    let spec = spec.ok_or_else(|| not_found("credential type", &kind))?;
    Ok(json(StatusCode::OK, &credential_fields::schema(spec)))
}

/// The descriptions of all types, from which forms are drawn.
async fn types(State(app): State<App>, headers: HeaderMap) -> Result<Response, ApiError> {
    app.catalogue().credentials.respond(&headers, || {
        let specs = app.runtime.engine.registry.credentials.all().iter();
        let described = specs.map(|spec| wire::CredentialType::from(spec.as_ref()));
        let types = wire::CredentialTypes(described.collect());
        model::to_value(&types).map_err(|error| {
            let message = format!("The credential types could not be serialized: {error}");
            ApiError::new(Code::STORE_CORRUPT, message)
        })
    })
}

/// Uses a credential once, the way its kind is tested.
async fn test(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let credential = who.credential(&app, &id, AccessLevel::Edit).await?;
    let opened = open(&app, &credential).await?;
    let outcome = credential_test::run(&app, &opened).await;
    let tested = match &outcome {
        Ok(()) => wire::CredentialTest {
            status: wire::CredentialTestStatus::OK,
            message: "The connection was tested and works",
        },
        Err(reason) => {
            wire::CredentialTest { status: wire::CredentialTestStatus::Error, message: reason }
        }
    };
    Ok(typed(StatusCode::OK, &tested))
}

/// Asks the provider of a credential for its models.
async fn models(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let credential = who.credential(&app, &id, AccessLevel::Edit).await?;
    let opened = open(&app, &credential).await?;
    let outcome = credential_test::models(&app, &opened).await;
    let data = outcome.iter().flatten().map(Str::as_str).collect();
    let message = outcome.as_ref().err().map(String::as_str);
    Ok(typed(StatusCode::OK, &wire::CredentialModels { data, message }))
}

/// The description of a type that credentials may have.
fn known<'a>(types: &'a CredentialRegistry, kind: &str) -> Result<&'a CredentialSpec, ApiError> {
    let unknown = || {
        let kind: String = kind.chars().take(100).collect();
        invalid("type", &format!("is '{kind}', which is not a known credential type"))
    };
    types.find(kind).map(Arc::as_ref).ok_or_else(unknown)
}

/// A stored credential with its secrets, to be tried out.
async fn open(app: &App, credential: &StoredCredential) -> Result<Credential, ApiError> {
    let secret = app.store.open_credential(&credential.id).await?;
    let secret = secret.ok_or_else(|| not_found("credential", &credential.id))?;
    #[expect(
        clippy::disallowed_methods,
        reason = "users who may change a credential may also test it"
    )]
    let fields = secret.reveal();
    Ok(app.runtime.engine.registry.credentials.open(&credential.kind, fields))
}
