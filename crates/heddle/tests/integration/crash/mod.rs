//! Kill -9. What was accepted is finished or resumable, and nothing happens twice without
//! a word.
//!
//! `cargo xtask crash 500` is the long form; the suite runs a short one.

mod at_random;
mod decisions;
mod fail_points;
mod many;
mod mixed;
mod poison;
mod repeatable;
mod restart;
mod storm;
