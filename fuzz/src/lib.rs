//! What must hold for any input. The fuzzer tries it on inputs of its own making, `make test` on bounded random ones.

pub mod cron;
pub mod expression;
pub mod model_stream;
pub mod multipart;
pub mod operations;
pub mod url_policy;
pub mod webhook_body;
pub mod workflow_json;
