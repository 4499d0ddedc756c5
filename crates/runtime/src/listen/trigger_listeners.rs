//! What the triggers of a workflow listen to, and how long their expressions may take to say so.

use crate::{Error, LoadedWorkflow, Runtime, lock};
use compute::{Allowance, SectionPermit};
use model::{Code, Object, Str, Value};
use node_api::NodeError;
use node_api::trigger::TriggerListener;
use std::sync::Arc;
use std::time::Duration;
use store::variables::Variable;

/// CPU time that the expressions of all triggers of one workflow may take, each time they are
/// asked.
pub const LISTEN_CPU_TIME: Duration = Duration::from_secs(1);

/// What they may take when they are asked for the first time, so that those that are done in a
/// moment listen before those that are not.
pub(crate) const FIRST_CPU_TIME: Duration = Duration::from_millis(20);

/// What the triggers of a workflow listen to, each with its name.
pub(crate) type TriggerListeners = Vec<(Str, TriggerListener)>;

/// What the triggers of an active workflow listened to when they were last evaluated.
#[derive(Clone, Default)]
pub(crate) enum CachedListeners {
    /// They were not evaluated yet, or not for long enough.
    #[default]
    Unknown,
    Known(Arc<TriggerListeners>),
    Failed(Error),
}

impl CachedListeners {
    pub(crate) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

/// What the expressions of triggers see before any call.
#[derive(Clone, Debug, Default)]
pub struct ListenScope {
    pub now_ms: i64,
    /// `$vars` of the workflow's project.
    pub variables: Object,
}

impl ListenScope {
    pub fn new(now_ms: i64, variables: &[Variable], project: &str) -> Self {
        Self { now_ms, variables: variables_of(variables, project) }
    }
}

/// The variables of everybody, and over them those of a project.
pub(crate) fn variables_of(all: &[Variable], project: &str) -> Object {
    let of = |wanted: Option<&str>| {
        let fitting = all.iter().filter(move |variable| variable.project_id.as_deref() == wanted);
        fitting
            .map(|variable| (variable.key.clone(), Value::from(variable.value.clone())))
            .collect::<Vec<_>>()
    };
    of(None).into_iter().chain(of(Some(project))).collect()
}

impl Runtime {
    /// What triggers of a project see, with the variables as they are kept now.
    pub async fn listen_scope(&self, project: &str) -> Result<ListenScope, Error> {
        Ok(ListenScope::new(self.now_ms(), &self.store.variables().await?, project))
    }
}

impl LoadedWorkflow {
    /// What its triggers listen to, per node. Nodes that only wake waiting runs are left out.
    pub fn listens(&self, scope: &ListenScope) -> Result<Vec<(Str, TriggerListener)>, Error> {
        if self.computes_listens {
            within_cpu_limit("", || self.evaluate_triggers(scope))
        } else {
            self.evaluate_triggers(scope)
        }
    }

    /// The same for somebody who can wait for their turn, within some CPU time, and with what it
    /// took.
    pub(crate) async fn find_listens(
        &self,
        scope: &ListenScope,
        limit: Duration,
    ) -> (Result<TriggerListeners, Error>, Duration) {
        if !self.computes_listens {
            return (self.evaluate_triggers(scope), Duration::ZERO);
        }
        let allowance = Allowance::new(limit, limit);
        let listens =
            SectionPermit::wait().await.within(&allowance, || self.evaluate_triggers(scope));
        (listens, allowance.used())
    }

    /// What one node listens to, its expressions evaluated as far as they need no run.
    pub fn listens_of(
        &self,
        name: &str,
        scope: &ListenScope,
    ) -> Result<Vec<TriggerListener>, Error> {
        let computes = self.plan.node(name).is_some_and(engine::PlanNode::has_expressions);
        if computes {
            within_cpu_limit(name, || self.node_listeners(name, scope))
        } else {
            self.node_listeners(name, scope)
        }
    }

    fn node_listeners(
        &self,
        name: &str,
        scope: &ListenScope,
    ) -> Result<Vec<TriggerListener>, Error> {
        let failed = |error| Error::Trigger { node: name.into(), error };
        let params =
            self.plan.static_params(name, scope.now_ms, &scope.variables).map_err(failed)?;
        self.with_trigger(name, &params, scope.now_ms, "UTC", |node_type, setup| {
            node_type.listeners(setup)
        })
        .map(Option::unwrap_or_default)
    }

    /// The same with its expressions as they are written, for nodes that only a run gives values.
    pub fn listens_as_written(
        &self,
        name: &str,
        now_ms: i64,
    ) -> Result<Vec<TriggerListener>, Error> {
        let params = self.plan.node(name).map(|node| node.raw_params.clone()).unwrap_or_default();
        self.with_trigger(name, &params, now_ms, "UTC", |node_type, setup| {
            node_type.listeners(setup)
        })
        .map(Option::unwrap_or_default)
    }

    fn evaluate_triggers(&self, scope: &ListenScope) -> Result<TriggerListeners, Error> {
        let mut all = Vec::new();
        for node in self.plan.nodes.iter().filter(|node| !node.disabled && node.is_trigger()) {
            for listen in self.node_listeners(&node.info.name, scope)? {
                all.push((node.info.name.clone(), listen));
            }
        }
        Ok(all)
    }

    /// Where its triggers listen, as far as that is written down and not computed. Those that are
    /// mistaken are left out.
    pub(crate) fn static_listeners(&self, now_ms: i64) -> TriggerListeners {
        let mut all = Vec::new();
        for node in self.plan.nodes.iter().filter(|node| !node.disabled && node.is_trigger()) {
            let (name, params) = (&node.info.name, node.written_without_guards());
            let listeners = self.with_trigger(name, &params, now_ms, "UTC", |node_type, setup| {
                node_type.listeners(setup)
            });
            all.extend(
                listeners
                    .ok()
                    .flatten()
                    .unwrap_or_default()
                    .into_iter()
                    .map(|listen| (name.clone(), listen)),
            );
        }
        all
    }

    pub(crate) fn cached_listeners(&self) -> CachedListeners {
        lock(&self.listeners).clone()
    }

    pub(crate) fn cache_listeners(&self, listeners: Result<TriggerListeners, Error>) {
        *lock(&self.listeners) = match listeners {
            Ok(listeners) => CachedListeners::Known(Arc::new(listeners)),
            Err(error) => CachedListeners::Failed(error),
        };
    }

    /// Whether its triggers are to be asked when the active workflows are read again. One that took
    /// too long once would again.
    pub(crate) fn needs_evaluation(&self) -> bool {
        match self.cached_listeners() {
            CachedListeners::Unknown => true,
            CachedListeners::Failed(error) if is_cpu_timeout(&error) => false,
            CachedListeners::Known(_) | CachedListeners::Failed(_) => self.computes_listens,
        }
    }
}

/// Inside of somebody's allowance, that one holds.
fn within_cpu_limit<T>(node: &str, ask: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    let busy = |busy: compute::Overloaded| Error::Trigger {
        node: node.into(),
        error: NodeError::new(Code::OVERLOAD, busy.to_string()),
    };
    compute::within(&Allowance::new(LISTEN_CPU_TIME, LISTEN_CPU_TIME), ask).map_err(busy)?
}

/// Whether a workflow cannot listen because its triggers compute for too long.
pub fn is_cpu_timeout(error: &Error) -> bool {
    matches!(error, Error::Trigger { error, .. } if error.code() == Code::SANDBOX_TIME)
}
