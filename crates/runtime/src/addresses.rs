//! What workflows claim to listen at. Who has which address is kept by the store, which gives each
//! to one workflow only.

use crate::{Error, ListenScope, Loaded};
use model::{Code, Str};
use node_api::NodeError;
use node_api::trigger::Listen;
use std::borrow::Cow;
use store::addresses::{Claim, Claimed, Door};

impl Loaded {
    /// What the workflow claims when it is active: the addresses of its triggers. One without any
    /// trigger cannot be active.
    pub fn claims(&self, scope: &ListenScope) -> Result<Vec<Claim>, Error> {
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
pub(crate) fn claims_of(listens: &[(Str, Listen)]) -> Result<Vec<Claim>, Error> {
    let mut claims: Vec<Claim> = Vec::new();
    for (node, listen) in listens {
        for (door, method, path) in places(listen) {
            let claim = Claim::new(node.clone(), door, &method, path);
            match claims.iter().find(|known| known.address == claim.address) {
                Some(known) if !claim.address.is_open() => {
                    let message =
                        format!("'{}' listens at {method} /{} already", known.node, claim.path);
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
pub(crate) fn places(listen: &Listen) -> Vec<(Door, Cow<'_, str>, &str)> {
    match listen {
        Listen::Webhook(route) => route
            .methods
            .iter()
            .map(|method| (Door::Webhook, Cow::from(method.as_str()), route.path.as_str()))
            .collect(),
        Listen::Form(form) => ["GET", "POST"]
            .map(|method| (Door::Form, Cow::from(method), form.route.path.as_str()))
            .into(),
        Listen::Chat(chat) if chat.is_public => chat
            .methods()
            .map(|method| (Door::Webhook, Cow::from(method.to_string()), chat.route.path.as_str()))
            .collect(),
        Listen::Chat(_) | Listen::Clock(_) | Listen::Poll(_) => Vec::new(),
    }
}

/// Another workflow has an address. Which one that is, is none of the caller's business: it may be
/// out of their reach.
pub(crate) fn taken(claim: Claim) -> Error {
    let message =
        format!("Another workflow listens at {} /{} already", claim.address.method, claim.path);
    let error = NodeError::new(Code::WEBHOOK_TAKEN, message)
        .hint("Change the path, or deactivate the workflow that has it.");
    Error::Trigger { node: claim.node, error }
}

/// What came of a change that needs addresses, for whoever makes it once.
pub fn settled<T>(claimed: Claimed<T>, id: &str) -> Result<T, Error> {
    match claimed {
        Claimed::Done(done) => Ok(done),
        Claimed::Taken(claim) => Err(taken(claim)),
        Claimed::Outdated => Err(Error::Contended),
        Claimed::Missing => Err(Error::NoWorkflow { id: id.into() }),
    }
}
