//! The JSON of the API: one type for each request body, query, response and live event.
//!
//! Invariant: the OpenAPI description and the editor's TypeScript types are generated from these
//! types and from nothing else. Invariant: handlers read requests as these types, so a limit is
//! declared once, where it is described and checked. Invariant: a field that may be absent is
//! skipped when there is no value; a field that is always present may be `null`.

pub(crate) mod agent;
pub(crate) mod approvals;
pub(crate) mod audit;
pub(crate) mod bounds;
pub(crate) mod checks;
pub(crate) mod client_errors;
pub(crate) mod collection_chunks;
pub(crate) mod collections;
pub(crate) mod components;
pub(crate) mod credential_types;
pub(crate) mod credentials;
pub(crate) mod data_table_lists;
pub(crate) mod data_table_rows;
pub(crate) mod data_tables;
pub(crate) mod errors;
pub(crate) mod events;
pub(crate) mod executions;
pub(crate) mod expressions;
pub(crate) mod fetch;
pub(crate) mod field_error;
pub(crate) mod folders;
mod inline;
pub(crate) mod insights;
pub(crate) mod instance;
pub(crate) mod items;
pub(crate) mod json;
pub(crate) mod local_models;
pub(crate) mod members;
pub(crate) mod node_types;
pub(crate) mod optional;
pub(crate) mod outline;
pub(crate) mod paging;
pub(crate) mod projects;
pub(crate) mod query;
pub(crate) mod read;
pub(crate) mod runs;
pub(crate) mod session;
pub(crate) mod spending;
pub(crate) mod tags;
pub(crate) mod test_webhooks;
#[cfg(test)]
mod testing;
pub(crate) mod text;
pub(crate) mod users;
pub(crate) mod values;
pub(crate) mod variables;
pub(crate) mod versions;
pub(crate) mod workflow_input;
pub(crate) mod workflows;

pub(crate) use agent::*;
pub(crate) use approvals::*;
pub(crate) use audit::*;
pub(crate) use bounds::*;
pub(crate) use checks::*;
pub(crate) use client_errors::*;
pub(crate) use collection_chunks::*;
pub(crate) use collections::*;
pub(crate) use credential_types::*;
pub(crate) use credentials::*;
pub(crate) use data_table_lists::*;
pub(crate) use data_table_rows::*;
pub(crate) use data_tables::*;
pub(crate) use errors::*;
pub(crate) use executions::*;
pub(crate) use expressions::*;
pub(crate) use fetch::*;
pub(crate) use folders::*;
pub(crate) use insights::*;
pub(crate) use instance::*;
pub(crate) use items::*;
pub(crate) use json::*;
pub(crate) use local_models::*;
pub(crate) use members::*;
pub(crate) use node_types::*;
pub(crate) use optional::*;
pub(crate) use outline::*;
pub(crate) use paging::*;
pub(crate) use projects::*;
pub(crate) use query::*;
pub(crate) use runs::*;
pub(crate) use session::*;
pub(crate) use spending::*;
pub(crate) use tags::*;
pub(crate) use test_webhooks::*;
pub(crate) use text::*;
pub(crate) use users::*;
pub(crate) use values::*;
pub(crate) use variables::*;
pub(crate) use versions::*;
pub(crate) use workflow_input::*;
pub(crate) use workflows::*;
