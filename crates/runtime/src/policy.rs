//! The operator's policy about tool calls: read from the store, followed as it changes, and asked
//! before every call.
//!
//! Invariant: what cannot be read forbids. Invariant: a stop reaches running agents through
//! [`Policy::wait_for`], without their asking.

pub(crate) mod counters;
mod document;
mod dry_run;

pub use document::{MAX_POLICY_BYTES, PolicyError, StopTarget};
pub use dry_run::{ChangedCall, DryRun, MAX_DRY_RUN_CALLS};

use crate::{Error, Runtime};
use counters::Counters;
use model::Str;
use node_api::policy::{
    PolicyCall, PolicyDecision, PolicyRules, PolicySubject, RateExceeded, ToolPolicy,
};
use std::sync::Arc;
use std::time::Duration;
use store::Store;
use store::policies::StoredPolicy;
use tokio::sync::watch;

/// How often another process's change is looked for.
const REFRESH_INTERVAL: Duration = Duration::from_millis(500);

/// What policy an instance has that has none yet.
pub const EMPTY_POLICY: &str = "\
# Rules about the tools that agents call. Nothing is restricted yet. Keys: docs/policy.md
";

/// Reads a text as a policy, without putting it in force.
pub fn check(text: &str) -> Result<PolicyRules, PolicyError> {
    document::parse(text)
}

/// The policy of this instance.
pub struct Policy {
    store: Arc<dyn Store>,
    current: watch::Sender<Arc<LoadedPolicy>>,
    counters: Counters,
}

/// A policy as it is in force.
#[derive(Clone, Debug)]
pub struct LoadedPolicy {
    pub stored: StoredPolicy,
    pub rules: PolicyRules,
    /// Why it cannot be used: every call is refused then.
    pub problem: Option<PolicyError>,
}

impl LoadedPolicy {
    fn new(stored: StoredPolicy) -> Self {
        match document::parse(&stored.text) {
            Ok(rules) => Self { stored, rules, problem: None },
            Err(problem) => {
                tracing::error!(%problem, version = stored.version, "The policy cannot be used. All tool calls are refused.");
                Self { stored, rules: document::deny_all(), problem: Some(problem) }
            }
        }
    }
}

impl Policy {
    pub async fn open(store: Arc<dyn Store>) -> Result<Arc<Self>, Error> {
        let stored = newest(&*store).await?;
        let (current, _) = watch::channel(Arc::new(LoadedPolicy::new(stored)));
        Ok(Arc::new(Self { store, current, counters: Counters::default() }))
    }

    pub fn current(&self) -> Arc<LoadedPolicy> {
        self.current.borrow().clone()
    }

    /// The versions before, newest first.
    pub async fn history(&self, limit: usize) -> Result<Vec<StoredPolicy>, Error> {
        Ok(self.store.policies(limit).await?)
    }

    /// Puts a text in force, if it can be used and the version in force is the one that was seen.
    pub async fn replace(&self, text: &str, seen: i64, by: &str) -> Result<i64, PolicyError> {
        document::parse(text)?;
        let set = self.store.set_policy(text, seen, by).await.map_err(PolicyError::Store)?;
        let Some(stored) = set else { return Err(PolicyError::Changed) };
        let version = stored.version;
        self.install(stored);
        Ok(version)
    }

    /// Stops tools, servers or agents from now on, and gives the stop's name.
    pub async fn stop(
        &self,
        target: &StopTarget,
        reason: &str,
        by: &str,
    ) -> Result<Str, PolicyError> {
        self.edit(by, |text| document::with_stop(text, target, reason)).await
    }

    /// Lets go on what a stop was about.
    pub async fn remove_stop(&self, name: &str, by: &str) -> Result<(), PolicyError> {
        self.edit(by, |text| document::without_stop(text, name).map(|text| (text, ()))).await
    }

    async fn edit<T>(
        &self,
        by: &str,
        change: impl Fn(&str) -> Result<(String, T), PolicyError>,
    ) -> Result<T, PolicyError> {
        /// How often somebody else may be quicker.
        const TRIES: usize = 5;
        for _ in 0..TRIES {
            let stored = newest(&*self.store).await.map_err(PolicyError::Store)?;
            let (text, made) = change(&stored.text)?;
            match self.replace(&text, stored.version, by).await {
                Err(PolicyError::Changed) => {}
                other => return other.map(|_| made),
            }
        }
        Err(PolicyError::Changed)
    }

    /// Reads the policy again if another process has changed it.
    pub(crate) async fn refresh(&self) -> Result<(), Error> {
        if self.store.policy_version().await? != self.current().stored.version {
            let stored = newest(&*self.store).await?;
            self.install(stored);
        }
        Ok(())
    }

    fn install(&self, stored: StoredPolicy) {
        self.current.send_if_modified(|current| {
            let is_newer = stored.version > current.stored.version;
            if is_newer {
                tracing::info!(version = stored.version, by = %stored.changed_by, "The policy has changed.");
                *current = Arc::new(LoadedPolicy::new(stored));
            }
            is_newer
        });
    }

    /// Returns once the policy gives an answer to this.
    async fn wait_for<T>(&self, answer: impl Fn(&PolicyRules) -> Option<T>) -> T {
        let mut changes = self.current.subscribe();
        loop {
            let loaded = changes.borrow_and_update().clone();
            if let Some(found) = answer(&loaded.rules) {
                return found;
            }
            if changes.changed().await.is_err() {
                // The instance ends; so does whoever waits.
                std::future::pending::<()>().await;
            }
        }
    }
}

#[async_trait::async_trait]
impl ToolPolicy for Policy {
    fn decide(&self, call: &PolicyCall<'_>) -> PolicyDecision {
        self.current.borrow().rules.decide(call)
    }

    fn count(&self, call: &PolicyCall<'_>, now_ms: i64) -> Result<(), RateExceeded> {
        let loaded = self.current();
        self.counters.count(loaded.stored.version, &loaded.rules, call, now_ms)
    }

    async fn wait_agent_stopped(&self, agent: &PolicySubject) -> Str {
        self.wait_for(|rules| rules.stop_of_agent(agent).map(|stop| stop.reason.clone())).await
    }

    async fn wait_call_stopped(&self, call: &PolicyCall<'_>) -> Str {
        self.wait_for(|rules| rules.stop_of_call(call).map(|stop| stop.reason.clone())).await
    }
}

async fn newest(store: &dyn Store) -> Result<StoredPolicy, store::Error> {
    let none = || StoredPolicy {
        version: 0,
        text: EMPTY_POLICY.into(),
        changed_by: Str::new(),
        changed_ms: 0,
    };
    Ok(store.policies(1).await?.into_iter().next().unwrap_or_else(none))
}

impl Runtime {
    /// Follows changes of the policy that other processes make.
    pub(crate) async fn watch_policy(self: Arc<Self>) {
        loop {
            tokio::select! {
                () = self.stopping.cancelled() => return,
                () = tokio::time::sleep(REFRESH_INTERVAL) => {}
            }
            if let Err(error) = self.policy.refresh().await {
                tracing::warn!(%error, "Could not look for changes of the policy.");
            }
        }
    }
}
