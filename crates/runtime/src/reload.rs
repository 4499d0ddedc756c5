//! Reads the active workflows again when something has changed: those that changed, and no others.
//!
//! Invariant: what is written down of schedules changes in one transaction, before the workflows listen as it says. If that fails nothing
//! has changed, and the next look does all of it again.

use crate::addresses::claims_of;
use crate::clock::Rows;
use crate::listens::{FIRST_CPU_TIME, LISTEN_CPU_TIME, Listens, took_too_long};
use crate::setbacks::Fate;
use crate::{Active, Error, ListenScope, Loaded, Runtime};
use model::{Object, Str};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use store::addresses::{Address, Claimed};
use store::schedules::PlannedSchedule;
use store::workflows::{ListeningWorkflow, StoredWorkflow, WorkflowFilter};

/// CPU time after which the triggers of no further workflow are asked at once, so that many that compute hold nobody up: neither who
/// activates a workflow, nor the start of the server.
const RELOAD_CPU_TIME: Duration = Duration::from_secs(2);

/// How often all is planned anew because the clock has moved a schedule meanwhile.
const TRIES: usize = 5;

/// What stands for the number of the last change as long as nothing is to be taken for known.
pub(crate) const NOTHING: i64 = -1;

/// If more workflows than these have changed, all are read in one go.
const MANY: usize = 50;

/// The addresses of workflows.
type Held = HashMap<Str, HashSet<Address>>;

/// A workflow that has changed, or may listen to something else by now.
struct Candidate {
    id: Str,
    loaded: Result<Arc<Loaded>, Error>,
    /// What it listened to before, if it is the same workflow that did.
    listened: Option<Arc<Listens>>,
}

/// How the active workflows were read.
enum Read {
    All,
    /// Some are to be read again.
    NotAll,
    /// Nothing has changed: what it was planned from is different by now.
    Outdated,
}

/// What is written down of schedules, and how that is to change.
#[derive(Default)]
struct Plan {
    known: Rows,
    set: Vec<PlannedSchedule>,
    wanted: HashSet<(Str, Str)>,
}

impl Active {
    pub(crate) fn known(&self, id: &Str) -> Option<&Arc<Loaded>> {
        [&self.workflows, &self.silent, &self.unasked].into_iter().find_map(|known| known.get(id))
    }

    fn remove(&mut self, ids: &HashSet<Str>) {
        if !ids.iter().any(|id| self.known(id).is_some()) {
            return;
        }
        for all in [&mut self.workflows, &mut self.silent, &mut self.unasked] {
            all.retain(|id, _| !ids.contains(id));
        }
        self.routes.remove(ids);
        self.addresses.retain(|(workflow, _)| !ids.contains(workflow));
        self.timers.retain(|(workflow, _), _| !ids.contains(workflow));
    }
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
            match self.read_active().await? {
                Read::All => *seen = changed,
                Read::NotAll => {}
                // The clock has moved a schedule meanwhile; what was planned would fire it again.
                Read::Outdated => continue,
            }
            return Ok(());
        }
        Err(Error::Contended)
    }

    async fn read_active(&self) -> Result<Read, Error> {
        let before = self.active();
        let listening = self.store.listening().await?;
        let mut active = (*before).clone();
        let still: HashSet<&Str> = listening.iter().map(|workflow| &workflow.id).collect();
        let all_before = [&before.workflows, &before.silent, &before.unasked].into_iter().flat_map(HashMap::keys);
        let mut replaced: HashSet<Str> = all_before.filter(|id| !still.contains(id)).cloned().collect();
        let candidates = self.candidates(&before, listening).await?;
        let mut have_all_said = self.ask_all(candidates.iter().filter_map(|one| one.loaded.as_ref().ok())).await?;
        let candidates: Vec<Candidate> = candidates.into_iter().filter(Candidate::has_changed).collect();
        let ids: Vec<Str> = candidates.iter().map(|one| one.id.clone()).collect();
        let held = self.held_by(&ids).await?;
        let mut plan = Plan { known: self.rows_of(&ids).await?, ..Plan::default() };
        replaced.extend(ids);
        active.remove(&replaced);
        for Candidate { id, loaded, .. } in candidates {
            if let Err(error) = self.add(&mut active, loaded, &held, &mut plan).await {
                match error.fate() {
                    Fate::WaitsForAll => return Err(error),
                    // It is read again at the next look.
                    Fate::MayPass if matches!(error, Error::Store(_)) => have_all_said = false,
                    Fate::MayPass | Fate::NotOurs | Fate::Stays | Fate::Over => {}
                }
                // Of one that takes too long it is said once.
                if !took_too_long(&error) || !before.silent.contains_key(&id) {
                    tracing::error!(%error, workflow = %id, "An active workflow cannot listen.");
                }
            }
        }
        let listens = |id: &Str| active.workflows.contains_key(id);
        // Rows of those that cannot say yet what they listen to stay as they are.
        let removed = plan.known.into_keys().filter(|key| listens(&key.0) && !plan.wanted.contains(key)).collect();
        if !self.store.change_schedules(plan.set, removed).await? {
            return Ok(Read::Outdated);
        }
        *self.active.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(active);
        self.clock_changed.notify_one();
        Ok(if have_all_said { Read::All } else { Read::NotAll })
    }

    /// Those that changed, those that have not said yet what they listen to, and those that may say something else by now. Of two that
    /// were active before addresses had owners, the older one comes first.
    async fn candidates(&self, before: &Active, mut listening: Vec<ListeningWorkflow>) -> Result<Vec<Candidate>, Error> {
        let same = |now: &ListeningWorkflow| {
            let is_same = |known: &&Arc<Loaded>| {
                known.version_id == now.version_id && known.project_id == now.project_id && known.activations == now.activations
            };
            before.known(&now.id).filter(is_same)
        };
        // Those that go on as they are need nobody's attention.
        let goes_on = |known: &Arc<Loaded>| before.workflows.contains_key(&known.id) && !known.is_to_be_asked();
        listening.retain(|now| !same(now).is_some_and(goes_on));
        listening.sort_by(|a, b| (a.created_ms, &a.id).cmp(&(b.created_ms, &b.id)));
        let changed = listening.iter().filter(|now| same(now).is_none()).count();
        let mut documents: HashMap<Str, StoredWorkflow> = HashMap::new();
        if changed > MANY {
            let filter = WorkflowFilter { active: Some(true), limit: usize::MAX >> 1, ..WorkflowFilter::default() };
            documents.extend(self.store.workflows(filter).await?.into_iter().map(|stored| (stored.id.clone(), stored)));
        }
        let mut candidates = Vec::new();
        for now in &listening {
            if let Some(known) = same(now) {
                let listened = before.workflows.contains_key(&now.id).then(|| known.said_listens()).flatten().and_then(Result::ok);
                candidates.push(Candidate { id: now.id.clone(), loaded: Ok(known.clone()), listened });
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
                let loaded = self.load_listening(&stored, before.known(&now.id)).await;
                candidates.push(Candidate { id: now.id.clone(), loaded, listened: None });
            }
            self.end_activation(&now.id).await?;
        }
        Ok(candidates)
    }

    async fn held_by(&self, ids: &[Str]) -> Result<Held, Error> {
        let all = if ids.len() > MANY { self.store.addresses().await? } else { self.store.addresses_of(ids.to_vec()).await? };
        let mut held = Held::new();
        for (workflow, address) in all {
            held.entry(workflow).or_default().insert(address);
        }
        Ok(held)
    }

    async fn rows_of(&self, ids: &[Str]) -> Result<Rows, Error> {
        let of = (ids.len() <= MANY).then(|| ids.to_vec());
        let its: HashSet<&Str> = ids.iter().collect();
        let rows = self.store.schedules(of).await?.into_iter().filter(|row| its.contains(&row.workflow_id));
        Ok(rows.map(|row| ((row.workflow_id.clone(), row.node.clone()), row)).collect())
    }

    /// Lets triggers say what they listen to: those that have nothing to compute, those that have not said it yet for a moment each, those
    /// of them that need longer, and then those that may say something else by now, which go on as they are if there is no time left.
    /// `false` if some are to be asked the next time.
    async fn ask_all<'l>(&self, workflows: impl Iterator<Item = &'l Arc<Loaded>>) -> Result<bool, Error> {
        let asked = workflows.filter(|loaded| loaded.is_to_be_asked());
        let (said, unsaid): (Vec<_>, Vec<_>) = asked.partition(|loaded| loaded.said_listens().is_some());
        let (plain, unsaid): (Vec<_>, Vec<_>) = unsaid.into_iter().partition(|loaded| !loaded.computes_listens);
        let new = unsaid.iter().copied().filter(|loaded| !loaded.is_slow.load(Ordering::Relaxed)).collect();
        let mut used = Duration::ZERO;
        self.ask_some(plain, LISTEN_CPU_TIME, &mut used).await?;
        self.ask_some(new, FIRST_CPU_TIME, &mut used).await?;
        let slow = unsaid.iter().copied().filter(|loaded| loaded.is_slow.load(Ordering::Relaxed)).collect();
        self.ask_some(slow, LISTEN_CPU_TIME, &mut used).await?;
        let (later, sooner): (Vec<_>, Vec<_>) = said.into_iter().partition(|loaded| loaded.is_slow.load(Ordering::Relaxed));
        self.ask_some(sooner, LISTEN_CPU_TIME, &mut used).await?;
        self.ask_some(later, LISTEN_CPU_TIME, &mut used).await?;
        Ok(unsaid.iter().all(|loaded| loaded.said_listens().is_some()))
    }

    fn known_to(&self, loaded: &Loaded) -> ListenScope {
        let variables = if loaded.computes_listens { self.runner.variables_of(&loaded.project_id) } else { Object::new() };
        ListenScope { now_ms: self.now_ms(), variables }
    }

    /// Asks some for so long each, until all the time for it is used. Projects take turns, so that one with many holds no other up.
    async fn ask_some(&self, workflows: Vec<&Arc<Loaded>>, limit: Duration, used: &mut Duration) -> Result<(), Error> {
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
                false => loaded.keep_listens(listens),
            }
            self.end_activation(&loaded.id).await?;
        }
        Ok(())
    }

    /// Lets a workflow listen at the addresses that are its own. What it listens at may differ from what it claimed: it was active before
    /// addresses had owners, or its path is an expression that gives something else now.
    async fn add(&self, active: &mut Active, loaded: Result<Arc<Loaded>, Error>, held: &Held, plan: &mut Plan) -> Result<(), Error> {
        let loaded = loaded?;
        let listens = match loaded.said_listens() {
            // The next look finds time to ask.
            None => {
                active.unasked.insert(loaded.id.clone(), loaded);
                return Ok(());
            }
            Some(Ok(listens)) => listens,
            Some(Err(error)) => {
                active.silent.insert(loaded.id.clone(), loaded);
                return Err(error);
            }
        };
        let claims = claims_of(&listens)?;
        let addresses: HashSet<Address> = claims.iter().map(|claim| claim.address.clone()).collect();
        if held.get(&loaded.id).map_or(!addresses.is_empty(), |held| *held != addresses) {
            match self.store.claim_or_deactivate(&loaded.id, &loaded.version_id, claims).await? {
                Claimed::Done(()) => {}
                Claimed::Taken(claim) => {
                    let (workflow, name) = (&loaded.id, &loaded.name);
                    let (method, path) = (&claim.address.method, &claim.path);
                    tracing::error!(%workflow, %name, %method, %path, "A workflow was deactivated: another one has its address.");
                    return Ok(());
                }
                // Somebody has changed it just now; the next look finds it as it is then.
                Claimed::Outdated | Claimed::Missing => return Ok(()),
            }
        }
        if let Err(error) = active.routes.add(&loaded, &listens) {
            active.routes.remove(&HashSet::from([loaded.id.clone()]));
            return Err(error);
        }
        for (timer, schedule) in self.timers_of(&loaded, &listens, &plan.known) {
            let key = (schedule.workflow_id.clone(), schedule.node.clone());
            let found = plan.known.get(&key);
            if found != Some(&schedule) {
                plan.set.push(PlannedSchedule { found: found.cloned(), planned: schedule });
            }
            plan.wanted.insert(key.clone());
            active.timers.insert(key, timer);
        }
        active.addresses.extend(addresses.into_iter().map(|address| (loaded.id.clone(), address)));
        active.workflows.insert(loaded.id.clone(), loaded);
        Ok(())
    }
}

impl Candidate {
    /// Whether it does not listen as it did.
    fn has_changed(&self) -> bool {
        let Some(listened) = &self.listened else { return true };
        let now = self.loaded.as_ref().ok().and_then(|loaded| loaded.said_listens()).and_then(Result::ok);
        !now.is_some_and(|now| Arc::ptr_eq(&now, listened))
    }
}

/// The first of each project, then the second of each, and so on.
fn in_turn(workflows: Vec<&Arc<Loaded>>) -> Vec<&Arc<Loaded>> {
    let mut counted: HashMap<&Str, usize> = HashMap::new();
    let mut turns: Vec<(usize, &Arc<Loaded>)> = Vec::with_capacity(workflows.len());
    for loaded in workflows {
        let count = counted.entry(&loaded.project_id).or_default();
        *count += 1;
        turns.push((*count, loaded));
    }
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, loaded)| loaded).collect()
}
