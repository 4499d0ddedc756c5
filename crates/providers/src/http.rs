//! Outgoing HTTP: the egress policy, the one client that obeys it, and recorded answers for tests.

pub mod address;
mod body;
mod client;
mod decode;
mod matcher;
mod multipart;
mod policy;
mod recorded;
mod redirect;
mod resolve;
mod secret_binding;
mod userinfo;

pub use client::GuardedHttp;
pub use policy::{CheckedDestination, EgressPolicy, PolicyError};
pub use recorded::{RecordedHttp, RecordingError};
pub(crate) use resolve::checked_addresses;
pub use resolve::{NameResolver, SystemResolver};
