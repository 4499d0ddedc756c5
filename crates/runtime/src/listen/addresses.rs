//! What workflows claim to listen at. Who has which address is kept by the store, which gives each
//! to one workflow only.

use crate::{Error, ListenScope, LoadedWorkflow};
use model::{Code, Str};
use node_api::NodeError;
use node_api::trigger::{MCP_METHOD, TriggerListener};
use std::borrow::Cow;
use store::addresses::{AddressClaim, ClaimResult, EndpointKind};

impl LoadedWorkflow {
    /// What the workflow claims when it is active: the addresses of its triggers. One without any
    /// trigger cannot be active.
    pub fn claims(&self, scope: &ListenScope) -> Result<Vec<AddressClaim>, Error> {
        let listens = self.listens(scope)?;
        if listens.is_empty()
            && !self.plan.nodes.iter().any(|node| node.is_trigger() && !node.disabled)
        {
            return Err(Error::NoTrigger);
        }
        claims_of(&listens)
    }
}

/// The addresses of triggers. One path is not listened at by two nodes of a workflow; of those that
/// vary, the first has the call.
pub(crate) fn claims_of(listens: &[(Str, TriggerListener)]) -> Result<Vec<AddressClaim>, Error> {
    let mut claims: Vec<AddressClaim> = Vec::new();
    for (node, listen) in listens {
        for (kind, method, path) in endpoints_of(listen) {
            let claim = AddressClaim::new(node.clone(), kind, &method, path);
            match claims.iter().find(|known| known.address == claim.address) {
                Some(known) if !claim.address.is_open() => {
                    let message =
                        format!("'{}' already listens at {method} /{}", known.node, claim.path);
                    let error = NodeError::new(Code::WEBHOOK_TAKEN, message)
                        .hint("Change the path of one of the two nodes.");
                    return Err(Error::Trigger { node: claim.node, error });
                }
                Some(_) => {}
                None => claims.push(claim),
            }
        }
    }
    Ok(claims)
}

/// Where something is listened for: the door, the method and the path. A chat that is not public
/// has no address.
pub(crate) fn endpoints_of(listen: &TriggerListener) -> Vec<(EndpointKind, Cow<'_, str>, &str)> {
    match listen {
        TriggerListener::Webhook(route) => route
            .methods
            .iter()
            .map(|method| (EndpointKind::Webhook, Cow::from(method.as_str()), route.path.as_str()))
            .collect(),
        TriggerListener::Form(form) => ["GET", "POST"]
            .map(|method| (EndpointKind::Form, Cow::from(method), form.route.path.as_str()))
            .into(),
        TriggerListener::Mcp(route) => {
            vec![(EndpointKind::Mcp, Cow::from(MCP_METHOD), route.path.as_str())]
        }
        TriggerListener::Chat(chat) if chat.is_public => chat
            .methods()
            .map(|method| {
                (EndpointKind::Webhook, Cow::from(method.to_string()), chat.route.path.as_str())
            })
            .collect(),
        TriggerListener::Chat(_) | TriggerListener::Clock(_) | TriggerListener::Poll(_) => {
            Vec::new()
        }
    }
}

/// Another workflow has an address. Which one that is, is none of the caller's business: it may be
/// out of their reach.
pub(crate) fn address_taken(claim: AddressClaim) -> Error {
    let message =
        format!("Another workflow already listens at {} /{}", claim.address.method, claim.path);
    let error = NodeError::new(Code::WEBHOOK_TAKEN, message)
        .hint("Change the path, or deactivate the workflow that uses it.");
    Error::Trigger { node: claim.node, error }
}

/// What came of a change that needs addresses, for whoever makes it once.
pub fn claim_into_result<T>(claimed: ClaimResult<T>, id: &str) -> Result<T, Error> {
    match claimed {
        ClaimResult::Done(done) => Ok(done),
        ClaimResult::Taken(claim) => Err(address_taken(claim)),
        ClaimResult::Outdated => Err(Error::Contended),
        ClaimResult::Missing => Err(Error::NoWorkflow { id: id.into() }),
    }
}
