//! Lets the triggers of workflows say what they listen to, within some CPU time.

use crate::listen::trigger_listeners::{FIRST_CPU_TIME, LISTEN_CPU_TIME};
use crate::{Error, ListenScope, LoadedWorkflow, Runtime};
use model::{Object, Str};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// CPU time after which the triggers of no further workflow are asked at once, so that many that
/// compute hold nobody up: neither who activates a workflow, nor the start of the server.
const RELOAD_CPU_TIME: Duration = Duration::from_secs(2);

impl Runtime {
    /// Evaluates triggers in this order: those that compute nothing, those that were never
    /// evaluated (for a moment each), those of them that need longer, and then those that may
    /// listen to something else by now, which stay as they are if there is no time left. `false` if
    /// some are left for the next time.
    pub(super) async fn evaluate_all<'l>(
        &self,
        workflows: impl Iterator<Item = &'l Arc<LoadedWorkflow>>,
    ) -> Result<bool, Error> {
        let due = workflows.filter(|loaded| loaded.needs_evaluation());
        let (new, known): (Vec<_>, Vec<_>) =
            due.partition(|loaded| loaded.cached_listeners().is_unknown());
        let (computing, plain): (Vec<_>, Vec<_>) =
            new.into_iter().partition(|loaded| loaded.computes_listens);
        let mut used = Duration::ZERO;
        self.evaluate_some(plain, LISTEN_CPU_TIME, &mut used).await?;
        let (_, quick) = split_slow(&computing);
        self.evaluate_some(quick, FIRST_CPU_TIME, &mut used).await?;
        // Those that were not done in a moment are slow from now on.
        let (slow, _) = split_slow(&computing);
        self.evaluate_some(slow, LISTEN_CPU_TIME, &mut used).await?;
        let (slow, quick) = split_slow(&known);
        self.evaluate_some(quick, LISTEN_CPU_TIME, &mut used).await?;
        self.evaluate_some(slow, LISTEN_CPU_TIME, &mut used).await?;
        Ok(!computing.iter().any(|loaded| loaded.cached_listeners().is_unknown()))
    }

    fn scope_of(&self, loaded: &LoadedWorkflow) -> ListenScope {
        let variables = if loaded.computes_listens {
            self.runner.variables_of(&loaded.project_id)
        } else {
            Object::new()
        };
        ListenScope { now_ms: self.now_ms(), variables }
    }

    /// Evaluates some for so long each, until all the time for it is used. Projects take turns, so
    /// that one with many workflows delays no other.
    async fn evaluate_some(
        &self,
        workflows: Vec<&Arc<LoadedWorkflow>>,
        limit: Duration,
        used: &mut Duration,
    ) -> Result<(), Error> {
        for loaded in in_turn(workflows) {
            if *used >= RELOAD_CPU_TIME {
                break;
            }
            // One that the process has died of is deactivated instead.
            if !self.begin_activation(&loaded.id).await? {
                continue;
            }
            let (listeners, took) = loaded.find_listens(&self.scope_of(loaded), limit).await;
            *used += took;
            if limit < LISTEN_CPU_TIME && took >= limit {
                loaded.is_slow.store(true, Ordering::Relaxed);
            } else {
                loaded.cache_listeners(listeners);
            }
            self.end_activation(&loaded.id).await?;
        }
        Ok(())
    }
}

/// The slow ones, and the others.
fn split_slow<'l>(
    workflows: &[&'l Arc<LoadedWorkflow>],
) -> (Vec<&'l Arc<LoadedWorkflow>>, Vec<&'l Arc<LoadedWorkflow>>) {
    workflows.iter().copied().partition(|loaded| loaded.is_slow.load(Ordering::Relaxed))
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
