//! When a schedule fires: what the Schedule, Cron and Interval triggers ask for as rules, and each
//! rule's next moment.
//!
//! Invariant: no clock. The caller says what time it is, so a restart or a test comes to the same
//! moments.

mod cron;
mod rules;
mod spread;

pub use cron::{CronExpression, runs_within_a_minute};
pub(super) use rules::{MODES, UNITS};
pub use rules::{cron_of_trigger_time, rules_of_node};
pub use spread::Spread;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use model::Str;
use node_api::NodeError;
use node_api::trigger::{Timetable, TriggerListener, TriggerSetup};
use std::sync::Arc;

/// Why a schedule cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    #[error("The cron expression '{expression}' is not valid: {reason}")]
    Cron { expression: Str, reason: Str },
    #[error("The schedule's {field} must be {wanted}, but it is {found}")]
    Field { field: Str, wanted: Str, found: Str },
}

/// One rule of a schedule. A schedule fires whenever one of its rules does.
#[derive(Clone, Debug, PartialEq)]
pub struct ScheduleRule {
    pub timing: Timing,
    /// The last time it fired, from which "every three days" counts. Without it the next fitting
    /// moment is the first.
    pub last_run_ms: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Timing {
    /// By the clock on the wall.
    Cron { expression: CronExpression, every: Option<Every> },
    /// By the time that has passed.
    Interval { milliseconds: i64 },
}

/// Of the moments a cron expression gives, only those in each n-th day, week or month count. Weeks
/// begin on Sunday.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Every {
    pub count: i64,
    pub unit: CalendarUnit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CalendarUnit {
    Day,
    Week,
    Month,
}

/// Moments that are looked at in search of one that counts; enough for every day of 40 years.
const MAX_CANDIDATES: usize = 366 * 40;

/// The first moment after an instant (milliseconds since the epoch) at which a rule fires; `None`
/// if there is none in sight or no such zone.
///
/// Where the clock is put forward, a moment that is skipped comes right after the gap, and an
/// expression that fires at intervals (`*/15`, `*`) simply goes on. Where it is put back, a set
/// time (`30 1 * * *`) fires the first time only, intervals fire in both hours.
pub fn next_run_after(rule: &ScheduleRule, instant_ms: i64, zone: &str) -> Option<i64> {
    rule.timing.next_after(instant_ms, rule.last_run_ms, zone)
}

impl Timetable for Timing {
    fn rule(&self) -> String {
        match self {
            Timing::Interval { milliseconds } => format!("every {milliseconds} ms"),
            Timing::Cron { expression, every } => format!("{} {every:?}", expression.as_str()),
        }
    }

    fn next_after(&self, instant_ms: i64, last_run_ms: Option<i64>, zone: &str) -> Option<i64> {
        match self {
            Timing::Interval { milliseconds } => {
                let from = last_run_ms.unwrap_or(instant_ms);
                let passed = instant_ms.checked_sub(from)?.checked_div_euclid(*milliseconds)?;
                from.checked_add(passed.checked_add(1)?.checked_mul(*milliseconds)?)
            }
            Timing::Cron { expression, every } => {
                let zone = formats::dates::zone(zone)?;
                let mut at = instant_ms;
                for _ in 0..MAX_CANDIDATES {
                    at = expression.next_after(at, &zone)?;
                    if every.is_none_or(|every| every.counts(last_run_ms, at, &zone)) {
                        return Some(at);
                    }
                }
                None
            }
        }
    }
}

/// What a node that starts runs by the clock listens to: each rule by itself, so that each counts
/// from its own last run.
pub(super) fn schedule_listeners(
    setup: &TriggerSetup<'_>,
) -> Result<Vec<TriggerListener>, NodeError> {
    let identity = format!("{}/{}", setup.workflow_id, setup.node.id);
    match rules_of_node(&setup.node.type_name, setup.params, &identity) {
        None => Ok(Vec::new()),
        Some(Err(error)) => Err(NodeError::parameter("rule", error.to_string())
            .hint("Correct the rule. The node's page lists the valid values.")),
        Some(Ok(rules)) => Ok(rules
            .into_iter()
            .map(|rule| TriggerListener::Clock(Arc::new(rule.timing)))
            .collect()),
    }
}

/// The first moment of any of the rules.
pub fn next_run_of_any(rules: &[ScheduleRule], instant_ms: i64, zone: &str) -> Option<i64> {
    rules.iter().filter_map(|rule| next_run_after(rule, instant_ms, zone)).min()
}

impl ScheduleRule {
    /// Counts from a run of the past.
    pub fn counted_from(mut self, last_run_ms: i64) -> Self {
        self.last_run_ms = Some(last_run_ms);
        self
    }
}

impl Every {
    fn counts(self, last_run_ms: Option<i64>, at: i64, zone: &TimeZone) -> bool {
        let date =
            |ms: i64| Some(Timestamp::from_millisecond(ms).ok()?.to_zoned(zone.clone()).date());
        let (Some(last), Some(now)) = (last_run_ms.and_then(date), date(at)) else { return true };
        let passed = self.unit.number_of(now) - self.unit.number_of(last);
        // A week holds several moments, a day and a month only one.
        (self.unit == CalendarUnit::Week || passed != 0)
            && passed.rem_euclid(self.count.max(1)) == 0
    }
}

impl CalendarUnit {
    /// The running number of the day, week or month that a date is in.
    fn number_of(self, date: Date) -> i64 {
        // The epoch was a Thursday.
        let days = date
            .to_datetime(jiff::civil::Time::midnight())
            .duration_since(Date::constant(1970, 1, 1).into())
            .as_hours()
            / 24;
        match self {
            CalendarUnit::Day => days,
            CalendarUnit::Week => (days + 4).div_euclid(7),
            CalendarUnit::Month => i64::from(date.year()) * 12 + i64::from(date.month()),
        }
    }
}

#[cfg(test)]
mod clock_tests;
#[cfg(test)]
mod tests;
