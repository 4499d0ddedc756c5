//! Nodes that call other services over HTTP.

mod auth;
mod draft;
mod failure;
mod graphql;
mod n8n;
mod query;
mod request;
mod secrets;

use node_api::{Entry, run};

pub static NODES: &[Entry] =
    &[run::<request::v1::HttpRequestOld>(), run::<request::v3::HttpRequestNew>(), run::<graphql::GraphQl>(), run::<n8n::N8n>()];
