//! When a request is made again, and after which pause.

use super::failure::{ModelFailure, RetryHint};
use super::timing::TimingSource;
use std::time::Duration;

/// How often and how patiently a request is made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Beyond the first attempt. With none, nothing is asked again for any reason.
    pub max_retries: u32,
    /// How often a request stands in line for a provider that says "too many", apart from the
    /// retries.
    pub max_waits: u32,
    /// The first pause; it doubles each time.
    pub initial_pause_ms: u64,
    pub max_pause_ms: u64,
    /// A provider that asks for more patience than this is not asked again.
    pub max_retry_after_ms: u64,
}

/// How often a request was made again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetryCount {
    retries: u32,
    waits: u32,
}

impl RetryCount {
    pub fn total(self) -> u32 {
        self.retries + self.waits
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 2,
            max_waits: 6,
            initial_pause_ms: 500,
            max_pause_ms: 8_000,
            max_retry_after_ms: 120_000,
        }
    }
}

impl RetryPolicy {
    /// The pause before the next attempt, which is counted, or nothing if there shall be none.
    pub fn pause(
        &self,
        failure: &ModelFailure,
        tries: &mut RetryCount,
        pace: &dyn TimingSource,
    ) -> Option<Duration> {
        let (made, most) = match failure.rate_limited {
            true => (&mut tries.waits, if self.max_retries == 0 { 0 } else { self.max_waits }),
            false => (&mut tries.retries, self.max_retries),
        };
        if *made >= most {
            return None;
        }
        let pause = match failure.retry {
            RetryHint::Never => return None,
            RetryHint::Soon => self.backoff(*made, pace.random()),
            RetryHint::After(wait) if wait > Duration::from_millis(self.max_retry_after_ms) => {
                return None;
            }
            // A little more than was asked for, never less, and not for everybody the same.
            RetryHint::After(wait) => wait + self.backoff(0, pace.random()) / 4,
        };
        *made += 1;
        Some(pause)
    }

    /// Twice as long each time, less up to a quarter by chance so that those who failed together do
    /// not come back together.
    fn backoff(&self, retries: u32, random: f64) -> Duration {
        let doubled =
            self.initial_pause_ms.saturating_mul(1_u64.checked_shl(retries).unwrap_or(u64::MAX));
        let pause = doubled.min(self.max_pause_ms) as f64;
        Duration::from_millis((pause * (1.0 - random.clamp(0.0, 1.0) / 4.0)) as u64)
    }
}

/// Whether an answer with this status is worth another try. The server knows best, if it says so.
pub fn is_retryable(status: u16, headers: &[(String, String)]) -> bool {
    match header(headers, "x-should-retry").map(str::trim) {
        Some("true") => true,
        Some("false") => false,
        _ => matches!(status, 408 | 409 | 429) || status >= 500,
    }
}

/// The pause that an answer asks for: `retry-after-ms`, or `retry-after` in seconds or as a date.
/// What cannot be read, lies in the past or is no pause at all counts as not said.
pub fn retry_after(headers: &[(String, String)], unix_ms: i64) -> Option<Duration> {
    let milliseconds =
        header(headers, "retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok());
    let milliseconds = milliseconds.filter(|number| number.is_finite()).or_else(|| {
        let text = header(headers, "retry-after")?.trim();
        let seconds = text
            .parse::<f64>()
            .ok()
            .filter(|seconds| seconds.is_finite())
            .map(|seconds| seconds * 1_000.0);
        seconds.or_else(|| Some((date_ms(text)? - unix_ms) as f64))
    })?;
    (milliseconds > 0.0).then(|| Duration::from_millis(milliseconds.ceil() as u64))
}

fn date_ms(text: &str) -> Option<i64> {
    jiff::fmt::rfc2822::parse(text).ok().map(|date| date.timestamp().as_millisecond())
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::timing::testing::TestTiming;
    use super::*;
    use model::Code;
    use node_api::ai::ModelError;

    const NOW: i64 = 1_700_000_000_000;

    fn headers(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn asked(list: &[(&str, &str)]) -> Option<u64> {
        retry_after(&headers(list), NOW).map(|wait| wait.as_millis() as u64)
    }

    fn failing(again: RetryHint) -> ModelFailure {
        ModelFailure {
            error: ModelError::new(Code::MODEL_ERROR, ""),
            retry: again,
            rate_limited: false,
        }
    }

    #[test]
    fn statuses_that_pass_are_tried_again_unless_the_server_says_otherwise() {
        for (status, expected) in [
            (400, false),
            (401, false),
            (403, false),
            (404, false),
            (408, true),
            (409, true),
            (422, false),
            (429, true),
            (500, true),
            (529, true),
        ] {
            assert_eq!(is_retryable(status, &[]), expected, "{status}");
            assert!(is_retryable(status, &headers(&[("X-Should-Retry", "true")])));
            assert!(!is_retryable(status, &headers(&[("x-should-retry", "false")])));
            assert_eq!(is_retryable(status, &headers(&[("x-should-retry", "perhaps")])), expected);
        }
    }

    #[test]
    fn pauses_are_read_as_seconds_milliseconds_and_dates() {
        assert_eq!(asked(&[("retry-after", "3600")]), Some(3_600_000));
        assert_eq!(asked(&[("retry-after", " 1.5 ")]), Some(1_500));
        assert_eq!(asked(&[("retry-after", "9"), ("retry-after-ms", "250")]), Some(250));
        assert_eq!(asked(&[("retry-after", "9"), ("retry-after-ms", "x")]), Some(9_000));
        assert_eq!(asked(&[("retry-after", "Tue, 14 Nov 2023 22:13:50 GMT")]), Some(30_000));
    }

    /// Only dates are compared with the clock of the machine, and a date that seems far away
    /// is not waited for.
    #[test]
    fn a_clock_that_jumps_makes_nobody_wait_for_years() {
        const YEAR_MS: i64 = 365 * 86_400_000;
        let date = headers(&[("retry-after", "Tue, 14 Nov 2023 22:13:50 GMT")]);
        assert_eq!(
            retry_after(&date, NOW + YEAR_MS),
            None,
            "forward: the date is over, and the usual pause is made"
        );
        let seems = retry_after(&date, NOW - YEAR_MS).unwrap();
        let pause = RetryPolicy::default().pause(
            &failing(RetryHint::After(seems)),
            &mut RetryCount::default(),
            &TestTiming::new(),
        );
        assert_eq!(pause, None, "back: it is told at once instead");
    }

    #[test]
    fn nonsense_and_the_past_count_as_not_said() {
        for text in ["0", "-5", "soon", "", "NaN", "inf", "Tue, 14 Nov 2023 22:13:10 GMT", "1e400"]
        {
            assert_eq!(asked(&[("retry-after", text)]), None, "{text}");
        }
        assert_eq!(asked(&[]), None);
        assert_eq!(asked(&[("retry-after-ms", "0")]), None);
        assert!(asked(&[("retry-after", "1e300")]).is_some_and(|wait| wait > 1_000_000_000));
    }

    #[test]
    fn pauses_double_up_to_the_cap_and_shrink_by_chance() {
        let policy = RetryPolicy { max_retries: 100, ..RetryPolicy::default() };
        let mut pace = TestTiming::new();
        let pauses: Vec<_> = [0, 1, 2, 3, 4, 5, 63, 64, 99]
            .into_iter()
            .map(|retries| {
                policy
                    .pause(&failing(RetryHint::Soon), &mut RetryCount { retries, waits: 0 }, &pace)
                    .unwrap()
                    .as_millis()
            })
            .collect();
        assert_eq!(pauses, [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000, 8_000]);
        pace.random = 1.0;
        assert_eq!(
            policy
                .pause(&failing(RetryHint::Soon), &mut RetryCount::default(), &pace)
                .unwrap()
                .as_millis(),
            375
        );
    }

    #[test]
    fn patience_ends() {
        let policy = RetryPolicy::default();
        let pace = TestTiming::new();
        let pause = |failure: &ModelFailure, retries, waits| {
            policy.pause(failure, &mut RetryCount { retries, waits }, &pace)
        };
        assert!(pause(&failing(RetryHint::Soon), 1, 6).is_some());
        assert_eq!(pause(&failing(RetryHint::Soon), 2, 0), None);
        assert_eq!(pause(&failing(RetryHint::Never), 0, 0), None);
        assert_eq!(pause(&failing(RetryHint::After(Duration::from_secs(3_600))), 0, 0), None);
        let wait = pause(&failing(RetryHint::After(Duration::from_secs(120))), 0, 0).unwrap();
        assert!(wait >= Duration::from_secs(120) && wait < Duration::from_secs(121));
    }

    #[test]
    fn standing_in_line_is_counted_apart() {
        let too_many = ModelFailure { rate_limited: true, ..failing(RetryHint::Soon) };
        let pace = TestTiming::new();
        let mut tries = RetryCount { retries: 2, waits: 0 };
        for _ in 0..6 {
            assert!(RetryPolicy::default().pause(&too_many, &mut tries, &pace).is_some());
        }
        assert_eq!(RetryPolicy::default().pause(&too_many, &mut tries, &pace), None);
        assert_eq!(tries.total(), 8);
        let never = RetryPolicy { max_retries: 0, ..RetryPolicy::default() };
        assert_eq!(never.pause(&too_many, &mut RetryCount::default(), &pace), None);
    }
}
