//! What the evaluation that runs on this thread has used of its allowance.
//!
//! A thread-local, because conversions deep inside of values have to be charged as well: an array
//! that holds itself twice, forty times over, is small until it is written out.

use super::{EvalResult, INLINE_BYTES, INLINE_STEPS, Interrupt, MAX_BYTES, MAX_STEPS, SHORT_STEPS};
use crate::ExprError;
use crate::sandbox::memory::{MemoryShare, shared_limit};
use model::{Str, Value};
use std::cell::Cell;

thread_local! {
    static USED: UsageCounters = const {
        UsageCounters {
            steps: Cell::new(0),
            bytes: Cell::new(0),
            next_check: Cell::new(NextCheck::AT_ONCE),
            mode: Cell::new(MeterMode::OffTheRuntime),
        }
    };
    /// What a long evaluation has of the memory that all JavaScript shares.
    static SHARE: Cell<MemoryShare> = const { Cell::new(MemoryShare::NONE) };
}

/// After so many steps others may have their turn, and time is looked at.
const CHECK_STEPS: u64 = 1 << 16;
/// The same for bytes that are put together.
const CHECK_BYTES: usize = 1 << 20;
/// What one search by a regular expression may take: some tenths of a second at worst, in which
/// nothing can stop it.
const MAX_SEARCH: u64 = 1 << 26;
/// So much of a search counts as one step where others wait, which is what it takes at worst.
const SEARCHED_PER_STEP: u64 = 4;
/// The same where time is looked at anyway: most searches take far less than the worst.
const SEARCHED_PER_PATIENT_STEP: u64 = 32;

/// Texts up to this length are part of the value that holds them.
const INLINE_TEXT: usize = 15;

/// Where an evaluation goes on, which says what it may use.
#[derive(Clone, Copy, PartialEq)]
enum MeterMode {
    /// On a thread that serves others: what is more than the limits is not refused but done
    /// elsewhere.
    Inline,
    /// There as well, but what is more is refused.
    Short,
    /// The same for tests, with all that any evaluation may use.
    Measured,
    OffTheRuntime,
}

impl MeterMode {
    const fn steps(self) -> u64 {
        match self {
            Self::Inline => INLINE_STEPS,
            Self::Short => SHORT_STEPS,
            Self::Measured | Self::OffTheRuntime => MAX_STEPS,
        }
    }

    const fn bytes(self) -> usize {
        if matches!(self, Self::Inline) { INLINE_BYTES } else { MAX_BYTES }
    }

    fn first_check(self) -> NextCheck {
        NextCheck { steps: self.steps().min(CHECK_STEPS), bytes: self.bytes().min(CHECK_BYTES) }
    }
}

struct UsageCounters {
    steps: Cell<u64>,
    bytes: Cell<usize>,
    next_check: Cell<NextCheck>,
    mode: Cell<MeterMode>,
}

/// What may be used before limits and time are looked at. Small, so that nothing else is compared
/// before.
#[derive(Clone, Copy)]
struct NextCheck {
    steps: u64,
    bytes: usize,
}

impl NextCheck {
    const AT_ONCE: Self = Self { steps: 0, bytes: 0 };
}

/// One evaluation's allowance. Evaluations may nest: a scope may evaluate another expression to
/// answer.
pub(super) struct Meter {
    outer: (u64, usize, MeterMode),
}

/// The same for one that may take long.
pub(super) struct LongMeter {
    _meter: Meter,
    outer_share: MemoryShare,
}

impl Meter {
    /// For an evaluation on a thread that serves others too: what takes longer is
    /// [`Interrupt::Unfinished`].
    pub(super) fn inline() -> Self {
        Self::begin(MeterMode::Inline)
    }

    pub(super) fn start() -> LongMeter {
        LongMeter { _meter: Self::begin(MeterMode::OffTheRuntime), outer_share: SHARE.take() }
    }

    /// For an evaluation of few steps that is not begun again elsewhere.
    pub(super) fn short() -> Self {
        Self::begin(MeterMode::Short)
    }

    /// For tests that ask what an evaluation has used.
    pub(super) fn measured() -> Self {
        Self::begin(MeterMode::Measured)
    }

    #[inline]
    fn begin(place: MeterMode) -> Self {
        USED.with(|used| {
            used.next_check.set(place.first_check());
            Self { outer: (used.steps.take(), used.bytes.take(), used.mode.replace(place)) }
        })
    }

    /// Steps and bytes so far.
    pub(super) fn used(&self) -> (u64, usize) {
        USED.with(|used| (used.steps.get(), used.bytes.get()))
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        let (steps, bytes, place) = self.outer;
        USED.with(|used| {
            used.steps.set(steps);
            used.bytes.set(bytes);
            used.mode.set(place);
            used.next_check.set(NextCheck::AT_ONCE);
        });
    }
}

impl Drop for LongMeter {
    fn drop(&mut self) {
        SHARE.set(std::mem::take(&mut self.outer_share));
    }
}

/// Counts work.
#[inline]
pub(super) fn spend(steps: usize) -> EvalResult<()> {
    USED.with(|used| {
        let now = used.steps.get().saturating_add(steps as u64);
        used.steps.set(now);
        if now > used.next_check.get().steps { check_steps(now, used) } else { Ok(()) }
    })
}

#[cold]
fn check_steps(steps: u64, used: &UsageCounters) -> EvalResult<()> {
    let place = used.mode.get();
    if steps > place.steps() {
        return Err(if place == MeterMode::Inline {
            Interrupt::Unfinished
        } else {
            ExprError::Loops { limit: place.steps() }.into()
        });
    }
    used.next_check.set(NextCheck {
        steps: place.steps().min(steps.saturating_add(CHECK_STEPS)),
        ..used.next_check.get()
    });
    compute::tick().map_err(|exceeded| ExprError::from(exceeded).into())
}

/// Counts work that cannot be stopped once it is begun. What is too much for what is left goes to
/// the sandbox, where it can be.
#[inline]
pub(super) fn spend_at_once(steps: u64) -> EvalResult<()> {
    let is_too_much = USED.with(|used| {
        let place = used.mode.get();
        place != MeterMode::Inline && used.steps.get().saturating_add(steps) > place.steps()
    });
    if is_too_much {
        Err(Interrupt::Declined)
    } else {
        spend(usize::try_from(steps).unwrap_or(usize::MAX))
    }
}

/// Asks before a search by a regular expression, whose work is the text's bytes times the parts of
/// the pattern that may be tried at each.
pub(super) fn search(work: u64) -> EvalResult<()> {
    if work > MAX_SEARCH {
        return Err(Interrupt::Declined);
    }
    let is_patient = USED.with(|used| used.mode.get() == MeterMode::OffTheRuntime);
    spend_at_once(
        1 + if is_patient { work / SEARCHED_PER_PATIENT_STEP } else { work / SEARCHED_PER_STEP },
    )
}

/// Asks before putting together a text or an array of this size.
#[inline]
pub(super) fn allocate(bytes: usize) -> EvalResult<()> {
    USED.with(|used| {
        let now = used.bytes.get().saturating_add(bytes);
        used.bytes.set(now);
        if now > used.next_check.get().bytes { check_bytes(now, used) } else { Ok(()) }
    })
}

#[cold]
fn check_bytes(bytes: usize, used: &UsageCounters) -> EvalResult<()> {
    let place = used.mode.get();
    if bytes > place.bytes() {
        return Err(if place == MeterMode::Inline {
            Interrupt::Unfinished
        } else {
            ExprError::Memory { limit_bytes: place.bytes() }.into()
        });
    }
    used.next_check.set(NextCheck {
        bytes: place.bytes().min(bytes.saturating_add(CHECK_BYTES)),
        ..used.next_check.get()
    });
    if place == MeterMode::OffTheRuntime { share(bytes) } else { Ok(()) }
}

/// Takes from what all JavaScript has together, and lets others have their turn.
fn share(bytes: usize) -> EvalResult<()> {
    let mut share = SHARE.take();
    let is_there = share.grow_to(bytes);
    SHARE.set(share);
    if !is_there {
        return Err(ExprError::SharedMemory { limit_bytes: shared_limit() }.into());
    }
    compute::tick().map_err(|exceeded| ExprError::from(exceeded).into())
}

/// The same for a text; a short one is part of the value that holds it.
#[inline]
pub(super) fn allocate_text(len: usize) -> EvalResult<()> {
    if len > INLINE_TEXT { allocate(text_bytes(len)) } else { Ok(()) }
}

/// What was asked for so far.
#[inline]
pub(super) fn allocated() -> usize {
    USED.with(|used| used.bytes.get())
}

/// What may still be asked for.
pub(super) fn left() -> usize {
    USED.with(|used| used.mode.get().bytes().saturating_sub(used.bytes.get()))
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
