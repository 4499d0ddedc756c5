//! Outgoing HTTP: the egress policy, the one client that obeys it, and recorded answers for tests.

pub mod address;
mod body;
mod bound;
mod client;
mod decode;
mod fits;
mod multipart;
mod policy;
mod recorded;
mod redirect;
mod resolve;
mod userinfo;

pub use client::GuardedHttp;
pub use policy::{Destination, Policy, PolicyError};
pub use recorded::{RecordedHttp, RecordingError};
pub(crate) use resolve::checked_addresses;
pub use resolve::{Resolve, SystemResolver};
