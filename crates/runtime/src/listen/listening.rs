//! What the active workflows listen at, as callers and lists see it, and what another process
//! changes.

use crate::listen::trigger_listeners::CachedListeners;
use crate::{EndpointKind, Error, LoadedWorkflow, RouteMatch, Runtime, TriggerEndpoint};
use model::Str;
use std::sync::Arc;
use std::time::Duration;

/// How often changes by other processes are read.
const RELOAD_INTERVAL: Duration = Duration::from_secs(1);

impl Runtime {
    /// What a call of an address finds.
    pub fn find(&self, kind: EndpointKind, method: &str, path: &str) -> RouteMatch {
        self.active().routes.find(kind, method, path)
    }

    /// Refuses a call of an address that nothing listens at any more: it was found before its body
    /// was read.
    pub(crate) fn check_listens(&self, hook: &TriggerEndpoint) -> Result<(), Error> {
        let listens = hook.test_run.is_some() || self.active().get(&hook.workflow.id).is_some();
        if listens { Ok(()) } else { Err(Error::NotListening) }
    }

    /// Every workflow that is active.
    pub fn active_workflows(&self) -> Vec<Arc<LoadedWorkflow>> {
        let mut workflows: Vec<_> = self.active().listening().cloned().collect();
        workflows.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        workflows
    }

    /// Workflows that are active and do not listen, with the reason.
    pub fn silent_workflows(&self) -> Vec<(Str, Error)> {
        let active = self.active();
        let failed = active.silent().filter_map(|loaded| match loaded.cached_listeners() {
            CachedListeners::Failed(error) => Some((loaded.id.clone(), error)),
            CachedListeners::Unknown | CachedListeners::Known(_) => None,
        });
        failed.collect()
    }

    /// Methods and paths of the webhooks there are, in order.
    pub fn addresses(&self) -> Vec<(Str, Str)> {
        self.active().routes.addresses()
    }

    /// The addresses of chats that are pages anybody may open.
    pub fn chat_pages(&self) -> Vec<Str> {
        self.active().routes.chat_pages()
    }

    pub fn n_active(&self) -> usize {
        self.active().n_listening()
    }

    /// Other processes may import and activate workflows beside us.
    pub(crate) async fn watch(self: Arc<Self>) {
        loop {
            tokio::select! {
                biased;
                () = self.stopping.cancelled() => return,
                () = tokio::time::sleep(RELOAD_INTERVAL) => {}
            }
            if let Err(error) = self.reload().await {
                tracing::error!(%error, "Could not read workflows and variables.");
            }
        }
    }
}
