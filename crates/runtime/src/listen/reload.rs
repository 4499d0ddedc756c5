//! Reads the active workflows again when something has changed: those that changed, and no others.
//!
//! Invariant: what is written down of schedules changes in one transaction, before the workflows
//! listen as it says. If that fails nothing has changed, and the next reload does all of it again.

mod evaluate;

use crate::listen::active::{ActiveWorkflow, ListenState};
use crate::listen::addresses::claims_of;
use crate::listen::trigger_listeners::{CachedListeners, TriggerListeners, is_cpu_timeout};
use crate::resume::backoff::ResumeFailure;
use crate::schedule::timers::ScheduleRows;
use crate::{Error, LoadedWorkflow, Runtime};
use model::Str;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};
use store::addresses::{Address, ClaimResult};
use store::schedules::PlannedSchedule;
use store::workflows::{ListeningWorkflow, StoredWorkflow, WorkflowFilter};

/// How often all is planned anew because the clock has moved a schedule meanwhile.
const TRIES: usize = 5;

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

/// What may have changed since the last reload.
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
            *seen = None;
        }
        for _ in 0..TRIES {
            let changed = self.store.workflows_changed().await?;
            if *seen == Some(changed) {
                return Ok(());
            }
            match self.read_active(*seen).await? {
                ReloadOutcome::All => *seen = Some(changed),
                ReloadOutcome::NotAll => {}
                // The clock has moved a schedule meanwhile; what was planned would fire it again.
                ReloadOutcome::Outdated => continue,
            }
            return Ok(());
        }
        Err(Error::Contended)
    }

    async fn read_active(&self, seen: Option<i64>) -> Result<ReloadOutcome, Error> {
        let Changes { listening, gone } = self.changes_since(seen).await?;
        let candidates = self.candidates(listening).await?;
        let mut all_evaluated =
            self.evaluate_all(candidates.iter().filter_map(|one| one.loaded.as_ref().ok())).await?;
        let candidates: Vec<ReloadCandidate> =
            candidates.into_iter().filter(ReloadCandidate::has_changed).collect();
        let ids: Vec<Str> = candidates.iter().map(|one| one.id.clone()).collect();
        let held = self.held_by(&ids).await?;
        let mut plan = SchedulePlan { known: self.rows_of(&ids).await?, ..SchedulePlan::default() };
        let mut states = Vec::with_capacity(candidates.len());
        for ReloadCandidate { id, loaded, .. } in candidates {
            let state = match self.state_of(loaded, &held, &mut plan).await {
                Ok(Some(state)) => state,
                // It is active no more, or has just been changed: the next reload finds it as it is
                // then.
                Ok(None) => continue,
                Err(error) => {
                    match error.resume_failure() {
                        ResumeFailure::Outage => return Err(error),
                        // It is read again at the next reload.
                        ResumeFailure::Transient if matches!(error, Error::Store(_)) => {
                            all_evaluated = false
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
                && let CachedListeners::Failed(error) = loaded.cached_listeners()
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
        Ok(if all_evaluated { ReloadOutcome::All } else { ReloadOutcome::NotAll })
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
    async fn changes_since(&self, seen: Option<i64>) -> Result<Changes, Error> {
        let Some(seen) = seen else {
            let listening = self.store.listening(None).await?;
            let still: HashSet<&Str> = listening.iter().map(|workflow| &workflow.id).collect();
            let gone = self.active().ids().filter(|id| !still.contains(id)).cloned().collect();
            return Ok(Changes { listening, gone });
        };
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
            // One that is gone by now is so at the next reload.
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

    /// What becomes of a workflow; `None` if the next reload finds it changed. It listens
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
            // The next reload finds time for it.
            CachedListeners::Unknown => return Ok(Some(ListenState::Pending(workflow))),
            CachedListeners::Failed(_) => return Ok(Some(ListenState::Silent(workflow))),
            CachedListeners::Known(listens) => listens,
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
        match self.loaded.as_ref().map(|loaded| loaded.cached_listeners()) {
            Ok(CachedListeners::Known(now)) => !Arc::ptr_eq(&now, listened),
            Ok(CachedListeners::Unknown | CachedListeners::Failed(_)) | Err(_) => true,
        }
    }
}
