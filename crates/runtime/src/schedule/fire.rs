//! Fires a due trigger: starts its run or its poll, and catches up on moments that were missed.

use crate::execute::start::{RunRequest, StartContext};
use crate::schedule::timers::{Timer, TimerAction};
use crate::{Error, Runtime, format_time};
use model::Str;
use std::sync::Arc;
use store::executions::CommitWith;
use store::schedules::{MovedSchedule, Schedule};

/// A trigger that is later than this was missed while nothing ran.
const MISSED_MS: i64 = 60_000;
/// At most this many missed moments are made up for.
const MAX_CATCH_UP: usize = 100;
/// What becomes of moments that were missed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CatchUp {
    /// They are left out.
    #[default]
    Skip,
    /// One run makes up for all of them.
    One,
    /// Each gets its run.
    All,
}

impl Runtime {
    pub(super) async fn fire(
        self: &Arc<Self>,
        timer: &Timer,
        schedule: Schedule,
        now: i64,
    ) -> Result<(), Error> {
        let zone = self.zone_of(&timer.workflow);
        let due = schedule.next_ms.unwrap_or(now);
        let trigger: Str = schedule.node.split('\n').next().unwrap_or_default().into();
        if timer.action == TimerAction::Poll {
            // New items stay where they are, so one poll makes up for all that were missed,
            // whatever the setting says.
            self.spawn_poll(timer, trigger);
            let next_ms = timer.timetable.next_after(now.max(due), Some(now), zone);
            return self.skip_to(schedule, next_ms, Some(now)).await;
        }
        let moments = moments_to_run(self.catch_up, due, now, |after| {
            timer.timetable.next_after(after, Some(after), zone)
        });
        if was_missed(due, now) {
            let (workflow, since, runs) = (&schedule.workflow_id, format_time(due), moments.len());
            tracing::warn!(%workflow, node = %trigger, %since, runs, "A schedule was missed while the server was down; starting catch-up runs.");
        }
        let last_ms =
            if moments.is_empty() { schedule.last_ms } else { Some(due.max(now - MISSED_MS)) };
        let next_ms = timer.timetable.next_after(now.max(due), last_ms, zone);
        if moments.is_empty() {
            return self.skip_to(schedule, next_ms, last_ms).await;
        }
        let mut due_ms = schedule.next_ms;
        for (index, moment) in moments.iter().enumerate() {
            let after = match moments.get(index + 1) {
                Some(next) => {
                    Schedule { next_ms: Some(*next), last_ms: Some(*moment), ..schedule.clone() }
                }
                None => Schedule { next_ms, last_ms, ..schedule.clone() },
            };
            let following_ms = after.next_ms;
            if !self.start_scheduled(timer, &trigger, MovedSchedule { due_ms, after }).await? {
                return Ok(());
            }
            due_ms = following_ms;
        }
        Ok(())
    }

    /// Starts a run for one moment of a schedule; `false` if the schedule was changed, or its
    /// workflow deactivated, as it was due. The schedule moves in the transaction of the run's
    /// start, so that no moment is used twice or lost.
    async fn start_scheduled(
        self: &Arc<Self>,
        timer: &Timer,
        trigger: &Str,
        moved: MovedSchedule,
    ) -> Result<bool, Error> {
        let request = RunRequest::from_trigger(&timer.workflow, trigger, None);
        let commit_with = Some(CommitWith::Schedule(moved));
        let context = StartContext { commit_with, ..StartContext::default() };
        let run = self.runner.start_with(request, context)?;
        match self.runner.wait_accepted(&run.log).await {
            Err(Error::Store(store::Error::Gone { .. })) => Ok(false),
            other => other.map(|()| true),
        }
    }

    /// Moves a schedule without a run.
    async fn skip_to(
        &self,
        schedule: Schedule,
        next_ms: Option<i64>,
        last_ms: Option<i64>,
    ) -> Result<(), Error> {
        let due_ms = schedule.next_ms;
        let after = Schedule { next_ms, last_ms, ..schedule };
        self.store.move_schedule(MovedSchedule { due_ms, after }).await?;
        Ok(())
    }
}

fn was_missed(due: i64, now: i64) -> bool {
    now - due > MISSED_MS
}

/// The moments that get a run: the one that is due, unless it was missed and the setting says
/// otherwise.
fn moments_to_run(
    catch_up: CatchUp,
    due: i64,
    now: i64,
    next_after: impl Fn(i64) -> Option<i64>,
) -> Vec<i64> {
    match catch_up {
        _ if !was_missed(due, now) => vec![due],
        CatchUp::Skip => Vec::new(),
        CatchUp::One => vec![due],
        CatchUp::All => std::iter::successors(Some(due), |last| next_after(*last))
            .take_while(|moment| *moment <= now)
            .take(MAX_CATCH_UP)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    fn moments(catch_up: CatchUp, due: i64, now: i64) -> Vec<i64> {
        moments_to_run(catch_up, due, now, |after| Some(after + MINUTE))
    }

    #[test]
    fn a_moment_that_is_a_little_late_gets_its_run_whatever_the_policy_says() {
        for catch_up in [CatchUp::Skip, CatchUp::One, CatchUp::All] {
            assert_eq!(moments(catch_up, 0, 0), [0]);
            assert_eq!(moments(catch_up, 0, MISSED_MS), [0]);
        }
    }

    #[test]
    fn missed_moments_are_skipped_merged_or_all_run() {
        let now = 5 * MINUTE + 1;
        assert!(moments(CatchUp::Skip, 0, now).is_empty());
        assert_eq!(moments(CatchUp::One, 0, now), [0]);
        let all: Vec<i64> = (0..=5).map(|minute| minute * MINUTE).collect();
        assert_eq!(moments(CatchUp::All, 0, now), all);
    }

    #[test]
    fn no_more_than_a_hundred_missed_moments_are_run() {
        let all = moments(CatchUp::All, 0, 100_000 * MINUTE);
        assert_eq!((all.len(), all.last()), (MAX_CATCH_UP, Some(&(99 * MINUTE))));
    }

    #[test]
    fn a_timetable_that_ends_ends_the_catch_up() {
        assert_eq!(moments_to_run(CatchUp::All, 7, 10 * MINUTE, |_| None), [7]);
    }
}
