//! The active workflows and what they listen at. Changed in place, by no more than what has
//! changed: there may be many of them.

use crate::listen::routes::Routes;
use crate::listen::trigger_listeners::TriggerListeners;
use crate::schedule::poll::TriggerKey;
use crate::schedule::timers::Timer;
use crate::{Error, LoadedWorkflow};
use model::Str;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::addresses::Address;

/// The active workflows.
#[derive(Default)]
pub(crate) struct ActiveWorkflows {
    listening: HashMap<Str, ActiveWorkflow>,
    /// Those that do not listen, because their triggers cannot say what to.
    silent: HashMap<Str, Arc<LoadedWorkflow>>,
    /// Those whose triggers have not been asked yet, or only for a moment.
    pending: HashMap<Str, Arc<LoadedWorkflow>>,
    /// Those that could not be read.
    unread: HashSet<Str>,
    /// Those that listen to what they compute, which may be something else the next time.
    computing: HashSet<Str>,
    pub(crate) routes: Routes,
}

/// A workflow that listens.
pub(crate) struct ActiveWorkflow {
    pub(crate) workflow: Arc<LoadedWorkflow>,
    pub(crate) listens: Arc<TriggerListeners>,
    pub(crate) addresses: HashSet<Address>,
    pub(crate) timers: HashMap<Str, Timer>,
}

/// What has become of an active workflow.
pub(crate) enum ListenState {
    Listens(ActiveWorkflow),
    Silent(Arc<LoadedWorkflow>),
    Pending(Arc<LoadedWorkflow>),
    Unread,
}

impl ActiveWorkflows {
    /// A workflow that listens.
    pub(crate) fn get(&self, id: &str) -> Option<&Arc<LoadedWorkflow>> {
        self.listening.get(id).map(|active| &active.workflow)
    }

    /// A workflow that was read, whether it listens or not.
    pub(crate) fn known(&self, id: &str) -> Option<&Arc<LoadedWorkflow>> {
        self.get(id).or_else(|| self.silent.get(id)).or_else(|| self.pending.get(id))
    }

    pub(crate) fn listening(&self) -> impl Iterator<Item = &Arc<LoadedWorkflow>> {
        self.listening.values().map(|active| &active.workflow)
    }

    pub(crate) fn n_listening(&self) -> usize {
        self.listening.len()
    }

    pub(crate) fn silent(&self) -> impl Iterator<Item = &Arc<LoadedWorkflow>> {
        self.silent.values()
    }

    pub(crate) fn is_silent(&self, id: &str) -> bool {
        self.silent.contains_key(id)
    }

    pub(crate) fn unread(&self) -> impl Iterator<Item = &Str> {
        self.unread.iter()
    }

    /// Those that do not listen yet, or may listen to something else by now.
    pub(crate) fn undecided(&self) -> impl Iterator<Item = &Arc<LoadedWorkflow>> {
        let computing = self.computing.iter().filter_map(|id| self.get(id));
        self.silent.values().chain(self.pending.values()).chain(computing)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &Str> {
        self.listening
            .keys()
            .chain(self.silent.keys())
            .chain(self.pending.keys())
            .chain(&self.unread)
    }

    pub(crate) fn timer(&self, (workflow, node): &TriggerKey) -> Option<&Timer> {
        self.listening.get(workflow)?.timers.get(node)
    }

    /// What a workflow listens at.
    pub(crate) fn addresses_of(&self, id: &str) -> impl Iterator<Item = &Address> {
        self.listening.get(id).into_iter().flat_map(|active| &active.addresses)
    }

    /// What a workflow listens to.
    pub(crate) fn listens_of(&self, id: &str) -> Option<&Arc<TriggerListeners>> {
        self.listening.get(id).map(|active| &active.listens)
    }

    /// Gives back the workflows, to be dropped when nobody waits for the lock.
    pub(crate) fn remove(&mut self, ids: impl Iterator<Item = Str>) -> Vec<Arc<LoadedWorkflow>> {
        let (mut listened, mut others) = (Vec::new(), Vec::new());
        for id in ids {
            self.unread.remove(&id);
            self.computing.remove(&id);
            match self.listening.remove(&id) {
                Some(active) => listened.push((id, active)),
                None => others.extend(self.silent.remove(&id).or_else(|| self.pending.remove(&id))),
            }
        }
        self.routes.remove(listened.iter().map(|(id, active)| (id, &*active.listens)));
        others.extend(listened.into_iter().map(|(_, active)| active.workflow));
        others
    }

    /// Adds a workflow that is not there. One that cannot listen where it wants to counts as not
    /// read.
    pub(crate) fn add(&mut self, id: Str, state: ListenState) -> Result<(), Error> {
        match state {
            ListenState::Silent(loaded) => drop(self.silent.insert(id, loaded)),
            ListenState::Pending(loaded) => drop(self.pending.insert(id, loaded)),
            ListenState::Unread => drop(self.unread.insert(id)),
            ListenState::Listens(active) => {
                if let Err(error) = self.routes.add(&active.workflow, &active.listens) {
                    self.routes.remove(std::iter::once((&id, &*active.listens)));
                    self.unread.insert(id);
                    return Err(error);
                }
                if active.workflow.computes_listens {
                    self.computing.insert(id.clone());
                }
                self.listening.insert(id, active);
            }
        }
        Ok(())
    }
}
