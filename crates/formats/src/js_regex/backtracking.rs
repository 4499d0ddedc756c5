//! Patterns with look-around or references back, on an engine that tries and retries.
//!
//! The engine counts how often it goes back, not what it reads in between, and cannot be stopped.
//! So it is told beforehand how often it may go back on a text of a given length.

use compute::pattern_cost::{MAX_FOLDED, PatternCost};
use fancy_regex::{Regex, RegexBuilder};
use std::sync::{Arc, Mutex, PoisonError};

/// Look-arounds and references of one pattern.
const MAX_LOOKAROUNDS: usize = 20;
/// Longer texts are refused.
pub const MAX_TEXT_BYTES: usize = 1 << 20;
/// Comparisons of a letter of the text with a place in the pattern: at once, and off the threads
/// that serve connections.
const QUICK_STEPS: u64 = 20_000_000;
const PATIENT_STEPS: u64 = 1 << 33;
/// How often the engine goes back at most: at once, and with patience. If it may not do so a few
/// times, it is not started.
const QUICK_BACKTRACKS: u64 = 1 << 12;
const MAX_BACKTRACKS: u64 = 1 << 20;
const MIN_BACKTRACKS: u64 = 1 << 4;

pub struct BacktrackingRegex {
    pattern: String,
    cost: PatternCost,
    /// What each machine takes at most.
    machine_bytes: usize,
    quick: RegexSlot,
    patient: RegexSlot,
}

/// The machine that was used last, and its limit.
type RegexSlot = Mutex<Option<(u64, Arc<Regex>)>>;

/// The text is too long for the pattern, or the pattern went back too often.
pub struct TooManySteps;

impl BacktrackingRegex {
    /// Machines that fit into the first of these sizes that is enough. Compiling takes a while: not
    /// for the threads that serve connections.
    pub fn new(pattern: String, cost: PatternCost, sizes: &[usize]) -> Result<Self, String> {
        if cost.retries > MAX_LOOKAROUNDS {
            return Err(format!(
                "it has more than {MAX_LOOKAROUNDS} look-arounds and backreferences"
            ));
        }
        if cost.folded > MAX_FOLDED {
            return Err(TOO_MANY_FOLDED.to_owned());
        }
        if cost.retries_within(PATIENT_STEPS, 1) < MIN_BACKTRACKS {
            return Err("it has too many repetitions".to_owned());
        }
        let mut made = Self {
            pattern,
            cost,
            machine_bytes: 0,
            quick: RegexSlot::default(),
            patient: RegexSlot::default(),
        };
        let mut problem = String::new();
        for size in sizes {
            made.machine_bytes = *size;
            match made.machine(&made.quick, QUICK_BACKTRACKS) {
                Ok(_) => return Ok(made),
                Err(error) => problem = error,
            }
        }
        Err(problem)
    }

    /// What it takes in memory, at most.
    pub fn bytes(&self) -> usize {
        2 * self.machine_bytes + self.pattern.len()
    }

    /// Whether it is found in a text; nothing can be said while too much else is computed.
    pub fn is_match(&self, text: &str) -> Result<Result<bool, TooManySteps>, compute::Overloaded> {
        let quick = self.limit(QUICK_STEPS, QUICK_BACKTRACKS, text);
        if let Some(Ok(is_match)) = quick
            .and_then(|limit| self.cached(&self.quick, limit))
            .map(|machine| machine.is_match(text))
        {
            return Ok(Ok(is_match));
        }
        let patiently = || {
            if let Some(limit) = quick
                && let Ok(machine) = self.machine(&self.quick, limit)
                && let Ok(is_match) = machine.is_match(text)
            {
                return Ok(is_match);
            }
            self.patient(text)?.is_match(text).map_err(|_| TooManySteps)
        };
        compute::blocking(patiently)
    }

    /// The machine for a text with all the time that there is.
    pub fn patient(&self, text: &str) -> Result<Arc<Regex>, TooManySteps> {
        let limit = self.limit(PATIENT_STEPS, MAX_BACKTRACKS, text).ok_or(TooManySteps)?;
        self.machine(&self.patient, limit).map_err(|_| TooManySteps)
    }

    /// How often the engine may go back on a text; none if it should not be started. A machine is
    /// made for one limit, which is a power of two so that texts of similar length share it.
    fn limit(&self, steps: u64, most: u64, text: &str) -> Option<u64> {
        let allowed = self.cost.retries_within(steps, text.len()).min(most);
        let fits = allowed >= MIN_BACKTRACKS && text.len() <= MAX_TEXT_BYTES;
        fits.then(|| 1 << allowed.ilog2())
    }

    fn cached(&self, slot: &RegexSlot, limit: u64) -> Option<Arc<Regex>> {
        let kept = slot.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|(of, _)| *of == limit).map(|(_, machine)| machine.clone())
    }

    fn machine(&self, slot: &RegexSlot, limit: u64) -> Result<Arc<Regex>, String> {
        if let Some(machine) = self.cached(slot, limit) {
            return Ok(machine);
        }
        // The engine compiles parts by themselves, before and after each piece, and bounds each of
        // them.
        let part_bytes = self.machine_bytes / (2 * self.cost.pieces + 1);
        let built = RegexBuilder::new(&self.pattern)
            .backtrack_limit(limit as usize)
            .delegate_size_limit(part_bytes)
            .build();
        let machine = Arc::new(built.map_err(|error| error.to_string())?);
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some((limit, machine.clone()));
        Ok(machine)
    }
}

/// Why a pattern is refused whose classes are too large.
pub const TOO_MANY_FOLDED: &str =
    "its character classes are too large for case-insensitive matching";

#[cfg(test)]
mod tests {
    use super::*;

    fn retrying(pattern: &str) -> Result<BacktrackingRegex, String> {
        let cost = PatternCost::of(pattern).ok_or("unread")?;
        BacktrackingRegex::new(pattern.to_owned(), cost, &[64 << 10, 1 << 20])
    }

    #[test]
    fn issue_14_06_the_limit_shrinks_as_the_text_grows() {
        let password = retrying(r"^(?=.*[A-Z])(?=.*\d).{8,}$").unwrap();
        let limit =
            |bytes: usize| password.limit(PATIENT_STEPS, MAX_BACKTRACKS, &"a".repeat(bytes));
        assert!(limit(100) > limit(64 << 10) && limit(64 << 10) > Some(1_000));
        assert_eq!(limit(MAX_TEXT_BYTES + 1), None);
        let quick =
            |bytes: usize| password.limit(QUICK_STEPS, QUICK_BACKTRACKS, &"a".repeat(bytes));
        assert!(quick(10) == Some(QUICK_BACKTRACKS) && quick(1 << 20).is_none());
    }

    #[test]
    fn issue_14_06_a_pattern_has_a_bounded_number_of_look_arounds() {
        assert!(retrying(&r"(?=\p{L}{9}a)".repeat(MAX_LOOKAROUNDS + 1)).is_err());
        assert!(retrying(&r"(?=\p{L}a)".repeat(2)).unwrap().bytes() <= 3 << 20);
        assert!(retrying(r"(?:(?=a)(?>b))").is_err());
    }

    #[test]
    fn one_machine_serves_texts_of_similar_length() {
        let pattern = retrying(r"(?<=\$)\d+").unwrap();
        assert!(pattern.is_match("costs $12").unwrap().is_ok_and(|found| found));
        assert!(
            pattern.cached(&pattern.quick, QUICK_BACKTRACKS).is_some(),
            "the next short text is matched at once"
        );
        assert!(pattern.patient.lock().unwrap().is_none(), "nothing is made before it is needed");
    }
}
