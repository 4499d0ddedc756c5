//! The API in the shape of n8n's public API, version 1.

mod approvals;
mod audit;
mod collection_chunks;
mod collections;
mod credential_fields;
mod credential_test;
mod credentials;
mod data_table_rows;
mod data_tables;
mod editor;
mod execution_decisions;
mod execution_files;
mod execution_stream;
mod execution_trace;
mod executions;
mod folders;
mod internal;
mod local_models;
mod mcp_servers;
mod members;
mod memories;
mod openapi;
mod operation;
mod policy;
mod projects;
mod request;
mod source_control;
mod spending;
mod tags;
mod test_webhook;
mod tools;
mod users;
mod variables;
mod versions;
mod workflows;

pub(crate) use editor::Previews;
pub use editor::RequestForm;
pub(crate) use internal::{ApiRequest, read_answer};
pub use openapi::api_schemas;
pub(crate) use operation::ApiOperation;
pub(crate) use request::{JsonBody, QueryResult, RequestJson, RequestQuery, invalid, json_error};

use crate::App;
use crate::access::not_found;
use crate::error::ApiError;
use crate::wire;
use axum::response::{IntoResponse, Response};
use model::{Code, Str};
use std::collections::{HashMap, HashSet};
use wire::to_cursor;

/// Every operation there is: the routes, who may use them, and what the description says are all
/// made from this.
pub(crate) const OPERATIONS: &[&[ApiOperation]] = &[
    workflows::OPERATIONS,
    versions::OPERATIONS,
    folders::OPERATIONS,
    test_webhook::OPERATIONS,
    executions::OPERATIONS,
    execution_decisions::OPERATIONS,
    execution_trace::OPERATIONS,
    approvals::OPERATIONS,
    policy::OPERATIONS,
    credentials::OPERATIONS,
    spending::OPERATIONS,
    tags::OPERATIONS,
    variables::OPERATIONS,
    data_tables::OPERATIONS,
    data_table_rows::OPERATIONS,
    collections::OPERATIONS,
    collection_chunks::OPERATIONS,
    memories::OPERATIONS,
    local_models::OPERATIONS,
    mcp_servers::OPERATIONS,
    tools::OPERATIONS,
    projects::OPERATIONS,
    members::OPERATIONS,
    users::OPERATIONS,
    audit::OPERATIONS,
    source_control::OPERATIONS,
    editor::node_types::OPERATIONS,
    editor::instance::OPERATIONS,
    editor::run::OPERATIONS,
    editor::outline::OPERATIONS,
    editor::agent::OPERATIONS,
    editor::insights::OPERATIONS,
    editor::fetch::OPERATIONS,
    editor::api_descriptions::OPERATIONS,
    editor::items::OPERATIONS,
    editor::check::OPERATIONS,
    editor::connected_tools::OPERATIONS,
    editor::expression::OPERATIONS,
    editor::client_errors::OPERATIONS,
    openapi::OPERATIONS,
];

/// The operation of a name.
pub(crate) fn operation(id: &str) -> Option<&'static ApiOperation> {
    OPERATIONS.iter().flat_map(|table| table.iter()).find(|operation| operation.id == id)
}

pub(crate) async fn fallback() -> Response {
    ApiError::new(Code::NOT_FOUND, "This address does not exist").into_response()
}

pub(crate) async fn method_not_allowed() -> Response {
    let mut response =
        ApiError::new(Code::NOT_FOUND, "This address does not support this method").into_response();
    *response.status_mut() = axum::http::StatusCode::METHOD_NOT_ALLOWED;
    response
}

/// Cuts what was asked for one more than fits, and gives where the next page begins, if there is
/// one.
fn split_page<T>(found: &mut Vec<T>, limit: usize, place: impl Fn(&T) -> String) -> Option<String> {
    let has_more = found.len() > limit;
    found.truncate(limit);
    found.last().filter(|_| has_more).map(|last| to_cursor(&place(last)))
}

/// A page of things that were asked for one more than fits.
fn page_of<'a, T, W: From<&'a T>>(
    found: &'a mut Vec<T>,
    limit: usize,
    place: impl Fn(&T) -> &str,
) -> wire::Page<W> {
    let next_cursor = split_page(found, limit, |last| place(last).to_owned());
    wire::Page { data: found.iter().map(Into::into).collect(), next_cursor }
}

/// The names of the workflows that a list speaks of, by their ids.
async fn workflow_names(
    app: &App,
    ids: impl Iterator<Item = &Str>,
) -> Result<HashMap<Str, Str>, ApiError> {
    let ids: HashSet<&Str> = ids.collect();
    Ok(app.store.workflow_names(ids.into_iter().cloned().collect()).await?.into_iter().collect())
}
