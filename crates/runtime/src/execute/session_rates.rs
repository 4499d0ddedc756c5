//! How often a session may call models in a minute.

use crate::lock;
use model::{Code, Str};
use node_api::ai::ModelError;
use std::collections::HashMap;
use std::sync::Mutex;

const MINUTE_MS: i64 = 60_000;

/// Counts the model calls of each session of a workflow, minute by minute. What belongs to an
/// earlier minute is dropped, so the table is as large as the traffic of one.
pub(crate) struct SessionRates {
    max_calls: u32,
    current: Mutex<Minute>,
}

#[derive(Default)]
struct Minute {
    number: i64,
    calls: HashMap<(Str, Str), u32>,
}

impl SessionRates {
    /// 0 allows any number of calls.
    pub(crate) fn new(max_calls: u32) -> Self {
        Self { max_calls, current: Mutex::default() }
    }

    /// Counts a call, or refuses it.
    pub(crate) fn admit(
        &self,
        workflow: &Str,
        session: &Str,
        now_ms: i64,
    ) -> Result<(), ModelError> {
        if self.max_calls == 0 {
            return Ok(());
        }
        let mut minute = lock(&self.current);
        let number = now_ms.div_euclid(MINUTE_MS);
        if minute.number != number {
            *minute = Minute { number, calls: HashMap::new() };
        }
        let calls = minute.calls.entry((workflow.clone(), session.clone())).or_default();
        if *calls >= self.max_calls {
            let seconds = (MINUTE_MS - now_ms.rem_euclid(MINUTE_MS) + 999) / 1000;
            let most = self.max_calls;
            return Err(ModelError::new(
                Code::RATE_LIMIT,
                format!("The session has made {most} model calls in this minute"),
            )
            .hint(format!(
                "Try again in {seconds} s, or ask the operator to raise HEDDLE_SESSION_MODEL_CALLS."
            )));
        }
        *calls += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_17_01_a_session_calls_models_only_so_often_in_a_minute() {
        let rates = SessionRates::new(2);
        let admit = |workflow: &str, session: &str, now_ms| {
            rates.admit(&workflow.into(), &session.into(), now_ms).map_err(|error| error.code)
        };
        assert_eq!((admit("w", "ada", 0), admit("w", "ada", 30_000)), (Ok(()), Ok(())));
        assert_eq!(admit("w", "ada", 59_999), Err(Code::RATE_LIMIT));
        assert_eq!(admit("w", "bob", 59_999), Ok(()), "another session");
        assert_eq!(admit("other", "ada", 59_999), Ok(()), "another workflow");
        assert_eq!(admit("w", "ada", 60_000), Ok(()), "another minute");
    }

    #[test]
    fn no_limit_counts_nothing() {
        let rates = SessionRates::new(0);
        assert!((0..1000).all(|_| rates.admit(&"w".into(), &"ada".into(), 0).is_ok()));
        assert!(lock(&rates.current).calls.is_empty());
    }
}
