//! CPU work that others decide about: expressions, code, patterns, archives, documents.
//!
//! Invariant: such work never holds up a thread that serves connections. [`blocking`] and [`interruptible`] move it out of the way
//! first, [`Offload`] does so for each poll of a future; how many threads that may take is limited.
//! Invariant: whoever has used little goes first. A section computes only while it has a turn; [`tick`] gives the turn up
//! at the end of a time slice if others wait, and says when the CPU time that was granted is used up.
//!
//! Knows no other crate.

mod offload;
mod section;
mod turns;

pub use offload::Offload;
pub use section::{
    Allowance, Busy, Exceeded, LARGE_BYTES, MAX_SECTIONS, Room, blocking, cpu_used, for_size, interruptible, is_offloaded, tick,
};
