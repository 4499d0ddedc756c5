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
mod doors;
mod editor;
mod gone;
mod guards;
mod keys;
mod matrix;
mod projects;
mod resources;
mod roles;
mod schedules;
mod secrets;
mod sign_in;
mod tables;
mod taken_up;
mod test_addresses;
mod versions;
