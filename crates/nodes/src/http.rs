//! Nodes that call other services over HTTP.

mod auth;
mod draft;
mod failure;
mod graphql;
mod n8n;
mod operation_form;
mod query;
mod request;
mod secrets;
pub(crate) mod tools;

pub use operation_form::http_request_parameters;

use node_api::{NodeEntry, run, supply};

pub static NODES: &[NodeEntry] = &[
    run::<request::v1::HttpRequestV1>(),
    run::<request::v3::HttpRequestV3>(),
    run::<graphql::GraphQl>(),
    run::<n8n::N8n>(),
    supply::<tools::request_tool::HttpRequestTool>(),
    supply::<tools::legacy_tool::ToolHttpRequest>(),
];
