//! What the ports reach: the guarded HTTP client, and recorded answers in its place.
//!
//! Invariant: nothing in the product opens a connection to the outside except through [`http::GuardedHttp`].
//! Invariant: what may be reached is decided by pure functions ([`http::Policy`], [`http::address`]) on parsed values.

pub mod http;
