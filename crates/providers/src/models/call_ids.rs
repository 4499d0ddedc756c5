//! The ids of tool calls: each is one of a kind within its turn, also where a provider gives none
//! or gives one twice.

use model::Str;
use std::collections::HashSet;

/// Hands out ids for the calls of one turn.
pub(super) struct CallIds {
    turn: Str,
    taken: HashSet<Str>,
}

impl CallIds {
    /// What names the turn goes into the ids made here, so that two turns of a conversation do not
    /// share any.
    pub(super) fn new(turn: &str) -> Self {
        Self { turn: clean(turn), taken: HashSet::new() }
    }

    /// The provider's id where it is there and new, or one of ours.
    pub(super) fn take(&mut self, given: &str) -> Str {
        let mut id = Str::from(given);
        let mut number = self.taken.len();
        while id.is_empty() || self.taken.contains(&id) {
            id = match self.turn.as_str() {
                "" => Str::from(format!("call_{number}")),
                turn => Str::from(format!("call_{turn}_{number}")),
            };
            number += 1;
        }
        self.taken.insert(id.clone());
        id
    }
}

/// Only what every provider allows in an id.
pub(super) fn clean(id: &str) -> Str {
    id.chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-') { letter } else { '_' }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_kept_made_up_and_never_given_twice() {
        let mut ids = CallIds::new("2026-11-15T10:00:00.5Z");
        assert_eq!(ids.take("a"), "a");
        assert_eq!(ids.take(""), "call_2026-11-15T10_00_00_5Z_1");
        assert_eq!(ids.take("a"), "call_2026-11-15T10_00_00_5Z_2");
        assert_eq!(CallIds::new("").take(""), "call_0");
    }
}
