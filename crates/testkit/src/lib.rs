//! What tests need of the world outside: models and HTTP services that answer by a script, faults
//! included; real databases and mail servers; folders and processes for one test.
//!
//! Invariant: nothing of Heddle is used here, so that a mistake of ours is not made twice in the
//! same way. Invariant: only tests and benchmarks use it; it is never a part of the binary.

mod aws_events;
mod clock;
mod default_reply;
mod embeddings;
mod fake_http;
mod fault;
mod http;
mod isolated;
mod other_apis;
mod reply;
mod requirement;
mod respond;
mod script;
mod server;
pub mod services;
mod temp_folder;
mod wire;

pub use aws_events::{aws_event, aws_frame};
pub use clock::TimestampStream;
pub use fake_http::{FakeHttp, FakeRequest, FakeResponse, FakeStep};
pub use fault::{NetFault, RetryAfter};
pub use isolated::{isolated, isolated_async, isolated_with};
pub use reply::{ScriptedCall, ScriptedReply, ScriptedUsage};
pub use requirement::{corpus, mcp_server, not_run, weights};
pub use script::replies_from_json;
pub use server::{MockModels, RecordedRequest, RequestRetention};
pub use temp_folder::TempFolder;
pub use wire::WireFormat;
