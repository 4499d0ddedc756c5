//! What the host keeps for one instance.

use super::clock::{GuestClock, OutOfInlineTime};
use super::code::CodeState;
use super::entries::Entries;
use super::guest::Guest;
use super::limits::SandboxLimits;
use super::memory::{HostMemory, MemoryShare};
use super::slots::Slots;
use super::source::READING_BYTES;
use super::stack;
use crate::ExprError;
use model::{Binary, Item, Items, Str};
use std::collections::HashMap;
use std::sync::Arc;
use wasmtime::ResourceLimiter;

/// Data beside an instance: what its host functions need, and what they found out.
pub(super) struct GuestState {
    pub(super) limits: SandboxLimits,
    /// How long what runs now may take.
    pub(super) clock: GuestClock,
    /// Set right after instantiation.
    pub(super) guest: Option<Arc<Guest>>,
    /// 64 bytes of the guest's memory for lengths and arguments.
    pub(super) scratch: i32,
    /// The input item that a nested template is evaluated for.
    pub(super) viewed: Option<usize>,
    /// Each read of data gives a copy of its own: what is evaluated may change it at any time.
    pub(super) copies: bool,
    /// How often the guest may still be asked whether it should go on, where turns of loops count;
    /// see [`GuestState::interrupted`].
    pub(super) interrupts_left: Option<u64>,
    pub(super) slots: Slots,
    /// What one expression changes it reads again as it is now; emptied when it is over.
    pub(super) own_slots: Slots,
    /// An expression is evaluated, and no program.
    pub(super) is_expression: bool,
    /// JSON that the guest was told to come for.
    pub(super) parcel: Option<Parcel>,
    /// The list that the guest is reading piece by piece.
    pub(super) list: Items,
    /// The chunk of it that was read last, and the index of its first item: a list on disk is
    /// loaded once, not once per piece.
    pub(super) list_chunk: Option<(usize, Arc<Vec<Item>>)>,
    /// Errors thrown into the guest, by the number their exception carries; see
    /// [`GuestState::remember`].
    pub(super) errors: Vec<ExprError>,
    /// Why the host stopped the guest; a trap alone does not say.
    pub(super) stopped: Option<ExprError>,
    /// The guest asked for more memory than it may have.
    pub(super) memory_refused: bool,
    /// What all instances together may have was used up.
    pub(super) shared_memory_refused: bool,
    share: MemoryShare,
    /// What the host has made of what the guest handed over.
    pub(super) host_memory: HostMemory,
    /// Names of fields by their number in the guest.
    pub(super) names: HashMap<i32, Str>,
    /// Files of items that were handed to the guest, by number.
    pub(super) files: Vec<Binary>,
    /// What is left of the output limit in this evaluation or run.
    pub(super) output_left: usize,
    /// The image's functions, set right after instantiation.
    pub(super) entries: Option<Entries>,
    pub(super) code: CodeState,
    memory_max: usize,
    /// Where the host's stack was when the first guest on this thread was entered.
    pub(super) stack_base: usize,
}

/// JSON text, and whether it has marked values in it that the guest must put right.
pub(super) struct Parcel {
    pub(super) json: String,
    pub(super) marked: bool,
}

/// Errors that an exception leads back to. The message of a later one is all that comes out of it.
const MAX_ERRORS: usize = 1000;

/// Longer sources take more than a moment to read.
const INLINE_SOURCE_BYTES: usize = 16 << 10;

/// What the image itself takes, which does not count against the limit.
const IMAGE_BYTES: usize = 8 << 20;

impl GuestState {
    pub(super) fn new(limits: SandboxLimits) -> Self {
        Self {
            limits,
            clock: GuestClock::Inline,
            guest: None,
            scratch: 0,
            viewed: None,
            copies: false,
            interrupts_left: None,
            slots: Slots::default(),
            own_slots: Slots::default(),
            is_expression: false,
            parcel: None,
            list: Items::new(),
            list_chunk: None,
            errors: Vec::new(),
            stopped: None,
            memory_refused: false,
            shared_memory_refused: false,
            share: MemoryShare::default(),
            host_memory: HostMemory::default(),
            names: HashMap::new(),
            files: Vec::new(),
            output_left: limits.output_bytes,
            entries: None,
            code: CodeState::default(),
            stack_base: 0,
            memory_max: limits
                .memory_bytes
                .saturating_add(IMAGE_BYTES)
                .min(super::image::MAX_MEMORY_BYTES),
        }
    }

    pub(super) fn guest(&self) -> wasmtime::Result<Arc<Guest>> {
        self.guest.clone().ok_or_else(|| wasmtime::Error::msg("the instance is not ready"))
    }

    pub(super) fn entries(&self) -> wasmtime::Result<Entries> {
        self.entries.ok_or_else(|| wasmtime::Error::msg("the instance is not ready"))
    }

    /// Up to `count` items of the list from an index on; fewer at the end of a chunk.
    pub(super) fn next_items(&mut self, from: usize, count: usize) -> Vec<Item> {
        let held = |chunk: &Option<(usize, Arc<Vec<Item>>)>| {
            chunk
                .as_ref()
                .is_some_and(|(start, items)| (*start..start + items.len()).contains(&from))
        };
        if !held(&self.list_chunk) {
            self.list_chunk = self.list.chunk_of(from);
        }
        let Some((start, items)) = &self.list_chunk else { return Vec::new() };
        items.iter().skip(from - start).take(count).cloned().collect()
    }

    /// Ends a guest that has called itself so deeply that the host could run out of stack while it
    /// serves a call.
    pub(super) fn check_stack(&mut self) -> wasmtime::Result<()> {
        if stack::is_too_deep_for_host(self.stack_base) {
            Err(self.stop(ExprError::Stack))
        } else {
            Ok(())
        }
    }

    /// Keeps an error for the exception that stands for it, and gives back its number if there is
    /// room.
    pub(super) fn remember(&mut self, error: ExprError) -> Result<Option<usize>, ExprError> {
        if self.errors.len() >= MAX_ERRORS {
            return Ok(None);
        }
        let before = self.host_memory.transient();
        self.host_memory.take(size_of::<ExprError>() + error.text_bytes(), &self.limits)?;
        self.host_memory.retain_since(before);
        self.errors.push(error);
        Ok(Some(self.errors.len() - 1))
    }

    /// Pays for what is read from the guest: bytes of its JSON, and of the host's memory.
    pub(super) fn spend(&mut self, output: usize, held: usize) -> Result<(), ExprError> {
        let Some(left) = self.output_left.checked_sub(output) else {
            return Err(ExprError::Output { limit_bytes: self.limits.output_bytes });
        };
        self.output_left = left;
        self.host_memory.take(held, &self.limits)
    }

    /// Pays for memory of the host that a call needs; the guest ends if there is no more.
    pub(super) fn reserve(&mut self, bytes: usize) -> wasmtime::Result<()> {
        self.host_memory.take(bytes, &self.limits).map_err(|error| self.stop(error))
    }

    /// Pays for reading a source, which is not interrupted. On a thread that serves others, a long
    /// one is left to the next try.
    pub(super) fn before_reading(&mut self, source: &str) -> wasmtime::Result<()> {
        if self.clock == GuestClock::Inline && source.len() > INLINE_SOURCE_BYTES {
            return Err(wasmtime::Error::new(OutOfInlineTime));
        }
        self.reserve(source.len().saturating_mul(READING_BYTES))
    }

    /// QuickJS asks after every ten thousand branches and calls. Loops count their turns
    /// themselves; this ends what has gone round them.
    pub(super) fn interrupted(&mut self) -> wasmtime::Result<()> {
        match &mut self.interrupts_left {
            None => Ok(()),
            Some(0) => {
                let limit = self.limits.loop_iterations.unwrap_or_default();
                Err(self.stop(ExprError::Loops { limit }))
            }
            Some(left) => {
                *left -= 1;
                Ok(())
            }
        }
    }

    /// An evaluation is over.
    pub(super) fn end_evaluation(&mut self) {
        self.errors.clear();
        self.host_memory.clear();
        self.viewed = None;
        self.own_slots = Slots::default();
        self.is_expression = false;
    }

    /// Ends the guest from a host function with this error.
    pub(super) fn stop(&mut self, error: ExprError) -> wasmtime::Error {
        let trap = wasmtime::Error::msg(error.to_string());
        self.stopped = Some(error);
        trap
    }
}

impl ResourceLimiter for GuestState {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let is_within_limit = desired <= self.memory_max;
        let allowed = is_within_limit && self.share.grow_to(desired);
        self.memory_refused |= !allowed;
        self.shared_memory_refused |= is_within_limit && !allowed;
        Ok(allowed)
    }

    fn table_growing(
        &mut self,
        current: usize,
        _desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(current == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_01_only_so_many_errors_are_remembered() {
        let mut state = GuestState::new(SandboxLimits::expression());
        let error = ExprError::data("ü".repeat(1 << 20)).shortened();
        let numbers: Vec<usize> =
            (0..5 * MAX_ERRORS).filter_map(|_| state.remember(error.clone()).unwrap()).collect();
        assert_eq!((numbers.len(), state.errors.len()), (MAX_ERRORS, MAX_ERRORS));
        assert!(error.text_bytes() < 20_000);
        state.end_evaluation();
        assert_eq!(state.remember(error), Ok(Some(0)));
    }
}
