//! Numbers that follow from a seed alone (SplitMix64).

use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct SeededRandom(AtomicU64);

impl SeededRandom {
    pub(crate) fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed.wrapping_mul(0xD134_2543_DE82_EF95)))
    }

    fn next(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut mixed = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// True once in so many times; never for zero.
    pub(crate) fn one_in(&self, times: u64) -> bool {
        times > 0 && self.below(times) == 0
    }

    pub(crate) fn choose<T: Clone>(&self, from: &[T]) -> Option<T> {
        from.get(self.below(from.len() as u64) as usize).cloned()
    }
}
