//! All formats through our clients against the mock models: what is answered, what is asked, and
//! everything that can go wrong.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop the test")]

mod clients;
mod faults;
mod formats;
