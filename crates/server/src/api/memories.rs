//! `/api/v1/memories`: what agents remember: searched, corrected and deleted.

use super::{ApiOperation, RequestJson, RequestQuery, page_of, request::QueryResult};
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
use model::Str;
use node_api::ai::{
    Embedding, EntryChange, EntryQuery, LOCAL_EMBEDDING_MODEL, MemoryQuery, MemorySpace,
};

#[rustfmt::skip]
pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/memories", "memory:list", "listMemories", "List long-term memories with their statistics", || get(list))
        .query::<wire::MemoryListQuery>().response::<wire::MemoryList>(200),
    ApiOperation::new("GET", "/memories/{id}", "memory:read", "getMemory", "Show a long-term memory", || get(show)).response::<wire::Memory>(200),
    ApiOperation::new("DELETE", "/memories/{id}", "memory:delete", "deleteMemory", "Delete a long-term memory and its entries", || {
        delete(remove)
    }).empty_response(204),
    ApiOperation::new("GET", "/memories/{id}/entries", "memory:read", "listMemoryEntries", "List the entries of a memory", || get(entries))
        .query::<wire::MemoryEntryQuery>().response::<wire::MemoryEntryList>(200),
    ApiOperation::new("POST", "/memories/{id}/search", "memory:read", "searchMemory", "Search entries by meaning, keywords and time", || post(search))
        .request_body::<wire::MemoryQuestion>().response::<wire::MemoryFound>(200),
    ApiOperation::new("PATCH", "/memories/{id}/entries/{entryId}", "memory:write", "updateMemoryEntry", "Correct an entry, if it has not changed since it was read", || {
        patch(change)
    }).request_body::<wire::MemoryEntryChange>().response::<wire::StoredMemoryEntry>(200),
    ApiOperation::new("DELETE", "/memories/{id}/entries/{entryId}", "memory:write", "deleteMemoryEntry", "Delete an entry", || {
        delete(remove_entry)
    }).empty_response(204),
    ApiOperation::new("DELETE", "/memories/{id}/subjects", "memory:write", "deleteMemorySubject", "Delete everything about a user or session", || {
        delete(remove_subject)
    }).query::<wire::MemorySubjectQuery>().response::<wire::MemoryDeleted>(200),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::MemoryListQuery>,
) -> Result<Response, ApiError> {
    if let Some(project) = &query.project_id {
        who.project(&app, project, AccessLevel::View).await?;
    }
    let mut found = app.store.spaces().await?;
    found.retain(|space| who.access.can_view(&space.project_id));
    found.retain(|space| {
        query.project_id.as_deref().is_none_or(|project| space.project_id == project)
    });
    // By id, so that a page begins behind the last one, whatever was added or removed meanwhile.
    found.sort_by(|one, other| one.id.cmp(&other.id));
    if let Some(after) = query.cursor.0 {
        found.retain(|space| space.id.as_str() > after.as_str());
    }
    let page: wire::MemoryList<'_> = page_of(&mut found, query.limit.get(), |space| &space.id);
    Ok(typed(StatusCode::OK, &page))
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let space = who.memory(&app, &id, AccessLevel::View).await?;
    Ok(typed(StatusCode::OK, &wire::Memory::from(&space)))
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.memory(&app, &id, AccessLevel::Edit).await?;
    app.store.delete_space(&id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn entries(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryResult<wire::MemoryEntryQuery>,
) -> Result<Response, ApiError> {
    who.memory(&app, &id, AccessLevel::View).await?;
    let query = query?.0;
    let limit = query.limit.get();
    let asked = EntryQuery {
        subject: query.subject.map(Into::into),
        after: query.cursor.0.map(Into::into),
        limit: limit + 1,
    };
    let mut found = app.store.entries(&id, asked).await?;
    let page: wire::MemoryEntryList<'_> = page_of(&mut found, limit, |entry| &entry.id);
    Ok(typed(StatusCode::OK, &page))
}

async fn search(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let space = who.memory(&app, &id, AccessLevel::View).await?;
    let body: wire::MemoryQuestion = body.read()?;
    let words = body.query.map(Str::from);
    let embedding = match &words {
        Some(words) => local_embedding(&app, &space, words).await?,
        None => None,
    };
    let query = MemoryQuery {
        subject: body.subject.map(Into::into),
        words,
        embedding,
        tags: body.tags.unwrap_or_default().into_iter().map(Into::into).collect(),
        kinds: body.kinds.unwrap_or_default().into_iter().map(Into::into).collect(),
        from_ms: body.from.map(|time| time.0),
        until_ms: body.until.map(|time| time.0),
        min_score: body.min_score.0,
        recency_weight: body.recency_weight.0,
        limit: body.limit.map_or(wire::DEFAULT_ENTRIES, wire::BoundedInt::as_usize),
        with_superseded: body.include_superseded,
        with_expired: body.include_expired,
    };
    let found = app.store.search_entries(&id, query).await?;
    let results = found.iter().map(Into::into).collect();
    Ok(typed(StatusCode::OK, &wire::MemoryFound { results }))
}

async fn change(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path((id, entry_id)): Path<(String, String)>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let space = who.memory(&app, &id, AccessLevel::Edit).await?;
    let body: wire::MemoryEntryChange = body.read()?;
    let text = match body.text.map(Str::from) {
        // A text without a vector of the memory's model is found by its words.
        Some(text) => {
            let embedding = local_embedding(&app, &space, &text).await?;
            Some((text, embedding))
        }
        None => None,
    };
    let change = EntryChange {
        version: body.version.get(),
        text,
        kind: body.kind.map(Into::into),
        tags: body.tags.map(|tags| tags.into_iter().map(Into::into).collect()),
        valid_ms: body.valid_from.map(|time| time.0),
        expires_ms: body.expires_at.map(|time| Some(time.0)),
        superseded_by: match body.superseded_by {
            Some(newer) => Some(Some(newer.into())),
            None => body.restore.then_some(None),
        },
    };
    let entry = app.store.change_entry(&id, &entry_id, change).await?;
    Ok(typed(StatusCode::OK, &wire::StoredMemoryEntry::from(&entry)))
}

async fn remove_entry(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path((id, entry_id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    who.memory(&app, &id, AccessLevel::Edit).await?;
    app.store.delete_entry(&id, &entry_id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

async fn remove_subject(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryResult<wire::MemorySubjectQuery>,
) -> Result<Response, ApiError> {
    who.memory(&app, &id, AccessLevel::Edit).await?;
    let deleted_count = app.store.delete_subject(Some(&id), &query?.0.subject).await?;
    Ok(typed(StatusCode::OK, &wire::MemoryDeleted { deleted_count }))
}

/// The vector of a text, where the model of this machine made those of the memory.
async fn local_embedding(
    app: &App,
    space: &MemorySpace,
    text: &Str,
) -> Result<Option<Embedding>, ApiError> {
    if space.model.as_deref() != Some(LOCAL_EMBEDDING_MODEL) {
        return Ok(None);
    }
    let Ok(embedder) = app.ingestor.local_embedder() else { return Ok(None) };
    let vector = embedder.embed(std::slice::from_ref(text)).await?.into_iter().next();
    Ok(vector.map(|vector| Embedding { model: embedder.model().into(), vector }))
}
