//! Compiled patterns, as many as there is room for in the process: each takes many times the memory
//! of its text.

use regex::Regex;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

/// What all that are kept may take; then the oldest is compiled again when it is needed.
const MAX_KEPT_BYTES: usize = 64 << 20;

/// What a pattern takes at least, with what searches remember, and more for each of its characters
/// and classes.
const PATTERN_BYTES: usize = 128 << 10;
const POSITION_BYTES: usize = 256;

static KEPT: Mutex<Kept> = Mutex::new(Kept { places: VecDeque::new(), bytes: 0 });

/// Where a pattern keeps what it was compiled to.
#[derive(Debug, Default)]
pub(super) struct Place {
    regex: RwLock<Option<Arc<Regex>>>,
}

impl Place {
    pub(super) fn get(&self) -> Option<Arc<Regex>> {
        self.regex.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, regex: Option<Arc<Regex>>) {
        *self.regex.write().unwrap_or_else(PoisonError::into_inner) = regex;
    }
}

pub(super) fn estimated_bytes(positions: u64) -> usize {
    PATTERN_BYTES + POSITION_BYTES * usize::try_from(positions).unwrap_or(usize::MAX >> 16)
}

/// Keeps what was compiled until its place is gone or others need the room.
pub(super) fn keep(place: &Arc<Place>, regex: &Arc<Regex>, bytes: usize) {
    place.set(Some(regex.clone()));
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).add(place, bytes, MAX_KEPT_BYTES);
}

/// The places that have something, the oldest first.
struct Kept {
    places: VecDeque<(Weak<Place>, usize)>,
    bytes: usize,
}

impl Kept {
    fn add(&mut self, place: &Arc<Place>, bytes: usize, most_bytes: usize) {
        self.places.push_back((Arc::downgrade(place), bytes));
        self.bytes += bytes;
        if self.bytes > most_bytes {
            self.places.retain(|(place, _)| place.strong_count() > 0);
            self.bytes = self.places.iter().map(|(_, bytes)| bytes).sum();
        }
        while self.bytes > most_bytes
            && let Some((place, bytes)) = self.places.pop_front()
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

    fn place() -> Arc<Place> {
        let place = Arc::new(Place::default());
        place.set(Regex::new("a").ok().map(Arc::new));
        place
    }

    #[test]
    fn issue_14_09_the_oldest_pattern_makes_room_for_a_new_one() {
        let mut kept = Kept { places: VecDeque::new(), bytes: 0 };
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
        assert!(one.get().is_some() && other.get().is_some() && kept.places.len() == 2);
        kept.add(&place(), 400, 300);
        assert_eq!((kept.places.len(), kept.bytes), (0, 0));
    }
}
