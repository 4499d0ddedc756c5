//! Test addresses: a workflow as it was last saved listens for one call, whether or not it is
//! active.
//!
//! Invariant: a test address belongs to one project at a time. Whoever is active at it has it, and
//! otherwise who has listened there of late; of two that want it, the one whose workflow has named
//! it for longer gets it.

use crate::listen::addresses::{address_taken, claims_of};
use crate::listen::routes::{RouteMatch, Routes, TestRun, TriggerEndpoint};
use crate::loaded_workflow::LoadedWorkflow;
use crate::{Error, Runtime, lock};
use model::{Code, RunRange, Str};
use node_api::NodeError;
use node_api::trigger::TriggerListener;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::addresses::{Address, AddressClaim, EndpointKind};

/// How long a test address listens.
const LISTENS_MS: i64 = 120_000;

/// How long an address stays with the project that has listened there.
const RESERVED_MS: i64 = 24 * 60 * 60 * 1000;

/// Workflows that may listen for a test call at once, and addresses that are kept for one project.
const MAX_LISTENERS: usize = 1_000;
const MAX_RESERVED: usize = 500;

/// Versions of a workflow that are looked through to see since when it has named an address.
const VERSIONS_READ: usize = 20;

/// A workflow that listens for a test call.
struct TestListener {
    workflow: Arc<LoadedWorkflow>,
    routes: Routes,
    claims: Vec<AddressClaim>,
    until_ms: i64,
}

/// Whose an address is while nobody listens there.
struct ReservedAddress {
    workflow_id: Str,
    project_id: Str,
    until_ms: i64,
}

/// The workflows that listen for a test call, and what has been listened at of late.
#[derive(Default)]
pub(crate) struct TestListeners {
    listening: HashMap<Str, TestListener>,
    reserved: HashMap<Address, ReservedAddress>,
}

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

impl TestListeners {
    fn end_old(&mut self, now_ms: i64) {
        let ended: Vec<Str> = self
            .listening
            .iter()
            .filter(|(_, one)| one.until_ms <= now_ms)
            .map(|(id, _)| id.clone())
            .collect();
        for id in ended {
            self.end(&id);
        }
    }

    /// Ends a test. Its addresses stay with the project for a while.
    fn end(&mut self, id: &str) -> bool {
        let Some(TestListener { workflow, claims, until_ms, .. }) = self.listening.remove(id)
        else {
            return false;
        };
        self.keep(&workflow, claims.into_iter().map(|claim| claim.address), until_ms + RESERVED_MS);
        true
    }

    fn keep(
        &mut self,
        workflow: &LoadedWorkflow,
        addresses: impl Iterator<Item = Address>,
        until_ms: i64,
    ) {
        let mut n_kept =
            self.reserved.values().filter(|kept| kept.project_id == workflow.project_id).count();
        for address in addresses {
            let kept = ReservedAddress {
                workflow_id: workflow.id.clone(),
                project_id: workflow.project_id.clone(),
                until_ms,
            };
            if n_kept < MAX_RESERVED || self.reserved.contains_key(&address) {
                self.reserved.insert(address, kept);
                n_kept += 1;
            }
        }
    }

    /// The workflows of other projects that a claim is in the way of, each with the claim. Of one's
    /// own project, nobody else may be listening there.
    fn rivals(
        &mut self,
        workflow: &LoadedWorkflow,
        claims: &[AddressClaim],
        now_ms: i64,
    ) -> Result<HashSet<(Str, Address)>, Error> {
        self.end_old(now_ms);
        self.reserved.retain(|_, kept| kept.until_ms > now_ms);
        let mut rivals = HashSet::new();
        for claim in claims {
            let address = &claim.address;
            let listening = self.listening.iter().filter(|(id, _)| **id != workflow.id);
            for (id, other) in listening.filter(|(_, other)| {
                other.claims.iter().any(|theirs| theirs.address.overlaps(address))
            }) {
                if other.workflow.project_id == workflow.project_id {
                    return Err(address_in_test(claim));
                }
                rivals.insert((id.clone(), address.clone()));
            }
            let kept = self.reserved.iter().filter(|(known, kept)| {
                kept.project_id != workflow.project_id && known.overlaps(address)
            });
            rivals.extend(kept.map(|(_, kept)| (kept.workflow_id.clone(), address.clone())));
        }
        Ok(rivals)
    }

    fn displace(&mut self, rivals: &HashSet<(Str, Address)>) {
        for (id, address) in rivals {
            self.listening.remove(id);
            self.reserved.retain(|known, kept| kept.workflow_id != *id || !known.overlaps(address));
        }
    }
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
            matches!(listen, TriggerListener::Webhook(_) | TriggerListener::Form(_))
                && node.is_none_or(|wanted| name == wanted)
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
        let mut trials = lock(&self.test_listeners);
        // Somebody may have come meanwhile.
        if !trials.rivals(loaded, &claims, self.now_ms())?.is_subset(&weaker) {
            return Err(Error::Contended);
        }
        trials.displace(&weaker);
        if trials.listening.len() >= MAX_LISTENERS && !trials.listening.contains_key(id) {
            return Err(Error::Overload);
        }
        trials
            .listening
            .insert(id.into(), TestListener { workflow: loaded.clone(), routes, claims, until_ms });
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

    /// Keeps the addresses of a workflow that is about to listen no more for its project, for a
    /// while.
    pub(crate) fn keep_addresses(&self, id: &str) {
        let (loaded, addresses) = {
            let active = self.active();
            (active.known(id).cloned(), active.addresses_of(id).cloned().collect::<Vec<_>>())
        };
        if let Some(loaded) = loaded {
            lock(&self.test_listeners).keep(
                &loaded,
                addresses.into_iter(),
                self.now_ms() + RESERVED_MS,
            );
        }
    }

    /// Stops listening for a test call; `false` if nothing listened.
    pub fn end_test(&self, id: &str) -> bool {
        let mut trials = lock(&self.test_listeners);
        trials.end_old(self.now_ms());
        trials.end(id)
    }

    /// What a call of a test address finds.
    pub fn find_test(&self, door: EndpointKind, method: &str, path: &str) -> RouteMatch {
        let mut trials = lock(&self.test_listeners);
        trials.end_old(self.now_ms());
        let mut others = Vec::new();
        for listening in trials.listening.values() {
            match listening.routes.find(door, method, path) {
                RouteMatch::Nothing => {}
                RouteMatch::OtherMethods(methods) => others.extend(methods),
                found @ RouteMatch::Hook(..) => return found,
            }
        }
        if others.is_empty() { RouteMatch::Nothing } else { RouteMatch::OtherMethods(others) }
    }

    /// Takes the one call that a test waits for; `false` if another call was first.
    pub fn take_test(&self, hook: &TriggerEndpoint) -> bool {
        let mut trials = lock(&self.test_listeners);
        trials.end_old(self.now_ms());
        // Somebody may have begun to listen with another draft since the call was found.
        let id = &hook.workflow.id;
        let is_its = trials
            .listening
            .get(id)
            .is_some_and(|listening| Arc::ptr_eq(&listening.workflow, &hook.workflow));
        is_its && trials.end(id)
    }
}

/// Another workflow tries an address out, or has done so of late. Which one that is, is none of the
/// caller's business.
fn address_in_test(claim: &AddressClaim) -> Error {
    let message =
        format!("Another test already listens at {} /{}", claim.address.method, claim.path);
    let error = NodeError::new(Code::WEBHOOK_TAKEN, message).hint(
        "Change the path, or wait: an address becomes free one day after another project last \
             listened there.",
    );
    Error::Trigger { node: claim.node.clone(), error }
}

fn addresses_of(node: &Str, listen: &TriggerListener) -> Vec<TestAddress> {
    let address = |door: EndpointKind, method: &Str, path: &Str| TestAddress {
        node: node.clone(),
        kind: door,
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
        TriggerListener::Chat(_) | TriggerListener::Clock(_) | TriggerListener::Poll(_) => {
            Vec::new()
        }
    }
}
