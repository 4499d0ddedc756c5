//! Sessions of clients that speak an older revision: whose they are, and how many there may be.
//!
//! Invariant: a session serves only whoever opened it. To anybody else it is not there.

use model::Str;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Sessions of one caller. Beyond these, the one that was used longest ago ends.
const MAX_PER_OWNER: usize = 32;

/// Sessions of all callers.
const MAX_SESSIONS: usize = 2_000;

/// A session that was not used for so long is gone.
pub(super) const SESSION_TIMEOUT: Duration = Duration::from_secs(30 * 60);

/// Who has which session.
#[derive(Default)]
pub(super) struct SessionOwners(Mutex<HashMap<Str, OwnedSession>>);

struct OwnedSession {
    owner: Str,
    used: Instant,
}

impl SessionOwners {
    /// Whether a session is this caller's, who uses it now.
    pub(super) fn touch(&self, session: &str, owner: &str) -> bool {
        let mut sessions = self.lock();
        match sessions.get_mut(session).filter(|known| known.owner == owner) {
            Some(known) => {
                known.used = Instant::now();
                true
            }
            None => false,
        }
    }

    /// Whether there is room for one more caller.
    pub(super) fn has_room(&self) -> bool {
        let mut sessions = self.lock();
        if sessions.len() >= MAX_SESSIONS {
            sessions.retain(|_, session| session.used.elapsed() < SESSION_TIMEOUT);
        }
        sessions.len() < MAX_SESSIONS
    }

    /// Notes a new session, and gives those that end for it.
    pub(super) fn add(&self, session: Str, owner: Str) -> Vec<Str> {
        let mut sessions = self.lock();
        sessions.retain(|_, session| session.used.elapsed() < SESSION_TIMEOUT);
        let mut others: Vec<(Instant, Str)> = sessions
            .iter()
            .filter(|(_, known)| known.owner == owner)
            .map(|(id, known)| (known.used, id.clone()))
            .collect();
        sessions.insert(session, OwnedSession { owner, used: Instant::now() });
        others.sort();
        let n_over = (others.len() + 1).saturating_sub(MAX_PER_OWNER);
        let ended: Vec<Str> = others.into_iter().take(n_over).map(|(_, id)| id).collect();
        ended.iter().for_each(|id| drop(sessions.remove(id)));
        ended
    }

    pub(super) fn remove(&self, session: &str) {
        self.lock().remove(session);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Str, OwnedSession>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_there_only_for_whoever_opened_it() {
        let owners = SessionOwners::default();
        assert!(owners.add("s1".into(), "ada".into()).is_empty());
        assert!(owners.touch("s1", "ada"));
        assert!(!owners.touch("s1", "bob") && !owners.touch("s2", "ada"));
        owners.remove("s1");
        assert!(!owners.touch("s1", "ada"));
    }

    #[test]
    fn whoever_opens_many_ends_their_own() {
        let owners = SessionOwners::default();
        owners.add("b".into(), "bob".into());
        for number in 0..MAX_PER_OWNER {
            assert!(owners.add(format!("a{number}").into(), "ada".into()).is_empty());
        }
        assert!(owners.touch("a0", "ada"));
        assert_eq!(owners.add("more".into(), "ada".into()), ["a1"]);
        assert!(owners.touch("b", "bob") && owners.touch("a0", "ada"));
    }

    #[test]
    fn there_is_room_for_a_limited_number() {
        let owners = SessionOwners::default();
        for number in 0..MAX_SESSIONS {
            assert!(owners.has_room());
            owners.add(number.to_string().into(), format!("owner {number}").into());
        }
        assert!(!owners.has_room());
    }
}
