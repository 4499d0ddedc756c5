//! What tests need of the world outside: a server that speaks the formats of model providers and
//! answers by a script, faults included.
//!
//! Invariant: nothing of Heddle is used here, so that a mistake of ours is not made twice in the
//! same way. Invariant: only tests and benchmarks use it; it is never a part of the binary.

mod clock;
mod embeddings;
mod fault;
mod http;
mod itself;
mod others;
mod play;
mod reply;
mod script;
mod server;
mod weights;
mod wire;

pub use clock::Clock;
pub use fault::{Fault, RetryAfter};
pub use reply::{Call, Reply, Usage};
pub use script::replies_from_json;
pub use server::{Asked, Keeps, MockModels};
pub use weights::weights;
pub use wire::Format;
