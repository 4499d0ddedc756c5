//! `/api/v1/collections/{id}/…`: what is in a collection: files and texts go in, chunks are looked
//! at and found.

use super::collections::check_credential;
use super::operation::{CURSOR, LIMIT, QueryParam};
use super::{
    ApiOperation, BodyFields, QueryParams, RequestJson, from_cursor, invalid, limit, page_of,
    request,
};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::Response;
use axum::routing::{delete, get, post};
use model::{Binary, Code, Object, Str, Value};
use node_api::ai::{Document, Embedder, VectorQuery};
use node_api::collections::{ChunkQuery, ChunkSearch, ChunkSelection, Collection, add_documents};
use std::sync::Arc;

const SOURCE: QueryParam = QueryParam("source", "string");

#[rustfmt::skip]
pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/collections/{id}/sources", "collection:read", "listCollectionSources", "List the sources of a collection's chunks", || {
        get(sources)
    }).response::<wire::CollectionSourceList>(200),
    ApiOperation::new("DELETE", "/collections/{id}/sources", "collection:write", "deleteCollectionSource", "Delete the chunks of a source", || {
        delete(remove_source)
    }).query(&[SOURCE]).response::<wire::CollectionDeleted>(200),
    ApiOperation::new("GET", "/collections/{id}/chunks", "collection:read", "listCollectionChunks", "List the chunks of a collection", || get(chunks))
        .query(&[LIMIT, CURSOR, SOURCE]).response::<wire::CollectionChunkList>(200),
    ApiOperation::new("POST", "/collections/{id}/files", "collection:write", "addCollectionFile", "Add a file sent as the request body; ?source sets its name", || {
        post(add_file)
    }).query(&[SOURCE]).response::<wire::CollectionAdded>(200),
    ApiOperation::new("POST", "/collections/{id}/texts", "collection:write", "addCollectionText", "Add a text", || post(add_text))
        .request_body::<wire::CollectionText>().response::<wire::CollectionAdded>(200),
    ApiOperation::new("POST", "/collections/{id}/search", "collection:search", "searchCollection", "Search chunks by meaning", || post(search))
        .request_body::<wire::CollectionQuestion>().response::<wire::CollectionFound>(200),
];

async fn sources(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.collection(&app, &id, AccessLevel::View).await?;
    let found = app.store.sources(&id).await?;
    let data = found.iter().map(Into::into).collect();
    Ok(typed(StatusCode::OK, &wire::CollectionSourceList { data, next_cursor: None }))
}

async fn remove_source(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryParams,
) -> Result<Response, ApiError> {
    who.collection(&app, &id, AccessLevel::Edit).await?;
    let source = query.get("source").ok_or_else(|| invalid("source", "is missing"))?;
    let n_deleted =
        app.store.delete_chunks(&id, ChunkSelection::Source(source.as_str().into())).await?;
    Ok(typed(StatusCode::OK, &wire::CollectionDeleted { deleted_count: n_deleted }))
}

async fn chunks(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryParams,
) -> Result<Response, ApiError> {
    who.collection(&app, &id, AccessLevel::View).await?;
    let limit = limit(&query)?;
    let source = query.get("source").map(|source| source.as_str().into());
    let after = from_cursor(&query)?.map(Str::from);
    let mut found = app.store.chunks(&id, ChunkQuery { source, after, limit: limit + 1 }).await?;
    let page: wire::CollectionChunkList<'_> = page_of(&mut found, limit, |chunk| &chunk.id);
    Ok(typed(StatusCode::OK, &page))
}

async fn add_file(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryParams,
    request: Request,
) -> Result<Response, ApiError> {
    let collection = who.collection(&app, &id, AccessLevel::Edit).await?;
    let name = query
        .get("source")
        .filter(|name| !name.is_empty())
        .ok_or_else(|| invalid("source", "must be the file name"))?;
    let mime_type = request
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or("application/octet-stream");
    // What curl says of any body that it is given.
    let mime_type: Str = if mime_type.starts_with("application/x-www-form-urlencoded") {
        "application/octet-stream"
    } else {
        mime_type
    }
    .into();
    let data = request::read_bytes(request, app.body_limits.bytes).await?;
    let embedder = embedder(&app, &collection).await?;
    let documents =
        app.ingestor.read(Binary::new(data, mime_type, Some(name.as_str().into()))).await?;
    add_chunks(&app, &collection, embedder.as_ref(), name.as_str().into(), documents).await
}

async fn add_text(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let collection = who.collection(&app, &id, AccessLevel::Edit).await?;
    let body = BodyFields::read(&body, &["text", "source", "metadata"])?;
    let text = body.text("text", 1, app.body_limits.bytes)?.to_owned();
    let source: Str = body.optional_text("source", 0, 1000)?.unwrap_or_default().into();
    let metadata = fields(&body, "metadata")?;
    let embedder = embedder(&app, &collection).await?;
    let file = Binary::new(text.into_bytes(), "text/markdown", Some(source.clone()));
    let mut documents = app.ingestor.read(file).await?;
    documents.iter_mut().for_each(|document| document.metadata.extend(metadata.clone()));
    add_chunks(&app, &collection, embedder.as_ref(), source, documents).await
}

async fn add_chunks(
    app: &App,
    collection: &Collection,
    embedder: &dyn Embedder,
    source: Str,
    documents: Vec<Document>,
) -> Result<Response, ApiError> {
    let n_chunks =
        add_documents(&*app.store, &collection.id, embedder, source.clone(), documents).await?;
    Ok(typed(StatusCode::OK, &wire::CollectionAdded { source: &source, chunks: n_chunks }))
}

async fn search(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    // A search spends what the collection's credential pays for, as a run does.
    let collection = who.collection(&app, &id, AccessLevel::Edit).await?;
    let body = BodyFields::read(&body, &["query", "limit", "minScore", "hybrid", "metadata"])?;
    let query = Str::from(body.text("query", 1, 10_000)?);
    let number =
        |field: &str, usual: f64, least: f64, most: f64| match body.get(field).map(Value::as_f64) {
            None => Ok(usual),
            Some(Some(number)) if (least..=most).contains(&number) => Ok(number),
            Some(_) => Err(invalid(field, &format!("must be a number from {least} to {most}"))),
        };
    let wanted = VectorQuery {
        limit: number("limit", 5.0, 1.0, 100.0)? as usize,
        min_score: Some(number("minScore", 0.0, 0.0, 1.0)?),
        metadata: fields(&body, "metadata")?,
    };
    let is_hybrid = match body.get("hybrid") {
        None => false,
        Some(Value::Bool(flag)) => *flag,
        Some(_) => return Err(invalid("hybrid", "must be true or false")),
    };
    let embedder = embedder(&app, &collection).await?;
    let vector =
        embedder.embed(std::slice::from_ref(&query)).await?.into_iter().next().unwrap_or_default();
    let question = ChunkSearch {
        model: embedder.model().into(),
        vector,
        query: wanted,
        words: is_hybrid.then_some(query),
    };
    let found = app.store.search_chunks(&id, question).await?;
    let results = found.iter().map(Into::into).collect();
    Ok(typed(StatusCode::OK, &wire::CollectionFound { results }))
}

fn fields(body: &BodyFields, name: &str) -> Result<Object, ApiError> {
    match body.get(name) {
        None => Ok(Object::new()),
        Some(Value::Object(fields)) => Ok((**fields).clone()),
        Some(_) => Err(invalid(name, "must be an object")),
    }
}

/// The embedding model that the collection's credential pays for, or else the one on this machine.
/// The project must still have the credential.
async fn embedder(app: &App, collection: &Collection) -> Result<Arc<dyn Embedder>, ApiError> {
    let none = || {
        ApiError::new(Code::COLLECTION_VALUE, "The collection has no credential for embeddings")
            .hint(
                "Choose one with PATCH /collections/{id} and `credentialId`, install the built-in \
                 model with `heddle models pull`, or fill the collection in a workflow.",
            )
    };
    let Some(id) = &collection.credential_id else {
        let local = collection
            .uses_local_embeddings()
            .then(|| app.ingestor.local_embedder().ok())
            .flatten();
        return local.ok_or_else(none);
    };
    let credential = app.store.credential(id).await?.ok_or_else(none)?;
    check_credential(app, &credential, &collection.project_id).await?;
    let secret = app.store.open_credential(id).await?.ok_or_else(none)?;
    #[expect(
        clippy::disallowed_methods,
        reason = "the owner of the collection chose the credential"
    )]
    let fields = secret.reveal();
    Ok(app.ingestor.embedder(&credential.kind, &fields, collection.model.as_ref())?)
}
