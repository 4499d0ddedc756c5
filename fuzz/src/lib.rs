//! What must hold for any input. The fuzzer tries it on inputs of its own making, `make test` on
//! bounded random ones.

pub mod calculator;
pub mod content_type;
pub mod cron;
pub mod expression;
pub mod journal;
pub mod json_schema;
pub mod merge_sql;
pub mod model_stream;
pub mod multipart;
pub mod openapi;
pub mod operations;
pub mod read_only_sql;
pub mod set_cookie;
pub mod url_policy;
pub mod webhook_body;
pub mod workflow_json;
