//! The API as its callers meet it: over HTTP, against a real server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests stop the test"
)]

mod addresses;
mod app;
mod children;
mod disconnects;
mod editor;
mod guards;
mod keys;
mod matrix;
mod projects;
mod resources;
mod resume;
mod roles;
mod schedules;
mod secrets;
mod sign_in;
mod tables;
mod test_addresses;
mod unauthenticated;
mod versions;
