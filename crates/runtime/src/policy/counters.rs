//! Counts calls towards the limits of a policy, in fixed windows of time.

use crate::lock;
use model::Str;
use node_api::policy::{PolicyCall, PolicyRules, RateExceeded};
use std::collections::HashMap;
use std::sync::Mutex;

/// Tools, sessions and so on that one limit counts in a window. Those that come later wait for the
/// next one.
const MAX_KEYS: usize = 100_000;

/// The counts of the limits of one version of the policy.
#[derive(Default)]
pub(super) struct Counters(Mutex<Windows>);

#[derive(Default)]
struct Windows {
    version: i64,
    /// By the place of the limit.
    windows: HashMap<usize, Window>,
}

/// Calls by who makes them, in one window of time.
#[derive(Default)]
pub(crate) struct Window {
    number: i64,
    calls: HashMap<Str, u32>,
}

impl Window {
    /// Whether there is room for another call, or in how many milliseconds there will be.
    pub(crate) fn room(
        &mut self,
        key: &Str,
        max_calls: u32,
        window_ms: i64,
        now_ms: i64,
    ) -> Result<(), i64> {
        let number = now_ms.div_euclid(window_ms.max(1));
        if self.number != number {
            *self = Self { number, calls: HashMap::new() };
        }
        let is_full = self.calls.len() >= MAX_KEYS && !self.calls.contains_key(key);
        let made = self.calls.get(key).copied().unwrap_or(0);
        match is_full || made >= max_calls {
            true => Err((number + 1) * window_ms - now_ms),
            false => Ok(()),
        }
    }

    pub(crate) fn add(&mut self, key: Str) {
        *self.calls.entry(key).or_default() += 1;
    }
}

impl Counters {
    /// Counts a call towards every limit that is about it, or towards none if one is reached.
    pub(super) fn count(
        &self,
        version: i64,
        rules: &PolicyRules,
        call: &PolicyCall<'_>,
        now_ms: i64,
    ) -> Result<(), RateExceeded> {
        let limits: Vec<_> = rules.limits_of(call).collect();
        if limits.is_empty() {
            return Ok(());
        }
        let mut all = lock(&self.0);
        if all.version != version {
            // A change of the policy does not give anybody a fresh start: limits that stay in their
            // place keep their counts.
            all.version = version;
            all.windows.retain(|place, _| *place < rules.limits.len());
        }
        for (place, limit) in &limits {
            let window = all.windows.entry(*place).or_default();
            let key = limit.per.key(call);
            window.room(&key, limit.max_calls, limit.window_ms, now_ms).map_err(
                |retry_after_ms| RateExceeded { limit: limit.name.clone(), retry_after_ms },
            )?;
        }
        for (place, limit) in limits {
            let key = limit.per.key(call);
            if let Some(window) = all.windows.get_mut(&place) {
                window.add(key);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::document;
    use super::*;
    use model::Object;
    use node_api::ai::Exposure;
    use node_api::policy::{PolicySubject, SideEffect, ToolSource};

    #[test]
    fn calls_count_by_what_the_limit_says_and_only_in_its_window() {
        let rules = document::parse(
            "[[limit]]\nname = 'per session'\ntools = 'send'\nper = 'session'\ncalls = 2\nseconds = 60\n\
             [[limit]]\nname = 'all'\nper = 'instance'\ncalls = 4\nseconds = 3600\n",
        )
        .unwrap();
        let (counters, source, arguments) =
            (Counters::default(), ToolSource::default(), Object::new());
        let count = |tool: &str, session: &str, now_ms| {
            let subject = PolicySubject { session: session.into(), ..PolicySubject::default() };
            let call = PolicyCall {
                subject: &subject,
                tool,
                source: &source,
                effect: SideEffect::Read,
                arguments: &arguments,
                exposure: Exposure::default(),
            };
            counters.count(1, &rules, &call, now_ms).map_err(|reached| reached.limit)
        };
        assert_eq!((count("send", "ada", 0), count("send", "ada", 1)), (Ok(()), Ok(())));
        assert_eq!(count("send", "ada", 2), Err("per session".into()));
        assert_eq!(count("send", "bob", 2), Ok(()), "another session");
        assert_eq!(count("look", "ada", 2), Ok(()), "another tool");
        assert_eq!(count("look", "ada", 2), Err("all".into()));
        assert_eq!(
            count("send", "ada", 60_000),
            Err("all".into()),
            "what is refused counts nowhere"
        );
        assert_eq!(count("send", "ada", 3_600_000), Ok(()));
    }
}
