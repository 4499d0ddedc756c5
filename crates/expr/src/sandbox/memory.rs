//! Memory of all instances together, and of what they hand to the host.

use super::limits::SandboxLimits;
use crate::ExprError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What each instance may have without asking: enough for nearly every expression.
const FREE_BYTES: usize = 16 << 20;

/// The same while the process is short of memory.
const FREE_BYTES_WHEN_SHORT: usize = 4 << 20;

/// The same for what the host holds for it.
const FREE_HELD_BYTES: usize = 1 << 20;

/// The host asks for so much at a time, so that small values do not ask for each of their parts.
const STEP_BYTES: usize = 1 << 20;

/// Until an operator says otherwise. Unit tests go on side by side in one process, and each tries
/// what one instance may have.
const DEFAULT_LIMIT_BYTES: usize = if cfg!(test) { usize::MAX } else { 256 << 20 };

static LIMIT: AtomicUsize = AtomicUsize::new(DEFAULT_LIMIT_BYTES);
static USED: AtomicUsize = AtomicUsize::new(0);

/// Sets how much memory all JavaScript of the process together may have beyond a small part that
/// each instance has anyway.
pub fn limit_shared_memory(bytes: usize) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Half of it while the process is short of memory for all that it does.
pub(crate) fn shared_limit() -> usize {
    let limit = LIMIT.load(Ordering::Relaxed);
    if compute::is_memory_contended() { limit / 2 } else { limit }
}

/// What one instance has taken of it; given back when it is dropped.
#[derive(Default)]
pub(crate) struct MemoryShare {
    taken: usize,
}

impl MemoryShare {
    pub(crate) const NONE: Self = Self { taken: 0 };

    /// Asks for as much as an instance of this size needs, or an evaluation without one that has
    /// put together so much.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> bool {
        let free = if compute::is_memory_short() { FREE_BYTES_WHEN_SHORT } else { FREE_BYTES };
        self.take(bytes.saturating_sub(free))
    }

    /// Takes so much in all, if it is there.
    fn take(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.taken);
        let taken = USED.fetch_add(more, Ordering::Relaxed);
        let fits = more == 0 || taken.saturating_add(more) <= shared_limit();
        match fits {
            true => self.taken += more,
            false => _ = USED.fetch_sub(more, Ordering::Relaxed),
        }
        fits
    }

    /// Gives back all but so much.
    fn shrink(&mut self, bytes: usize) {
        let less = self.taken.saturating_sub(bytes);
        if less > 0 {
            self.taken -= less;
            USED.fetch_sub(less, Ordering::Relaxed);
        }
    }
}

impl Drop for MemoryShare {
    fn drop(&mut self) {
        if self.taken > 0 {
            USED.fetch_sub(self.taken, Ordering::Relaxed);
        }
    }
}

/// The host's own memory for one instance: what it was handed and has not passed on yet. A value is
/// small inside of JavaScript if its parts are shared; here every part is paid for.
#[derive(Default)]
pub(super) struct HostMemory {
    /// What stays until the evaluation or the run is over, or until somebody frees it.
    retained: usize,
    /// What the call or the reading under way has made.
    transient: usize,
    share: MemoryShare,
}

impl HostMemory {
    /// Pays for something that is about to be made.
    pub(super) fn take(&mut self, bytes: usize, limits: &SandboxLimits) -> Result<(), ExprError> {
        let total = self.retained.saturating_add(self.transient).saturating_add(bytes);
        if total > limits.memory_bytes {
            return Err(ExprError::Memory { limit_bytes: limits.memory_bytes });
        }
        if !self.share.take(shared_part(total)) {
            return Err(ExprError::SharedMemory { limit_bytes: shared_limit() });
        }
        self.transient += bytes;
        Ok(())
    }

    pub(super) fn transient(&self) -> usize {
        self.transient
    }

    /// A call is over: what it made and did not keep is gone.
    pub(super) fn release_transient(&mut self, before: usize) {
        self.transient = self.transient.min(before);
        self.shrink();
    }

    /// What was made since then stays. Gives back how much that is, for whoever frees it.
    pub(super) fn retain_since(&mut self, before: usize) -> usize {
        let bytes = self.transient.saturating_sub(before);
        self.transient -= bytes;
        self.retained += bytes;
        bytes
    }

    pub(super) fn free(&mut self, bytes: usize) {
        self.retained = self.retained.saturating_sub(bytes);
        self.shrink();
    }

    /// The evaluation is over: what it made belongs to whoever asked.
    pub(super) fn clear(&mut self) {
        (self.retained, self.transient) = (0, 0);
        self.shrink();
    }

    fn shrink(&mut self) {
        self.share.shrink(shared_part(self.retained + self.transient));
    }
}

/// What a text takes beside the value that holds it, with what is lost when room for it is rounded
/// up; a short one is part of that value.
pub(super) fn text_bytes(len: usize) -> usize {
    const INLINE_BYTES: usize = 15;
    const ALLOCATION_BYTES: usize = 64;
    if len > INLINE_BYTES { len + len / 8 + ALLOCATION_BYTES } else { 0 }
}

fn shared_part(bytes: usize) -> usize {
    bytes.saturating_sub(FREE_HELD_BYTES).div_ceil(STEP_BYTES) * STEP_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_given_back_and_what_is_kept_stays_until_it_is_freed() {
        let limits = SandboxLimits { memory_bytes: 1000, ..SandboxLimits::expression() };
        let mut held = HostMemory::default();
        held.take(400, &limits).unwrap();
        let before = held.transient();
        held.take(300, &limits).unwrap();
        assert_eq!(held.retain_since(before), 300);
        held.release_transient(0);
        assert_eq!((held.retained, held.transient), (300, 0));
        assert_eq!(held.take(701, &limits), Err(ExprError::Memory { limit_bytes: 1000 }));
        held.free(300);
        held.take(701, &limits).unwrap();
        held.clear();
        assert_eq!((held.retained, held.transient, held.share.taken), (0, 0, 0));
    }
}
