//! The JSON of the API: one type for each request body, response and live event.
//!
//! Invariant: the OpenAPI description and the editor's TypeScript types are generated from these
//! types and from nothing else. Invariant: a field that may be absent is skipped when there is no
//! value; a field that is always present may be `null`.

pub(crate) mod agent;
pub(crate) mod approvals;
pub(crate) mod audit;
pub(crate) mod checks;
pub(crate) mod client_errors;
pub(crate) mod collection_chunks;
pub(crate) mod collections;
pub(crate) mod components;
pub(crate) mod credential_types;
pub(crate) mod credentials;
pub(crate) mod data_table_rows;
pub(crate) mod data_tables;
pub(crate) mod errors;
pub(crate) mod events;
pub(crate) mod executions;
pub(crate) mod expressions;
pub(crate) mod fetch;
pub(crate) mod folders;
pub(crate) mod insights;
pub(crate) mod instance;
pub(crate) mod items;
pub(crate) mod members;
pub(crate) mod node_types;
pub(crate) mod outline;
pub(crate) mod projects;
pub(crate) mod runs;
pub(crate) mod spending;
pub(crate) mod tags;
pub(crate) mod test_webhooks;
pub(crate) mod users;
pub(crate) mod values;
pub(crate) mod variables;
pub(crate) mod versions;
pub(crate) mod workflows;

pub(crate) use agent::*;
pub(crate) use approvals::*;
pub(crate) use audit::*;
pub(crate) use checks::*;
pub(crate) use client_errors::*;
pub(crate) use collection_chunks::*;
pub(crate) use collections::*;
pub(crate) use credential_types::*;
pub(crate) use credentials::*;
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
pub(crate) use members::*;
pub(crate) use node_types::*;
pub(crate) use outline::*;
pub(crate) use projects::*;
pub(crate) use runs::*;
pub(crate) use spending::*;
pub(crate) use tags::*;
pub(crate) use test_webhooks::*;
pub(crate) use users::*;
pub(crate) use values::*;
pub(crate) use variables::*;
pub(crate) use versions::*;
pub(crate) use workflows::*;
