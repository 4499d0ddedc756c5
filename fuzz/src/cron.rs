//! Any text as a cron expression: reading it never panics, and what is accepted fires later than
//! now, in bounded time.

use nodes::triggers::schedule::{CronExpression, ScheduleRule, Timing, next_run_after};

#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(text: &str) {
    let Ok(expression) = CronExpression::parse(text) else { return };
    assert_eq!(expression.as_str(), text.trim());
    let rule = ScheduleRule { timing: Timing::Cron { expression, every: None }, last_run_ms: None };
    // The epoch, a leap day, the last second before clocks go forward in New York, and the far ends
    // of time.
    for instant in
        [0, 1_709_164_800_000, 1_710_053_999_000, i64::MIN, i64::MAX, 253_402_300_799_000]
    {
        for zone in ["UTC", "America/New_York", "Pacific/Apia", "no such zone"] {
            if let Some(next) = next_run_after(&rule, instant, zone) {
                assert!(next > instant, "{text:?} after {instant} in {zone} fires at {next}");
            }
        }
    }
}
