//! Fires what is due: triggers by the clock, and sleeping runs whose time has come.

use crate::Runtime;
use crate::loaded::Loaded;
use crate::runner::Start;
use model::Str;
use node_api::trigger::{Listen, Timetable};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store::executions::Along;
use store::schedules::Schedule;

/// How long a claimed trigger is ours; after a crash another look finds it again.
const LEASE_MS: i64 = 30_000;
/// The longest time without a look.
const LONGEST_NAP_MS: i64 = 30_000;
/// The time until the next look when one failed, as on a full disk.
const TROUBLED_NAP_MS: i64 = 1000;
/// A trigger that is later than this was missed while nothing ran.
const MISSED_MS: i64 = 60_000;
/// At most this many missed moments are made up for.
const MAX_CATCH_UP: usize = 100;
/// Sleeping runs that are woken in one go.
const WAKE_AT_ONCE: usize = 100;

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
    pub(crate) workflow: Arc<Loaded>,
    timetable: Arc<dyn Timetable>,
    deed: Deed,
}

/// What is done when the time has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Start,
    /// Only if there is news.
    Look,
}

pub(crate) type Timers = HashMap<(Str, Str), Timer>;

impl Runtime {
    /// Writes down when the triggers of a workflow are due, and gives back their timetables.
    pub(crate) async fn set_timers(&self, workflow: &Arc<Loaded>, listens: &[(Str, Listen)]) -> Result<Timers, store::Error> {
        let mut timers = Timers::new();
        let now = self.now_ms();
        let mut counted: HashMap<&Str, usize> = HashMap::new();
        for (trigger, listen) in listens {
            let (timetable, deed) = match listen {
                Listen::Clock(timetable) => (timetable, Deed::Start),
                Listen::Poll(timetable) => (timetable, Deed::Look),
                Listen::Webhook(_) | Listen::Form(_) | Listen::Chat(_) => continue,
            };
            // A trigger with several rules has a row for each.
            let place = counted.entry(trigger).and_modify(|place| *place += 1).or_insert(0);
            let node = &row_name(trigger, *place);
            let known = self.store.schedule(&workflow.id, node).await?;
            let last_ms = known.as_ref().and_then(|schedule| schedule.last_ms);
            let planned = known.as_ref().and_then(|schedule| schedule.next_ms);
            let due = timetable.next_after(now, last_ms, self.zone_of(workflow));
            // A moment that passed while nothing ran stays due; one that a new timetable brings forward counts.
            let next_ms = match (planned, due) {
                (Some(planned), Some(due)) => Some(planned.min(due)),
                (_, due) => due,
            };
            let schedule = Schedule { workflow_id: workflow.id.clone(), node: node.clone(), next_ms, last_ms };
            if known.as_ref() != Some(&schedule) {
                self.store.set_schedule(schedule).await?;
            }
            let timer = Timer { workflow: workflow.clone(), timetable: timetable.clone(), deed };
            timers.insert((workflow.id.clone(), node.clone()), timer);
        }
        let nodes: Vec<Str> = timers.keys().map(|(_, node)| node.clone()).collect();
        self.store.keep_schedules(&workflow.id, &nodes).await?;
        Ok(timers)
    }

    /// Looks after the clock until the process ends.
    pub(crate) async fn keep_time(self: Arc<Self>) {
        loop {
            let fired = self.fire_due().await;
            if let Err(error) = &fired {
                tracing::error!(%error, "What is due could not be looked up.");
            }
            let nap = match self.next_due().await {
                _ if fired.is_err() => TROUBLED_NAP_MS,
                Ok(Some(due)) => (due - self.now_ms()).clamp(5, LONGEST_NAP_MS),
                _ => LONGEST_NAP_MS,
            };
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(nap as u64)) => {}
                () = self.clock_changed.notified() => {}
                () = self.stopping.cancelled() => return,
            }
        }
    }

    async fn next_due(&self) -> Result<Option<i64>, store::Error> {
        let moments = [self.store.next_schedule().await?, self.store.next_due().await?];
        Ok(moments.into_iter().flatten().min())
    }

    async fn fire_due(self: &Arc<Self>) -> Result<(), crate::Error> {
        let now = self.now_ms();
        for schedule in self.store.claim_schedules(now, &self.owner, LEASE_MS).await? {
            let timer = self.timers().get(&(schedule.workflow_id.clone(), schedule.node.clone())).cloned();
            match timer {
                Some(timer) => self.fire(&timer, schedule, now).await?,
                None => self.store.keep_schedules(&schedule.workflow_id, &[]).await?,
            }
        }
        for execution in self.store.due(now, WAKE_AT_ONCE).await? {
            if let Err(error) = self.wake(execution.id, None).await {
                self.give_up(&execution, &error).await?;
            }
        }
        self.wake_answered().await?;
        Ok(())
    }

    async fn fire(self: &Arc<Self>, timer: &Timer, schedule: Schedule, now: i64) -> Result<(), crate::Error> {
        let zone = self.zone_of(&timer.workflow);
        let due = schedule.next_ms.unwrap_or(now);
        let trigger: Str = schedule.node.split('\n').next().unwrap_or_default().into();
        if timer.deed == Deed::Look {
            // News waits, so that a look that was missed is made up for by the next one, whatever the setting says.
            self.look_soon(timer, trigger);
            let next_ms = timer.timetable.next_after(now.max(due), Some(now), zone);
            return Ok(self.store.set_schedule(Schedule { next_ms, last_ms: Some(now), ..schedule }).await?);
        }
        let was_missed = now - due > MISSED_MS;
        let mut moments = vec![due];
        if was_missed && self.catch_up == CatchUp::Skip {
            moments.clear();
        }
        if was_missed && self.catch_up == CatchUp::All {
            while let Some(next) = moments.last().and_then(|last| timer.timetable.next_after(*last, Some(*last), zone)) {
                if next > now || moments.len() >= MAX_CATCH_UP {
                    break;
                }
                moments.push(next);
            }
        }
        let last_ms = if moments.is_empty() { schedule.last_ms } else { Some(due.max(now - MISSED_MS)) };
        let next_ms = timer.timetable.next_after(now.max(due), last_ms, zone);
        let after = Schedule { next_ms, last_ms, ..schedule.clone() };
        if moments.is_empty() {
            return Ok(self.store.set_schedule(after).await?);
        }
        for (place, moment) in moments.iter().enumerate() {
            // Written with the beginning of the run, so that no moment is taken twice or lost.
            let after = match moments.get(place + 1) {
                Some(next) => Schedule { next_ms: Some(*next), last_ms: Some(*moment), ..schedule.clone() },
                None => after.clone(),
            };
            let start = Start::of_trigger(&timer.workflow, &trigger, None);
            let taken = self.runner.start_after(start, Along::Schedule(after).into())?;
            self.runner.accepted(&taken.log).await?;
        }
        Ok(())
    }
}

/// The name of a rule's row: the node's, and for all but the first rule its place.
fn row_name(node: &Str, place: usize) -> Str {
    if place == 0 { node.clone() } else { format!("{node}\n{place}").into() }
}
