//! Memory of all instances together.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What each instance may have without asking: enough for nearly every expression.
const FREE_BYTES: usize = 16 << 20;

/// Until an operator says otherwise.
const DEFAULT_LIMIT_BYTES: usize = 256 << 20;

static LIMIT: AtomicUsize = AtomicUsize::new(DEFAULT_LIMIT_BYTES);
static USED: AtomicUsize = AtomicUsize::new(0);

/// Sets how much memory all JavaScript of the process together may have beyond a small part that each instance has anyway.
pub fn limit_shared_memory(bytes: usize) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

pub(super) fn shared_limit() -> usize {
    LIMIT.load(Ordering::Relaxed)
}

/// What one instance has taken of it; given back when it is dropped.
#[derive(Default)]
pub(super) struct Share {
    taken: usize,
}

impl Share {
    /// Asks for as much as an instance of this size needs.
    pub(super) fn grow_to(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(FREE_BYTES).saturating_sub(self.taken);
        let taken = USED.fetch_add(more, Ordering::Relaxed);
        let fits = more == 0 || taken.saturating_add(more) <= shared_limit();
        match fits {
            true => self.taken += more,
            false => _ = USED.fetch_sub(more, Ordering::Relaxed),
        }
        fits
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        USED.fetch_sub(self.taken, Ordering::Relaxed);
    }
}
