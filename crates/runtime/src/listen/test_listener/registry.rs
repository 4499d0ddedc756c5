//! Which workflows listen for a test call, and which addresses are reserved for a project.

use crate::Error;
use crate::listen::routes::Routes;
use crate::loaded_workflow::LoadedWorkflow;
use model::{Code, Str};
use node_api::NodeError;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::addresses::{Address, AddressClaim};

/// How long an address stays with the project that has listened there.
const RESERVED_MS: i64 = 24 * 60 * 60 * 1000;

/// Workflows that may listen for a test call at once, and addresses reserved for one project.
const MAX_LISTENERS: usize = 1_000;
const MAX_RESERVED: usize = 500;

/// A workflow that listens for a test call.
pub(super) struct TestListener {
    pub(super) workflow: Arc<LoadedWorkflow>,
    pub(super) routes: Routes,
    pub(super) claims: Vec<AddressClaim>,
    pub(super) until_ms: i64,
}

/// The project that an address is reserved for while nothing listens there.
struct ReservedAddress {
    workflow_id: Str,
    project_id: Str,
    until_ms: i64,
}

/// The workflows that listen for a test call, and the addresses that were used for tests recently.
#[derive(Default)]
pub(crate) struct TestListeners {
    listening: HashMap<Str, TestListener>,
    reserved: HashMap<Address, ReservedAddress>,
}

impl TestListeners {
    pub(super) fn listening(&self) -> impl Iterator<Item = &TestListener> {
        self.listening.values()
    }

    pub(super) fn get(&self, id: &str) -> Option<&TestListener> {
        self.listening.get(id)
    }

    /// Lets a workflow listen, in the place of what it listened at before.
    pub(super) fn insert(&mut self, listener: TestListener) -> Result<(), Error> {
        let id = &listener.workflow.id;
        if self.listening.len() >= MAX_LISTENERS && !self.listening.contains_key(id) {
            return Err(Error::Overload);
        }
        self.listening.insert(id.clone(), listener);
        Ok(())
    }

    pub(super) fn remove_expired(&mut self, now_ms: i64) {
        let expired: Vec<Str> = self
            .listening
            .iter()
            .filter(|(_, listener)| listener.until_ms <= now_ms)
            .map(|(id, _)| id.clone())
            .collect();
        for id in expired {
            self.end(&id);
        }
    }

    /// Ends a test; `false` if there was none. Its addresses stay reserved for the project.
    pub(super) fn end(&mut self, id: &str) -> bool {
        let Some(TestListener { workflow, claims, until_ms, .. }) = self.listening.remove(id)
        else {
            return false;
        };
        self.reserve(&workflow, claims.into_iter().map(|claim| claim.address), until_ms);
        true
    }

    /// Reserves addresses for a workflow's project, for a while after this moment.
    pub(super) fn reserve(
        &mut self,
        workflow: &LoadedWorkflow,
        addresses: impl Iterator<Item = Address>,
        after_ms: i64,
    ) {
        let of_project = |reserved: &&ReservedAddress| reserved.project_id == workflow.project_id;
        let mut n_reserved = self.reserved.values().filter(of_project).count();
        for address in addresses {
            let reserved = ReservedAddress {
                workflow_id: workflow.id.clone(),
                project_id: workflow.project_id.clone(),
                until_ms: after_ms + RESERVED_MS,
            };
            if n_reserved < MAX_RESERVED || self.reserved.contains_key(&address) {
                self.reserved.insert(address, reserved);
                n_reserved += 1;
            }
        }
    }

    /// The workflows of other projects that conflict with a claim, each with the address. Within
    /// its own project, no other workflow may be listening there.
    pub(super) fn rivals(
        &mut self,
        workflow: &LoadedWorkflow,
        claims: &[AddressClaim],
        now_ms: i64,
    ) -> Result<HashSet<(Str, Address)>, Error> {
        self.remove_expired(now_ms);
        self.reserved.retain(|_, reserved| reserved.until_ms > now_ms);
        let mut rivals = HashSet::new();
        for claim in claims {
            let address = &claim.address;
            let others = self.listening.iter().filter(|(id, _)| **id != workflow.id);
            for (id, other) in others.filter(|(_, other)| {
                other.claims.iter().any(|theirs| theirs.address.overlaps(address))
            }) {
                if other.workflow.project_id == workflow.project_id {
                    return Err(address_in_test(claim));
                }
                rivals.insert((id.clone(), address.clone()));
            }
            let reserved = self.reserved.iter().filter(|(known, reserved)| {
                reserved.project_id != workflow.project_id && known.overlaps(address)
            });
            rivals.extend(
                reserved.map(|(_, reserved)| (reserved.workflow_id.clone(), address.clone())),
            );
        }
        Ok(rivals)
    }

    pub(super) fn displace(&mut self, rivals: &HashSet<(Str, Address)>) {
        for (id, address) in rivals {
            self.listening.remove(id);
            self.reserved
                .retain(|known, reserved| reserved.workflow_id != *id || !known.overlaps(address));
        }
    }
}

/// Another workflow tests an address, or has done so recently. The caller is not told which one.
pub(super) fn address_in_test(claim: &AddressClaim) -> Error {
    let message =
        format!("Another test already listens at {} /{}", claim.address.method, claim.path);
    let error = NodeError::new(Code::WEBHOOK_TAKEN, message).hint(
        "Change the path, or wait: an address becomes free one day after another project last \
             listened there.",
    );
    Error::Trigger { node: claim.node.clone(), error }
}
