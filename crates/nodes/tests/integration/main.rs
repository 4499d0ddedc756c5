//! Tests of the crate from outside, in one binary.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test may stop at the first surprise")]

extern crate heddle_nodes as nodes;

mod any_cron;
mod any_query;
mod any_statement;
mod compliance;
mod corpus_functions;
mod database_tool;
mod encryption;
mod http;
mod http_pages;
mod large_answers;
mod mail;
mod mysql;
mod postgres;
mod redis;
mod smtp_server;
