//! `/api/v1/collections/{id}/…`: what is in a collection: files and texts go in, chunks are looked
//! at and found.

use super::collections::check_credential;
use super::{ApiOperation, QueryResult, RequestJson, RequestQuery, page_of, request};
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
use model::{Binary, Code, Str};
use node_api::ai::{Document, Embedder, VectorQuery};
use node_api::collections::{ChunkQuery, ChunkSearch, ChunkSelection, Collection, add_documents};
use std::sync::Arc;

#[rustfmt::skip]
pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/collections/{id}/sources", "collection:read", "listCollectionSources", "List the sources of a collection's chunks", || {
        get(sources)
    }).response::<wire::CollectionSourceList>(200),
    ApiOperation::new("DELETE", "/collections/{id}/sources", "collection:write", "deleteCollectionSource", "Delete the chunks of a source", || {
        delete(remove_source)
    }).query::<wire::DeletedSourceQuery>().response::<wire::CollectionDeleted>(200),
    ApiOperation::new("GET", "/collections/{id}/chunks", "collection:read", "listCollectionChunks", "List the chunks of a collection", || get(chunks))
        .query::<wire::CollectionChunkQuery>().response::<wire::CollectionChunkList>(200),
    ApiOperation::new("POST", "/collections/{id}/files", "collection:write", "addCollectionFile", "Add a file sent as the request body; ?source sets its name", || {
        post(add_file)
    }).query::<wire::AddedFileQuery>().response::<wire::CollectionAdded>(200),
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
    query: QueryResult<wire::DeletedSourceQuery>,
) -> Result<Response, ApiError> {
    who.collection(&app, &id, AccessLevel::Edit).await?;
    let RequestQuery(query) = query?;
    let source = ChunkSelection::Source(query.source.into());
    let n_deleted = app.store.delete_chunks(&id, source).await?;
    Ok(typed(StatusCode::OK, &wire::CollectionDeleted { deleted_count: n_deleted }))
}

async fn chunks(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryResult<wire::CollectionChunkQuery>,
) -> Result<Response, ApiError> {
    who.collection(&app, &id, AccessLevel::View).await?;
    let RequestQuery(query) = query?;
    let limit = query.limit.get();
    let (source, after) = (query.source.map(Str::from), query.cursor.0.map(Str::from));
    let mut found = app.store.chunks(&id, ChunkQuery { source, after, limit: limit + 1 }).await?;
    let page: wire::CollectionChunkList<'_> = page_of(&mut found, limit, |chunk| &chunk.id);
    Ok(typed(StatusCode::OK, &page))
}

async fn add_file(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryResult<wire::AddedFileQuery>,
    request: Request,
) -> Result<Response, ApiError> {
    let collection = who.collection(&app, &id, AccessLevel::Edit).await?;
    let name = Str::from(query?.0.source);
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
    let documents = app.ingestor.read(Binary::new(data, mime_type, Some(name.clone()))).await?;
    add_chunks(&app, &collection, embedder.as_ref(), name, documents).await
}

async fn add_text(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let collection = who.collection(&app, &id, AccessLevel::Edit).await?;
    let wire::CollectionText { text, source, metadata } = body.read()?;
    let source: Str = source.map(Into::into).unwrap_or_default();
    let metadata = metadata.map(wire::JsonObject::into_object).unwrap_or_default();
    let embedder = embedder(&app, &collection).await?;
    let file = Binary::new(text.into_string().into_bytes(), "text/markdown", Some(source.clone()));
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
    let body: wire::CollectionQuestion = body.read()?;
    let query = Str::from(body.query);
    let wanted = VectorQuery {
        limit: body.limit.map_or(wire::DEFAULT_RESULTS, wire::BoundedInt::as_usize),
        min_score: Some(body.min_score.0),
        metadata: body.metadata.map(wire::JsonObject::into_object).unwrap_or_default(),
    };
    let embedder = embedder(&app, &collection).await?;
    let vector =
        embedder.embed(std::slice::from_ref(&query)).await?.into_iter().next().unwrap_or_default();
    let question = ChunkSearch {
        model: embedder.model().into(),
        vector,
        query: wanted,
        words: body.hybrid.then_some(query),
    };
    let found = app.store.search_chunks(&id, question).await?;
    let results = found.iter().map(Into::into).collect();
    Ok(typed(StatusCode::OK, &wire::CollectionFound { results }))
}

/// The embedding model that the collection's credential pays for, or else the one on this machine.
/// The project must still have the credential.
async fn embedder(app: &App, collection: &Collection) -> Result<Arc<dyn Embedder>, ApiError> {
    let none = || {
        ApiError::new(Code::COLLECTION_VALUE, "The collection has no credential for embeddings")
            .hint(
                "Select a credential for the collection, download the built-in model under \
                 Knowledge, or fill the collection in a workflow.",
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
