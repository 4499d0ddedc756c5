//! CPU work that others decide about: expressions, code, patterns, archives, documents.
//!
//! Invariant: such work never holds up a thread that serves connections. [`blocking`] and
//! [`interruptible`] move it out of the way first, [`Offload`] does so for each poll of a future,
//! and [`request_offload`] asks for it once much data has come in; how many threads that may take is limited.
//! Invariant: whoever has used little goes first. A section computes only while it has a turn;
//! [`tick`] gives the turn up at the end of a time slice if others wait, and says when the CPU time
//! that was granted is used up. The turn of work that does not tick is lent to others after a
//! moment. Invariant: when memory is short, only a few pieces of long work go on; the others wait
//! with what they have. Invariant: what other services send takes no more memory at once than there
//! is for it ([`MemoryReservation`]).
//!
//! Patterns of users are priced before they are compiled or run ([`pattern_cost`]), because neither
//! can be stopped.
//!
//! Knows no other crate.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod cpu_slots;
mod intake;
mod memory;
mod offload;
pub mod pattern_cost;
mod section;

pub use intake::{IntakeExhausted, MemoryReservation, largest_intake, limit_intake};
pub use memory::{is_memory_contended, is_memory_short, limit_memory};
pub use offload::{Offload, request_offload};
pub use section::{
    Allowance, Exceeded, LARGE_BYTES, MAX_SECTIONS, Overloaded, SectionPermit, blocking, cpu_used,
    for_size, interruptible, is_offloaded, tick, within,
};
