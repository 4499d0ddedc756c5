//! Test addresses: a workflow as it was last saved listens for one call, whether or not it is
//! active.
//!
//! Invariant: a test address belongs to one project at a time. Whoever is active at it has it, and
//! otherwise who has listened there of late; of two that want it, the one whose workflow has named
//! it for longer gets it.

mod registry;

pub(crate) use registry::TestListeners;

use crate::listen::addresses::{address_taken, claims_of};
use crate::listen::routes::{RouteMatch, Routes, TestRun, TriggerEndpoint};
use crate::loaded_workflow::LoadedWorkflow;
use crate::{Error, Runtime, lock};
use model::{RunRange, Str};
use node_api::trigger::{MCP_METHOD, TriggerListener};
use registry::{TestListener, address_in_test};
use std::collections::HashSet;
use std::sync::{Arc, MutexGuard};
use store::addresses::{Address, AddressClaim, EndpointKind};

/// How long a test address listens.
const LISTENS_MS: i64 = 120_000;

/// Versions of a workflow that are looked through to see since when it has named an address.
const VERSIONS_READ: usize = 20;

/// Where and how long a test call is waited for.
#[derive(Clone, Debug)]
pub struct TestAddresses {
    pub until_ms: i64,
    pub addresses: Vec<TestAddress>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestAddress {
    pub node: Str,
    pub kind: EndpointKind,
    pub method: Str,
    pub path: Str,
}

impl Runtime {
    /// Lets a workflow listen for one test call. A further request replaces the one before.
    ///
    /// `node` keeps to one trigger; the run stops after `destination`.
    pub async fn listen_for_test(
        &self,
        id: &str,
        node: Option<&str>,
        destination: Option<Str>,
    ) -> Result<TestAddresses, Error> {
        let stored =
            self.store.workflow(id).await?.ok_or_else(|| Error::NoWorkflow { id: id.into() })?;
        let loaded = Arc::new(LoadedWorkflow::new(&stored, &self.engine)?);
        self.listen_with(&loaded, node, RunRange::until(destination)).await
    }

    /// The same for a workflow that is loaded, stored or not.
    pub(crate) async fn listen_with(
        &self,
        loaded: &Arc<LoadedWorkflow>,
        node: Option<&str>,
        extent: RunRange,
    ) -> Result<TestAddresses, Error> {
        let id = loaded.id.as_str();
        let mut listens = loaded.listens(&self.listen_scope(&loaded.project_id).await?)?;
        listens.retain(|(name, listen)| {
            takes_test_calls(listen) && node.is_none_or(|wanted| name == wanted)
        });
        if listens.is_empty() {
            return Err(Error::NoTrigger);
        }
        let claims = claims_of(&listens)?;
        let mut routes = Routes::default();
        routes.add_as(loaded, &listens, Some(&TestRun { extent }))?;
        let addresses = listens
            .iter()
            .flat_map(|(node, listen)| addresses_of(node, listen))
            .collect::<Vec<_>>();
        // Whoever is active at an address is the only one that tries it out, too, whether or not it
        // listens at the moment.
        let held = self.store.addresses().await?;
        let is_foreign = |claim: &&AddressClaim| {
            held.iter().any(|(other, known)| other != id && known.overlaps(&claim.address))
        };
        if let Some(claim) = claims.iter().find(is_foreign) {
            return Err(address_taken(claim.clone()));
        }
        let weaker = self.weaker_rivals(loaded, &claims).await?;
        let until_ms = self.now_ms() + LISTENS_MS;
        let mut listeners = lock(&self.test_listeners);
        // Another workflow may have begun to listen meanwhile.
        if !listeners.rivals(loaded, &claims, self.now_ms())?.is_subset(&weaker) {
            return Err(Error::Contended);
        }
        listeners.displace(&weaker);
        let workflow = loaded.clone();
        listeners.insert(TestListener { workflow, routes, claims, until_ms })?;
        Ok(TestAddresses { until_ms, addresses })
    }

    /// Those that have to give way to a workflow; an error if one of them has named an address for
    /// as long.
    async fn weaker_rivals(
        &self,
        loaded: &LoadedWorkflow,
        claims: &[AddressClaim],
    ) -> Result<HashSet<(Str, Address)>, Error> {
        let rivals = lock(&self.test_listeners).rivals(loaded, claims, self.now_ms())?;
        for (rival, address) in &rivals {
            let is_weaker = match self.named_since(&loaded.id, |known| known == address).await? {
                None => false,
                Some(since) => self
                    .named_since(rival, |known| known.overlaps(address))
                    .await?
                    .is_none_or(|theirs| since < theirs),
            };
            if !is_weaker {
                return Err(claims
                    .iter()
                    .find(|claim| claim.address == *address)
                    .map_or(Error::Contended, address_in_test));
            }
        }
        Ok(rivals)
    }

    /// Since when all saved versions of a workflow have named an address; `None` if the newest does
    /// not, or computes it.
    async fn named_since(
        &self,
        id: &str,
        is_meant: impl Fn(&Address) -> bool,
    ) -> Result<Option<i64>, Error> {
        let Some(mut stored) = self.store.workflow(id).await? else { return Ok(None) };
        let mut since = None;
        for version in self.store.versions(id).await?.into_iter().take(VERSIONS_READ) {
            let Some(document) = self.store.version(&version.id).await? else { break };
            stored.document = document;
            let Ok(loaded) = LoadedWorkflow::new(&stored, &self.engine) else { break };
            let claims = claims_of(&loaded.static_listeners(self.now_ms())).unwrap_or_default();
            if !claims.iter().any(|claim| is_meant(&claim.address)) {
                break;
            }
            since = Some(version.created_ms);
        }
        Ok(since)
    }

    /// Reserves the addresses of a workflow that is being deactivated for its project.
    pub(crate) fn reserve_addresses(&self, id: &str) {
        let (loaded, addresses) = {
            let active = self.active();
            (active.known(id).cloned(), active.addresses_of(id).cloned().collect::<Vec<_>>())
        };
        if let Some(loaded) = loaded {
            let mut listeners = lock(&self.test_listeners);
            listeners.reserve(&loaded, addresses.into_iter(), self.now_ms());
        }
    }

    /// Stops listening for a test call; `false` if nothing listened.
    pub fn end_test(&self, id: &str) -> bool {
        self.current_test_listeners().end(id)
    }

    /// What a call of a test address finds.
    pub fn find_test(&self, kind: EndpointKind, method: &str, path: &str) -> RouteMatch {
        let mut others = Vec::new();
        for listener in self.current_test_listeners().listening() {
            match listener.routes.find(kind, method, path) {
                RouteMatch::Nothing => {}
                RouteMatch::OtherMethods(methods) => others.extend(methods),
                found @ RouteMatch::Hook(..) => return found,
            }
        }
        if others.is_empty() { RouteMatch::Nothing } else { RouteMatch::OtherMethods(others) }
    }

    /// Takes the one call that a test waits for; `false` if another call was first.
    pub fn take_test(&self, endpoint: &TriggerEndpoint) -> bool {
        let mut listeners = self.current_test_listeners();
        // Somebody may have begun to listen with another draft since the call was found.
        let id = &endpoint.workflow.id;
        let is_same = listeners
            .get(id)
            .is_some_and(|listener| Arc::ptr_eq(&listener.workflow, &endpoint.workflow));
        is_same && listeners.end(id)
    }

    fn current_test_listeners(&self) -> MutexGuard<'_, TestListeners> {
        let mut listeners = lock(&self.test_listeners);
        listeners.remove_expired(self.now_ms());
        listeners
    }
}

/// Whether something can listen for one test call.
pub(crate) fn takes_test_calls(listen: &TriggerListener) -> bool {
    matches!(
        listen,
        TriggerListener::Webhook(_) | TriggerListener::Form(_) | TriggerListener::Mcp(_)
    )
}

fn addresses_of(node: &Str, listen: &TriggerListener) -> Vec<TestAddress> {
    let address = |kind: EndpointKind, method: &Str, path: &Str| TestAddress {
        node: node.clone(),
        kind,
        method: method.clone(),
        path: path.trim_matches('/').into(),
    };
    match listen {
        TriggerListener::Webhook(route) => route
            .methods
            .iter()
            .map(|method| address(EndpointKind::Webhook, method, &route.path))
            .collect(),
        TriggerListener::Form(form) => {
            vec![address(EndpointKind::Form, &"GET".into(), &form.route.path)]
        }
        TriggerListener::Mcp(route) => {
            vec![address(EndpointKind::Mcp, &MCP_METHOD.into(), &route.path)]
        }
        TriggerListener::Chat(_) | TriggerListener::Clock(_) | TriggerListener::Poll(_) => {
            Vec::new()
        }
    }
}
