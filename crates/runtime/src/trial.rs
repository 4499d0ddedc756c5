//! Test addresses: a workflow as it was last saved listens for one call, whether or not it is active.

use crate::addresses::{claims_of, taken};
use crate::loaded::Loaded;
use crate::routes::{Found, Hook, Routes, Trial};
use crate::{Error, Runtime, lock};
use model::{Code, Extent, Str};
use node_api::NodeError;
use node_api::trigger::Listen;
use std::collections::HashMap;
use std::sync::Arc;
use store::addresses::{Claim, Door};

/// How long a test address listens.
const LISTENS_MS: i64 = 120_000;

/// Workflows that may listen for a test call at once.
const AT_ONCE: usize = 1_000;

/// A workflow that listens for a test call.
pub(crate) struct Listening {
    workflow: Arc<Loaded>,
    routes: Routes,
    claims: Vec<Claim>,
    until_ms: i64,
}

pub(crate) type Trials = HashMap<Str, Listening>;

/// Where and how long a test call is waited for.
#[derive(Clone, Debug)]
pub struct TestAddresses {
    pub until_ms: i64,
    pub addresses: Vec<TestAddress>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestAddress {
    pub node: Str,
    pub door: Door,
    pub method: Str,
    pub path: Str,
}

impl Runtime {
    /// Lets a workflow listen for one test call. A further request replaces the one before.
    ///
    /// `node` keeps to one trigger; the run stops after `destination`.
    pub async fn listen_for_test(&self, id: &str, node: Option<&str>, destination: Option<Str>) -> Result<TestAddresses, Error> {
        let stored = self.store.workflow(id).await?.ok_or_else(|| Error::NoWorkflow { id: id.into() })?;
        let loaded = Arc::new(Loaded::new(&stored, &self.engine)?);
        self.listen_with(&loaded, node, Extent::until(destination))
    }

    /// The same for a workflow that is loaded, stored or not.
    pub(crate) fn listen_with(&self, loaded: &Arc<Loaded>, node: Option<&str>, extent: Extent) -> Result<TestAddresses, Error> {
        let id = loaded.id.as_str();
        let mut listens = loaded.listens(self.now_ms())?;
        listens.retain(|(name, listen)| matches!(listen, Listen::Webhook(_) | Listen::Form(_)) && node.is_none_or(|wanted| name == wanted));
        if listens.is_empty() {
            return Err(Error::NoTrigger);
        }
        let claims = claims_of(&listens)?;
        let mut routes = Routes::default();
        routes.add_as(loaded, &listens, Some(&Trial { extent }))?;
        let addresses = listens.iter().flat_map(|(node, listen)| addresses_of(node, listen)).collect::<Vec<_>>();
        let until_ms = self.now_ms() + LISTENS_MS;
        // Whoever listens at an address is the only one that tries it out, too.
        let active = self.active();
        let is_foreign = |claim: &&Claim| active.addresses.iter().any(|(other, known)| other != id && known.overlaps(&claim.address));
        if let Some(claim) = claims.iter().find(is_foreign) {
            return Err(taken(claim.clone()));
        }
        let mut trials = lock(&self.trials);
        self.forget_old(&mut trials);
        let others: Vec<&Claim> = trials.iter().filter(|(other, _)| *other != id).flat_map(|(_, other)| &other.claims).collect();
        let is_tried = |claim: &&Claim| others.iter().any(|other| other.address.overlaps(&claim.address));
        if let Some(claim) = claims.iter().find(is_tried) {
            let message = format!("Another test listens at {} /{} already", claim.address.method, claim.path);
            let error = NodeError::new(Code::WEBHOOK_TAKEN, message).hint("Wait until it has ended, or change the path.");
            return Err(Error::Trigger { node: claim.node.clone(), error });
        }
        if trials.len() >= AT_ONCE {
            return Err(Error::Overload);
        }
        trials.insert(id.into(), Listening { workflow: loaded.clone(), routes, claims, until_ms });
        Ok(TestAddresses { until_ms, addresses })
    }

    /// Stops listening for a test call; `false` if nothing listened.
    pub fn end_test(&self, id: &str) -> bool {
        let mut trials = lock(&self.trials);
        self.forget_old(&mut trials);
        trials.remove(id).is_some()
    }

    /// What a call of a test address finds.
    pub fn find_test(&self, door: Door, method: &str, path: &str) -> Found {
        let mut trials = lock(&self.trials);
        self.forget_old(&mut trials);
        let mut others = Vec::new();
        for listening in trials.values() {
            match listening.routes.find(door, method, path) {
                Found::Nothing => {}
                Found::OtherMethods(methods) => others.extend(methods),
                found @ Found::Hook(..) => return found,
            }
        }
        if others.is_empty() { Found::Nothing } else { Found::OtherMethods(others) }
    }

    /// Takes the one call that a test waits for; `false` if another call was first.
    pub fn take_test(&self, hook: &Hook) -> bool {
        let mut trials = lock(&self.trials);
        self.forget_old(&mut trials);
        // Somebody may have begun to listen with another draft since the call was found.
        let is_its = trials.get(&hook.workflow.id).is_some_and(|listening| Arc::ptr_eq(&listening.workflow, &hook.workflow));
        is_its && trials.remove(&hook.workflow.id).is_some()
    }

    fn forget_old(&self, trials: &mut Trials) {
        let now = self.now_ms();
        trials.retain(|_, listening| listening.until_ms > now);
    }
}

fn addresses_of(node: &Str, listen: &Listen) -> Vec<TestAddress> {
    let address = |door: Door, method: &Str, path: &Str| TestAddress {
        node: node.clone(),
        door,
        method: method.clone(),
        path: path.trim_matches('/').into(),
    };
    match listen {
        Listen::Webhook(route) => route.methods.iter().map(|method| address(Door::Webhook, method, &route.path)).collect(),
        Listen::Form(form) => vec![address(Door::Form, &"GET".into(), &form.route.path)],
        Listen::Chat(_) | Listen::Clock(_) | Listen::Poll(_) => Vec::new(),
    }
}
