//! What the evaluation that runs on this thread has used of its allowance.
//!
//! A thread-local, because conversions deep inside of values have to be charged as well: an array that holds itself
//! twice, forty times over, is small until it is written out.

use super::{INLINE_BYTES, INLINE_STEPS, MAX_BYTES, MAX_STEPS, Run, Stop};
use crate::Error;
use crate::sandbox::memory::{Share, shared_limit};
use model::{Str, Value};
use std::cell::Cell;

thread_local! {
    static USED: Used = const {
        Used {
            steps: Cell::new(0),
            bytes: Cell::new(0),
            limits: Cell::new(Limits { steps: MAX_STEPS, bytes: MAX_BYTES, place: Place::OffTheRuntime }),
        }
    };
    /// What a long evaluation has of the memory that all JavaScript shares.
    static SHARE: Cell<Share> = const { Cell::new(Share::NONE) };
}

/// After so many steps others may have their turn, and time is looked at: the bits of a count that do not matter.
const STEP_BITS: u32 = 16;
/// The same for bytes that are put together.
const BYTE_BITS: u32 = 20;
/// What one search by a regular expression may take: some tenths of a second at worst, in which nothing can stop it.
const MAX_SEARCH: u64 = 1 << 26;
/// So much of a search counts as one step where others wait, which is what it takes at worst.
const SEARCHED_PER_STEP: u64 = 4;
/// The same where time is looked at anyway: most searches take far less than the worst.
const SEARCHED_PER_PATIENT_STEP: u64 = 32;

/// Texts up to this length are part of the value that holds them.
const INLINE_TEXT: usize = 15;

/// Where an evaluation goes on.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// On a thread that serves others: what is more than the limits is not refused but done elsewhere.
    Inline,
    /// There as well, but what is more is refused.
    Short,
    OffTheRuntime,
}

struct Used {
    steps: Cell<u64>,
    bytes: Cell<usize>,
    limits: Cell<Limits>,
}

#[derive(Clone, Copy)]
struct Limits {
    steps: u64,
    bytes: usize,
    place: Place,
}

/// One evaluation's allowance. Evaluations may nest: a scope may evaluate another expression to answer.
pub(super) struct Meter {
    outer: (u64, usize, Limits),
    outer_share: Option<Share>,
}

impl Meter {
    /// For an evaluation on a thread that serves others too: what takes longer is [`Stop::Unfinished`].
    pub(super) fn inline() -> Self {
        Self::begin(INLINE_STEPS, INLINE_BYTES, Place::Inline)
    }

    pub(super) fn start() -> Self {
        let mut meter = Self::begin(MAX_STEPS, MAX_BYTES, Place::OffTheRuntime);
        meter.outer_share = Some(SHARE.take());
        meter
    }

    /// For an evaluation of few steps that is not begun again elsewhere.
    pub(super) fn short(most_steps: u64) -> Self {
        Self::begin(most_steps, MAX_BYTES, Place::Short)
    }

    fn begin(steps: u64, bytes: usize, place: Place) -> Self {
        let outer = USED.with(|used| (used.steps.take(), used.bytes.take(), used.limits.replace(Limits { steps, bytes, place })));
        Self { outer, outer_share: None }
    }

    /// Steps and bytes so far.
    pub(super) fn used(&self) -> (u64, usize) {
        USED.with(|used| (used.steps.get(), used.bytes.get()))
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        let (steps, bytes, limits) = self.outer;
        USED.with(|used| {
            used.steps.set(steps);
            used.bytes.set(bytes);
            used.limits.set(limits);
        });
        if let Some(share) = self.outer_share.take() {
            SHARE.set(share);
        }
    }
}

/// Counts work.
#[inline]
pub(super) fn spend(steps: usize) -> Run<()> {
    USED.with(|used| {
        let before = used.steps.get();
        let now = before.saturating_add(steps as u64);
        used.steps.set(now);
        let is_time_to_look = (before ^ now) >> STEP_BITS != 0;
        if is_time_to_look || now > used.limits.get().steps { look_at_steps(now, used.limits.get()) } else { Ok(()) }
    })
}

#[cold]
fn look_at_steps(steps: u64, limits: Limits) -> Run<()> {
    if steps > limits.steps {
        return Err(if limits.place == Place::Inline { Stop::Unfinished } else { Error::Loops { limit: limits.steps }.into() });
    }
    compute::tick().map_err(|exceeded| Error::from(exceeded).into())
}

/// Counts work that cannot be stopped once it is begun. What is too much for what is left goes to the sandbox, where it can be.
#[inline]
pub(super) fn spend_at_once(steps: u64) -> Run<()> {
    let is_too_much = USED.with(|used| {
        let limits = used.limits.get();
        limits.place != Place::Inline && used.steps.get().saturating_add(steps) > limits.steps
    });
    if is_too_much { Err(Stop::Declined) } else { spend(usize::try_from(steps).unwrap_or(usize::MAX)) }
}

/// Asks before a search by a regular expression, whose work is the text's bytes times the parts of the pattern that may be tried at each.
pub(super) fn search(work: u64) -> Run<()> {
    if work > MAX_SEARCH {
        return Err(Stop::Declined);
    }
    let is_patient = USED.with(|used| used.limits.get().place == Place::OffTheRuntime);
    spend_at_once(1 + if is_patient { work / SEARCHED_PER_PATIENT_STEP } else { work / SEARCHED_PER_STEP })
}

/// Asks before putting together a text or an array of this size.
#[inline]
pub(super) fn allocate(bytes: usize) -> Run<()> {
    USED.with(|used| {
        let before = used.bytes.get();
        let now = before.saturating_add(bytes);
        used.bytes.set(now);
        let is_time_to_look = (before ^ now) >> BYTE_BITS != 0;
        if is_time_to_look || now > used.limits.get().bytes { look_at_bytes(now, used.limits.get()) } else { Ok(()) }
    })
}

#[cold]
fn look_at_bytes(bytes: usize, limits: Limits) -> Run<()> {
    if bytes > limits.bytes {
        return Err(if limits.place == Place::Inline { Stop::Unfinished } else { Error::Memory { limit_bytes: limits.bytes }.into() });
    }
    if limits.place == Place::OffTheRuntime { share(bytes) } else { Ok(()) }
}

/// Takes from what all JavaScript has together, and lets others have their turn.
fn share(bytes: usize) -> Run<()> {
    let mut share = SHARE.take();
    let is_there = share.grow_to(bytes);
    SHARE.set(share);
    if !is_there {
        return Err(Error::SharedMemory { limit_bytes: shared_limit() }.into());
    }
    compute::tick().map_err(|exceeded| Error::from(exceeded).into())
}

/// The same for a text; a short one is part of the value that holds it.
#[inline]
pub(super) fn allocate_text(len: usize) -> Run<()> {
    if len > INLINE_TEXT { allocate(text_bytes(len)) } else { Ok(()) }
}

/// What was asked for so far.
#[inline]
pub(super) fn allocated() -> usize {
    USED.with(|used| used.bytes.get())
}

/// What may still be asked for.
pub(super) fn left() -> usize {
    USED.with(|used| used.limits.get().bytes.saturating_sub(used.bytes.get()))
}

/// What a list takes with its elements, as far as they hold nothing themselves.
pub(super) const fn list_bytes(len: usize) -> usize {
    const LIST_BYTES: usize = 48;
    LIST_BYTES + len * size_of::<Value>()
}

/// The same for an object, which has an index if it is large.
pub(super) const fn object_bytes(fields: usize) -> usize {
    const OBJECT_BYTES: usize = 48;
    const INDEX_BYTES: usize = 16;
    const INDEX_FROM: usize = 17;
    let field_bytes = size_of::<(Str, Value)>() + if fields < INDEX_FROM { 0 } else { INDEX_BYTES };
    OBJECT_BYTES + fields * field_bytes
}

/// What a text takes beside the value that holds it; a short one is part of that value.
#[inline]
pub(super) fn text_bytes(len: usize) -> usize {
    const ALLOCATION_BYTES: usize = 32;
    if len > INLINE_TEXT { len + ALLOCATION_BYTES } else { 0 }
}
