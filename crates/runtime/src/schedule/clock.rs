//! Fires what is due: triggers by the clock, and sleeping runs whose time has come.

use crate::execute::start::{RunRequest, StartContext};
use crate::loaded_workflow::LoadedWorkflow;
use crate::resume::backoff::ResumeFailure;
use crate::resume::resumption::ResumeReason;
use crate::{Error, Runtime, format_time, lock};
use model::Str;
use node_api::trigger::{Timetable, TriggerListener};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store::executions::CommitWith;
use store::schedules::{MovedSchedule, Schedule};
use tokio::sync::OwnedSemaphorePermit;

/// How long a claimed trigger is ours; after a crash another look finds it again.
const LEASE_MS: i64 = 30_000;
/// The longest time without a look.
const MAX_SLEEP_MS: i64 = 30_000;
/// The time until the next look when one failed, as on a full disk.
const ERROR_SLEEP_MS: i64 = 1000;
/// The same when something that is due has to wait for others.
const BUSY_SLEEP_MS: i64 = 200;
/// A trigger that is later than this was missed while nothing ran.
const MISSED_MS: i64 = 60_000;
/// At most this many missed moments are made up for.
const MAX_CATCH_UP: usize = 100;
/// Sleeping runs that are woken in one go.
pub(crate) const WAKE_BATCH: usize = 100;

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

/// A trigger that goes by the clock.
#[derive(Clone)]
pub(crate) struct Timer {
    pub(crate) workflow: Arc<LoadedWorkflow>,
    timetable: Arc<dyn Timetable>,
    action: TimerAction,
}

/// What is done when the time has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TimerAction {
    Start,
    /// Only if there is news.
    Poll,
}

/// Up to which runs the last looks have come.
#[derive(Default)]
pub(crate) struct WakeCursor {
    pub(crate) answered: i64,
    pub(crate) decided: i64,
}

/// The slot that the clock was given when its turn came, until it uses it.
#[derive(Default)]
pub(crate) struct SchedulerSlot {
    slot: Option<OwnedSemaphorePermit>,
    is_in_line: bool,
}

/// What is written down of triggers, by workflow and name.
pub(crate) type ScheduleRows = HashMap<(Str, Str), Schedule>;

impl Runtime {
    /// The timetables of a workflow's triggers, and when each is due, given what is written down of
    /// it.
    pub(crate) fn timers_of(
        &self,
        workflow: &Arc<LoadedWorkflow>,
        listens: &[(Str, TriggerListener)],
        known: &ScheduleRows,
    ) -> Vec<(Timer, Schedule)> {
        let (now, zone) = (self.now_ms(), self.zone_of(workflow));
        let mut counted: HashMap<&Str, usize> = HashMap::new();
        let mut timers = Vec::new();
        for (trigger, listen) in listens {
            let (timetable, deed) = match listen {
                TriggerListener::Clock(timetable) => (timetable, TimerAction::Start),
                TriggerListener::Poll(timetable) => (timetable, TimerAction::Poll),
                TriggerListener::Webhook(_)
                | TriggerListener::Form(_)
                | TriggerListener::Chat(_) => continue,
            };
            // A trigger with several rules has a row for each.
            let place = counted.entry(trigger).and_modify(|place| *place += 1).or_insert(0);
            let node = row_name(trigger, *place);
            let rule: Str = format!("{} {zone}", timetable.rule()).into();
            let known = known.get(&(workflow.id.clone(), node.clone()));
            let last_ms = known.and_then(|schedule| schedule.last_ms);
            let due = timetable.next_after(now, last_ms, zone);
            let is_same_rule =
                known.is_none_or(|known| known.rule.is_empty() || known.rule == rule);
            let next_ms = match (known.and_then(|schedule| schedule.next_ms), due) {
                // A moment that passed while nothing ran stays due. One that another rule has
                // planned does not count.
                (Some(planned), Some(due)) if is_same_rule || planned <= now => {
                    Some(planned.min(due))
                }
                (_, due) => due,
            };
            let schedule =
                Schedule { workflow_id: workflow.id.clone(), node, next_ms, last_ms, rule };
            timers.push((
                Timer { workflow: workflow.clone(), timetable: timetable.clone(), action: deed },
                schedule,
            ));
        }
        timers
    }

    /// Looks after the clock until the process ends.
    pub(crate) async fn run_scheduler(self: Arc<Self>) {
        let mut passed = WakeCursor::default();
        loop {
            let fired = self.fire_due(&mut passed).await;
            if let Err(error) = &fired {
                tracing::error!(%error, "Could not fire all due timers.");
            }
            let nap = match self.next_due().await {
                _ if fired.is_err() => ERROR_SLEEP_MS,
                Ok(Some(due)) if matches!(fired, Ok(true)) => {
                    (due - self.now_ms()).clamp(BUSY_SLEEP_MS, MAX_SLEEP_MS)
                }
                Ok(Some(due)) => (due - self.now_ms()).clamp(5, MAX_SLEEP_MS),
                _ => MAX_SLEEP_MS,
            };
            tokio::select! {
                biased;
                () = self.stopping.cancelled() => return,
                () = self.clock_changed.notified() => {}
                () = tokio::time::sleep(Duration::from_millis(nap as u64)) => {}
            }
        }
    }

    async fn next_due(&self) -> Result<Option<i64>, store::Error> {
        let moments = [self.store.next_schedule().await?, self.store.next_due().await?];
        Ok(moments.into_iter().flatten().min())
    }

    /// Gives back whether something that is due has to wait. What is wrong with one of them does
    /// not keep the others waiting.
    async fn fire_due(self: &Arc<Self>, passed: &mut WakeCursor) -> Result<bool, Error> {
        let now = self.now_ms();
        let mut has_to_wait = false;
        for schedule in self.store.claim_schedules(now, &self.owner, LEASE_MS).await? {
            let timer = self
                .active()
                .timer(&(schedule.workflow_id.clone(), schedule.node.clone()))
                .cloned();
            // One that is being read, or cannot say yet what it listens to, is looked at again when
            // its lease is over.
            let Some(timer) = timer else { continue };
            let workflow = schedule.workflow_id.clone();
            has_to_wait |= log_and_continue(
                self.fire(&timer, schedule, now).await,
                "Could not fire a schedule: workflow",
                workflow,
            )?;
        }
        has_to_wait |= self.wake_due(now).await?;
        has_to_wait |= self.wake_unblocked(passed).await?;
        // What it stood in line for may have been woken by somebody else.
        lock(&self.clock_slot).slot = None;
        Ok(has_to_wait)
    }

    /// A slot for a sleeping run. While all are taken the clock stands in line, once, as new runs
    /// do, or they would leave none for it.
    pub(crate) fn scheduler_slot(self: &Arc<Self>) -> Option<OwnedSemaphorePermit> {
        let mut mine = lock(&self.clock_slot);
        let slot = mine.slot.take().or_else(|| self.runner.free_slot());
        if slot.is_none() && !mine.is_in_line {
            mine.is_in_line = true;
            let runtime = self.clone();
            tokio::spawn(async move {
                let slot =
                    runtime.stopping.run_until_cancelled(runtime.runner.slot()).await.flatten();
                *lock(&runtime.clock_slot) = SchedulerSlot { slot, is_in_line: false };
                runtime.clock_changed.notify_one();
            });
        }
        slot
    }

    /// Those that the last process left behind, and those that could not be taken up, have their
    /// time; they are passed over.
    async fn wake_due(self: &Arc<Self>, now: i64) -> Result<bool, Error> {
        let (mut after, mut has_to_wait, mut woken) = (None, false, 0);
        loop {
            let due = self.store.due(now, after, WAKE_BATCH).await?;
            let is_last = due.len() < WAKE_BATCH;
            after = due.last().map(|last| (last.state.wait_till_ms.unwrap_or_default(), last.id));
            for execution in due {
                let id = execution.id;
                if self.is_recovering(id) || self.resume_backoff.is_backing_off(id, now) {
                    has_to_wait = true;
                    continue;
                }
                // Nothing of a run is read before it has its turn.
                let Some(slot) = self.scheduler_slot() else { return Ok(true) };
                let resume = ResumeReason::Due(execution.state.clone());
                has_to_wait |= log_and_continue(
                    self.wake_or_abandon(execution, resume, slot).await,
                    "Could not wake a run: execution",
                    id,
                )?;
                woken += 1;
            }
            if is_last || woken >= WAKE_BATCH {
                return Ok(has_to_wait);
            }
        }
    }

    async fn fire(
        self: &Arc<Self>,
        timer: &Timer,
        schedule: Schedule,
        now: i64,
    ) -> Result<(), Error> {
        let zone = self.zone_of(&timer.workflow);
        let due = schedule.next_ms.unwrap_or(now);
        let trigger: Str = schedule.node.split('\n').next().unwrap_or_default().into();
        if timer.action == TimerAction::Poll {
            // News waits, so that a look that was missed is made up for by the next one, whatever
            // the setting says.
            self.spawn_poll(timer, trigger);
            let next_ms = timer.timetable.next_after(now.max(due), Some(now), zone);
            let due_ms = schedule.next_ms;
            let after = Schedule { next_ms, last_ms: Some(now), ..schedule };
            return Ok(self
                .store
                .move_schedule(MovedSchedule { due_ms, after })
                .await
                .map(drop)?);
        }
        let was_missed = now - due > MISSED_MS;
        let mut moments = vec![due];
        if was_missed && self.catch_up == CatchUp::Skip {
            moments.clear();
        }
        if was_missed && self.catch_up == CatchUp::All {
            while let Some(next) =
                moments.last().and_then(|last| timer.timetable.next_after(*last, Some(*last), zone))
            {
                if next > now || moments.len() >= MAX_CATCH_UP {
                    break;
                }
                moments.push(next);
            }
        }
        if was_missed {
            let (workflow, since, runs) = (&schedule.workflow_id, format_time(due), moments.len());
            tracing::warn!(%workflow, node = %trigger, %since, runs, "A schedule was missed while the server was down; starting catch-up runs.");
        }
        let last_ms =
            if moments.is_empty() { schedule.last_ms } else { Some(due.max(now - MISSED_MS)) };
        let next_ms = timer.timetable.next_after(now.max(due), last_ms, zone);
        let after = Schedule { next_ms, last_ms, ..schedule.clone() };
        if moments.is_empty() {
            return Ok(self
                .store
                .move_schedule(MovedSchedule { due_ms: schedule.next_ms, after })
                .await
                .map(drop)?);
        }
        let mut due_ms = schedule.next_ms;
        for (place, moment) in moments.iter().enumerate() {
            // Written with the beginning of the run, so that no moment is taken twice or lost.
            let after = match moments.get(place + 1) {
                Some(next) => {
                    Schedule { next_ms: Some(*next), last_ms: Some(*moment), ..schedule.clone() }
                }
                None => after.clone(),
            };
            let next_ms = after.next_ms;
            let start = RunRequest::from_trigger(&timer.workflow, &trigger, None);
            let along = Some(CommitWith::Schedule(MovedSchedule { due_ms, after }));
            let taken = self.runner.start_with(
                start,
                StartContext { commit_with: along, ..StartContext::default() },
            )?;
            match self.runner.wait_accepted(&taken.log).await {
                // The schedule was changed, or its workflow deactivated, as it was due.
                Err(Error::Store(store::Error::Gone { .. })) => return Ok(()),
                other => other?,
            }
            due_ms = next_ms;
        }
        Ok(())
    }
}

/// Logs what is wrong with one run or schedule, so that the others go on; whether something was.
/// What concerns all of them comes back.
pub(crate) fn log_and_continue(
    done: Result<(), Error>,
    what: &'static str,
    whose: impl std::fmt::Display,
) -> Result<bool, Error> {
    match done {
        Err(error) if error.resume_failure() == ResumeFailure::Outage => Err(error),
        Err(error) => {
            tracing::error!(%error, code = error.code().name(), "{what} {whose}");
            Ok(true)
        }
        Ok(()) => Ok(false),
    }
}

/// The name of a rule's row: the node's, and for all but the first rule its place.
fn row_name(node: &Str, place: usize) -> Str {
    if place == 0 { node.clone() } else { format!("{node}\n{place}").into() }
}
