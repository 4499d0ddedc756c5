//! Nodes that call other services over HTTP.

mod auth;
mod draft;
mod failure;
mod graphql;
mod n8n;
mod query;
mod request;
mod secrets;
mod tools;

use node_api::{Entry, run, supply};

pub static NODES: &[Entry] = &[
    run::<request::v1::HttpRequestOld>(),
    run::<request::v3::HttpRequestNew>(),
    run::<graphql::GraphQl>(),
    run::<n8n::N8n>(),
    supply::<tools::own::HttpRequestTool>(),
    supply::<tools::n8n::ToolHttpRequest>(),
];
