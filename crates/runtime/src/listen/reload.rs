//! Reads the active workflows again when something has changed: those that changed, and no others.
//!
//! Invariant: what is written down of schedules changes in one transaction, before the workflows
//! listen as it says. If that fails nothing has changed, and the next look does all of it again.

use crate::listen::active::{ActiveWorkflow, ListenState};
use crate::listen::addresses::claims_of;
use crate::listen::trigger_listeners::{
    FIRST_CPU_TIME, LISTEN_CPU_TIME, TriggerListeners, is_cpu_timeout,
};
use crate::resume::backoff::ResumeFailure;
use crate::schedule::clock::ScheduleRows;
use crate::{Error, ListenScope, LoadedWorkflow, Runtime};
use model::{Object, Str};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use store::addresses::{Address, ClaimResult};
use store::schedules::PlannedSchedule;
use store::workflows::{ListeningWorkflow, StoredWorkflow, WorkflowFilter};

/// CPU time after which the triggers of no further workflow are asked at once, so that many that
/// compute hold nobody up: neither who activates a workflow, nor the start of the server.
const RELOAD_CPU_TIME: Duration = Duration::from_secs(2);

/// How often all is planned anew because the clock has moved a schedule meanwhile.
const TRIES: usize = 5;

/// What stands for the number of the last change as long as nothing is to be taken for known.
pub(crate) const NOTHING: i64 = -1;

/// If more workflows than these have changed, all are read in one go.
const MANY: usize = 50;

/// The addresses of workflows.
type HeldAddresses = HashMap<Str, HashSet<Address>>;

/// A workflow that has changed, or may listen to something else by now.
struct ReloadCandidate {
    id: Str,
    loaded: Result<Arc<LoadedWorkflow>, Error>,
    /// What it listened to before, if it is the same workflow that did.
    listened: Option<Arc<TriggerListeners>>,
}

/// What may have changed since the last look.
struct Changes {
    /// Active workflows that may have changed.
    listening: Vec<ListeningWorkflow>,
    /// Those that are active no more, as far as they are known.
    gone: Vec<Str>,
}

/// How the active workflows were read.
enum ReloadOutcome {
    All,
    /// Some are to be read again.
    NotAll,
    /// Nothing has changed: what it was planned from is different by now.
    Outdated,
}

/// What is written down of schedules, and how that is to change.
#[derive(Default)]
struct SchedulePlan {
    known: ScheduleRows,
    set: Vec<PlannedSchedule>,
    wanted: HashSet<(Str, Str)>,
}

impl Runtime {
    /// Reads the active workflows again, if anything has changed.
    pub async fn reload(&self) -> Result<(), Error> {
        let mut seen = self.changing.lock().await;
        // Triggers that read a variable are asked again when it has changed.
        if self.read_variables().await? {
            *seen = NOTHING;
        }
        for _ in 0..TRIES {
            let changed = self.store.workflows_changed().await?;
            if changed == *seen {
                return Ok(());
            }
            match self.read_active(*seen).await? {
                ReloadOutcome::All => *seen = changed,
                ReloadOutcome::NotAll => {}
                // The clock has moved a schedule meanwhile; what was planned would fire it again.
                ReloadOutcome::Outdated => continue,
            }
            return Ok(());
        }
        Err(Error::Contended)
    }

    async fn read_active(&self, seen: i64) -> Result<ReloadOutcome, Error> {
        let Changes { listening, gone } = self.changes_since(seen).await?;
        let candidates = self.candidates(listening).await?;
        let mut have_all_said =
            self.ask_all(candidates.iter().filter_map(|one| one.loaded.as_ref().ok())).await?;
        let candidates: Vec<ReloadCandidate> =
            candidates.into_iter().filter(ReloadCandidate::has_changed).collect();
        let ids: Vec<Str> = candidates.iter().map(|one| one.id.clone()).collect();
        let held = self.held_by(&ids).await?;
        let mut plan = SchedulePlan { known: self.rows_of(&ids).await?, ..SchedulePlan::default() };
        let mut states = Vec::with_capacity(candidates.len());
        for ReloadCandidate { id, loaded, .. } in candidates {
            let state = match self.state_of(loaded, &held, &mut plan).await {
                Ok(Some(state)) => state,
                // It is active no more, or has just been changed: the next look finds it as it is
                // then.
                Ok(None) => continue,
                Err(error) => {
                    match error.resume_failure() {
                        ResumeFailure::Outage => return Err(error),
                        // It is read again at the next look.
                        ResumeFailure::Transient if matches!(error, Error::Store(_)) => {
                            have_all_said = false
                        }
                        ResumeFailure::Transient
                        | ResumeFailure::Superseded
                        | ResumeFailure::Incompatible
                        | ResumeFailure::Permanent => {}
                    }
                    cannot_listen(&id, &error);
                    ListenState::Unread
                }
            };
            if let ListenState::Silent(loaded) = &state
                && let Some(Err(error)) = loaded.cached_listeners()
                // Of one that takes too long it is said once.
                && (!is_cpu_timeout(&error) || !self.active().is_silent(&id))
            {
                cannot_listen(&id, &error);
            }
            states.push((id, state));
        }
        let listens: HashSet<&Str> = states
            .iter()
            .filter(|(_, state)| matches!(state, ListenState::Listens(_)))
            .map(|(id, _)| id)
            .collect();
        // Rows of those that cannot say yet what they listen to stay as they are.
        let removed = plan
            .known
            .into_keys()
            .filter(|key| listens.contains(&key.0) && !plan.wanted.contains(key))
            .collect();
        if !self.store.change_schedules(plan.set, removed).await? {
            return Ok(ReloadOutcome::Outdated);
        }
        self.apply(gone.into_iter().chain(ids), states);
        self.clock_changed.notify_one();
        Ok(if have_all_said { ReloadOutcome::All } else { ReloadOutcome::NotAll })
    }

    fn apply(&self, replaced: impl Iterator<Item = Str>, states: Vec<(Str, ListenState)>) {
        let mut active = self.active.write().unwrap_or_else(PoisonError::into_inner);
        let before = active.remove(replaced);
        for (id, state) in states {
            if let Err(error) = active.add(id.clone(), state) {
                cannot_listen(&id, &error);
            }
        }
        // Nobody waits while they are dropped.
        drop(active);
        drop(before);
    }

    /// What is to be looked at: everything, or what has changed since the change with this number
    /// and what was not settled then.
    async fn changes_since(&self, seen: i64) -> Result<Changes, Error> {
        if seen == NOTHING {
            let listening = self.store.listening(None).await?;
            let still: HashSet<&Str> = listening.iter().map(|workflow| &workflow.id).collect();
            let gone = self.active().ids().filter(|id| !still.contains(id)).cloned().collect();
            return Ok(Changes { listening, gone });
        }
        let mut ids: HashSet<Str> = self.store.changed_since(seen).await?.into_iter().collect();
        ids.extend(self.active().unread().cloned());
        let mut listening = self.store.listening(Some(ids.iter().cloned().collect())).await?;
        listening.extend(
            self.active()
                .undecided()
                .filter(|loaded| !ids.contains(&loaded.id))
                .map(|loaded| loaded.as_listening()),
        );
        for workflow in &listening {
            ids.remove(&workflow.id);
        }
        Ok(Changes { listening, gone: ids.into_iter().collect() })
    }

    /// Those that changed, those that have not said yet what they listen to, and those that may say
    /// something else by now. Of two that were active before addresses had owners, the older one
    /// comes first.
    async fn candidates(
        &self,
        mut listening: Vec<ListeningWorkflow>,
    ) -> Result<Vec<ReloadCandidate>, Error> {
        let same = |now: &ListeningWorkflow| {
            self.active().known(&now.id).filter(|known| known.matches(now)).cloned()
        };
        // Those that go on as they are need nobody's attention.
        listening.retain(|now| {
            let active = self.active();
            !active
                .get(&now.id)
                .is_some_and(|known| known.matches(now) && !known.needs_evaluation())
        });
        listening.sort_by(|a, b| (a.created_ms, &a.id).cmp(&(b.created_ms, &b.id)));
        let changed = listening.iter().filter(|now| same(now).is_none()).count();
        let mut documents: HashMap<Str, StoredWorkflow> = HashMap::new();
        if changed > MANY {
            let filter = WorkflowFilter {
                active: Some(true),
                limit: usize::MAX >> 1,
                ..WorkflowFilter::default()
            };
            documents.extend(
                self.store
                    .workflows(filter)
                    .await?
                    .into_iter()
                    .map(|stored| (stored.id.clone(), stored)),
            );
        }
        let mut candidates = Vec::new();
        for now in &listening {
            if let Some(known) = same(now) {
                let listened = self.active().listens_of(&now.id).cloned();
                candidates.push(ReloadCandidate {
                    id: now.id.clone(),
                    loaded: Ok(known),
                    listened,
                });
                continue;
            }
            if !self.begin_activation(&now.id).await? {
                continue;
            }
            let stored = match documents.remove(&now.id) {
                Some(stored) => Some(stored),
                None => self.store.workflow(&now.id).await?,
            };
            // One that is gone by now is so at the next look.
            if let Some(stored) = stored {
                let earlier = self.active().known(&now.id).cloned();
                let loaded = self.load_listening(&stored, earlier.as_ref()).await;
                candidates.push(ReloadCandidate { id: now.id.clone(), loaded, listened: None });
            }
            self.end_activation(&now.id).await?;
        }
        Ok(candidates)
    }

    async fn held_by(&self, ids: &[Str]) -> Result<HeldAddresses, Error> {
        let all = if ids.len() > MANY {
            self.store.addresses().await?
        } else {
            self.store.addresses_of(ids.to_vec()).await?
        };
        let mut held = HeldAddresses::new();
        for (workflow, address) in all {
            held.entry(workflow).or_default().insert(address);
        }
        Ok(held)
    }

    async fn rows_of(&self, ids: &[Str]) -> Result<ScheduleRows, Error> {
        let of = (ids.len() <= MANY).then(|| ids.to_vec());
        let its: HashSet<&Str> = ids.iter().collect();
        let rows = self
            .store
            .schedules(of)
            .await?
            .into_iter()
            .filter(|row| its.contains(&row.workflow_id));
        Ok(rows.map(|row| ((row.workflow_id.clone(), row.node.clone()), row)).collect())
    }

    /// Lets triggers say what they listen to: those that have nothing to compute, those that have
    /// not said it yet for a moment each, those of them that need longer, and then those that may
    /// say something else by now, which go on as they are if there is no time left. `false` if some
    /// are to be asked the next time.
    async fn ask_all<'l>(
        &self,
        workflows: impl Iterator<Item = &'l Arc<LoadedWorkflow>>,
    ) -> Result<bool, Error> {
        let asked = workflows.filter(|loaded| loaded.needs_evaluation());
        let (said, unsaid): (Vec<_>, Vec<_>) =
            asked.partition(|loaded| loaded.cached_listeners().is_some());
        let (plain, unsaid): (Vec<_>, Vec<_>) =
            unsaid.into_iter().partition(|loaded| !loaded.computes_listens);
        let new = unsaid
            .iter()
            .copied()
            .filter(|loaded| !loaded.is_slow.load(Ordering::Relaxed))
            .collect();
        let mut used = Duration::ZERO;
        self.ask_some(plain, LISTEN_CPU_TIME, &mut used).await?;
        self.ask_some(new, FIRST_CPU_TIME, &mut used).await?;
        let slow = unsaid
            .iter()
            .copied()
            .filter(|loaded| loaded.is_slow.load(Ordering::Relaxed))
            .collect();
        self.ask_some(slow, LISTEN_CPU_TIME, &mut used).await?;
        let (later, sooner): (Vec<_>, Vec<_>) =
            said.into_iter().partition(|loaded| loaded.is_slow.load(Ordering::Relaxed));
        self.ask_some(sooner, LISTEN_CPU_TIME, &mut used).await?;
        self.ask_some(later, LISTEN_CPU_TIME, &mut used).await?;
        Ok(unsaid.iter().all(|loaded| loaded.cached_listeners().is_some()))
    }

    fn known_to(&self, loaded: &LoadedWorkflow) -> ListenScope {
        let variables = if loaded.computes_listens {
            self.runner.variables_of(&loaded.project_id)
        } else {
            Object::new()
        };
        ListenScope { now_ms: self.now_ms(), variables }
    }

    /// Asks some for so long each, until all the time for it is used. Projects take turns, so that
    /// one with many holds no other up.
    async fn ask_some(
        &self,
        workflows: Vec<&Arc<LoadedWorkflow>>,
        limit: Duration,
        used: &mut Duration,
    ) -> Result<(), Error> {
        for loaded in in_turn(workflows) {
            if *used >= RELOAD_CPU_TIME {
                break;
            }
            // One that the process has died of says nothing, and is deactivated.
            if !self.begin_activation(&loaded.id).await? {
                continue;
            }
            let (listens, took) = loaded.find_listens(&self.known_to(loaded), limit).await;
            *used += took;
            let is_slow = limit < LISTEN_CPU_TIME && took >= limit;
            match is_slow {
                true => loaded.is_slow.store(true, Ordering::Relaxed),
                false => loaded.cache_listeners(listens),
            }
            self.end_activation(&loaded.id).await?;
        }
        Ok(())
    }

    /// What becomes of a workflow; `None` if the next look finds something else of it. It listens
    /// at the addresses that are its own. What it listens at may differ from what it claimed: it
    /// was active before addresses had owners, or its path is an expression that gives something
    /// else now.
    async fn state_of(
        &self,
        loaded: Result<Arc<LoadedWorkflow>, Error>,
        held: &HeldAddresses,
        plan: &mut SchedulePlan,
    ) -> Result<Option<ListenState>, Error> {
        let workflow = loaded?;
        let listens = match workflow.cached_listeners() {
            // The next look finds time to ask.
            None => return Ok(Some(ListenState::Pending(workflow))),
            Some(Err(_)) => return Ok(Some(ListenState::Silent(workflow))),
            Some(Ok(listens)) => listens,
        };
        let claims = claims_of(&listens)?;
        let addresses: HashSet<Address> =
            claims.iter().map(|claim| claim.address.clone()).collect();
        if held.get(&workflow.id).map_or(!addresses.is_empty(), |held| *held != addresses) {
            match self.store.claim_or_deactivate(&workflow.id, &workflow.version_id, claims).await?
            {
                ClaimResult::Done(()) => {}
                ClaimResult::Taken(claim) => {
                    let (workflow, name) = (&workflow.id, &workflow.name);
                    let (method, path) = (&claim.address.method, &claim.path);
                    tracing::error!(%workflow, %name, %method, %path, "Workflow deactivated: another workflow uses its webhook address.");
                    return Ok(None);
                }
                ClaimResult::Outdated | ClaimResult::Missing => return Ok(None),
            }
        }
        let mut timers = HashMap::new();
        for (timer, schedule) in self.timers_of(&workflow, &listens, &plan.known) {
            let key = (schedule.workflow_id.clone(), schedule.node.clone());
            timers.insert(schedule.node.clone(), timer);
            let found = plan.known.get(&key);
            if found != Some(&schedule) {
                plan.set.push(PlannedSchedule { found: found.cloned(), planned: schedule });
            }
            plan.wanted.insert(key);
        }
        Ok(Some(ListenState::Listens(ActiveWorkflow { workflow, listens, addresses, timers })))
    }
}

fn cannot_listen(workflow: &Str, error: &Error) {
    tracing::error!(%error, %workflow, "Could not activate workflow.");
}

impl ReloadCandidate {
    /// Whether it does not listen as it did.
    fn has_changed(&self) -> bool {
        let Some(listened) = &self.listened else { return true };
        let now = self
            .loaded
            .as_ref()
            .ok()
            .and_then(|loaded| loaded.cached_listeners())
            .and_then(Result::ok);
        !now.is_some_and(|now| Arc::ptr_eq(&now, listened))
    }
}

/// The first of each project, then the second of each, and so on.
fn in_turn(workflows: Vec<&Arc<LoadedWorkflow>>) -> Vec<&Arc<LoadedWorkflow>> {
    let mut counted: HashMap<&Str, usize> = HashMap::new();
    let mut turns: Vec<(usize, &Arc<LoadedWorkflow>)> = Vec::with_capacity(workflows.len());
    for loaded in workflows {
        let count = counted.entry(&loaded.project_id).or_default();
        *count += 1;
        turns.push((*count, loaded));
    }
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, loaded)| loaded).collect()
}
