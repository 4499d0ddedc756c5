//! Compiled patterns, as many as there is room for in the process: each takes many times the memory
//! of its text.

use regex::Regex;
use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

/// What all that are kept may take; then the oldest is compiled again when it is needed.
const MAX_CACHE_BYTES: usize = 64 << 20;

/// What a pattern takes at least, with what searches remember, and more for each of its characters
/// and classes.
const PATTERN_BYTES: usize = 128 << 10;
const POSITION_BYTES: usize = 256;

static CACHE: Mutex<RegexCache> = Mutex::new(RegexCache { slots: VecDeque::new(), bytes: 0 });

/// Where a pattern keeps what it was compiled to.
#[derive(Debug, Default)]
pub(super) struct CompiledSlot {
    /// A `Regex`. Its type is hidden for the compiler's sake, as a session's instance is: every
    /// workflow's plan has patterns in it.
    regex: RwLock<Option<Arc<dyn Any + Send + Sync>>>,
}

impl CompiledSlot {
    pub(super) fn get(&self) -> Option<Arc<Regex>> {
        let regex = self.regex.read().unwrap_or_else(PoisonError::into_inner).clone();
        regex?.downcast().ok()
    }

    fn set(&self, regex: Option<Arc<Regex>>) {
        *self.regex.write().unwrap_or_else(PoisonError::into_inner) = regex.map(|regex| regex as _);
    }
}

pub(super) fn estimated_bytes(positions: u64) -> usize {
    PATTERN_BYTES + POSITION_BYTES * usize::try_from(positions).unwrap_or(usize::MAX >> 16)
}

/// Keeps what was compiled until its place is gone or others need the room.
pub(super) fn cache(place: &Arc<CompiledSlot>, regex: &Arc<Regex>, bytes: usize) {
    place.set(Some(regex.clone()));
    CACHE.lock().unwrap_or_else(PoisonError::into_inner).add(place, bytes, MAX_CACHE_BYTES);
}

/// The places that have something, the oldest first.
struct RegexCache {
    slots: VecDeque<(Weak<CompiledSlot>, usize)>,
    bytes: usize,
}

impl RegexCache {
    fn add(&mut self, place: &Arc<CompiledSlot>, bytes: usize, most_bytes: usize) {
        self.slots.push_back((Arc::downgrade(place), bytes));
        self.bytes += bytes;
        if self.bytes > most_bytes {
            self.slots.retain(|(place, _)| place.strong_count() > 0);
            self.bytes = self.slots.iter().map(|(_, bytes)| bytes).sum();
        }
        while self.bytes > most_bytes
            && let Some((place, bytes)) = self.slots.pop_front()
        {
            self.bytes -= bytes;
            if let Some(place) = place.upgrade() {
                place.set(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Arc<CompiledSlot> {
        let place = Arc::new(CompiledSlot::default());
        place.set(Regex::new("a").ok().map(Arc::new));
        place
    }

    #[test]
    fn issue_14_09_the_oldest_pattern_makes_room_for_a_new_one() {
        let mut kept = RegexCache { slots: VecDeque::new(), bytes: 0 };
        let places: Vec<_> = (0..5).map(|_| place()).collect();
        for place in &places {
            kept.add(place, 100, 300);
        }
        let held: Vec<bool> = places.iter().map(|place| place.get().is_some()).collect();
        assert_eq!((held, kept.bytes), (vec![false, false, true, true, true], 300));
        // Those of expressions that are gone make room first.
        drop(places);
        let (one, other) = (place(), place());
        kept.add(&one, 150, 300);
        kept.add(&other, 150, 300);
        assert!(one.get().is_some() && other.get().is_some() && kept.slots.len() == 2);
        kept.add(&place(), 400, 300);
        assert_eq!((kept.slots.len(), kept.bytes), (0, 0));
    }
}
