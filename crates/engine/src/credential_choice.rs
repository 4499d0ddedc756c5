//! Names credentials in the nodes of a plan, for callers that bring credentials of their own along.

use crate::plan::{Plan, PlanNode};
use model::{Object, Str, Value};
use node_api::ParamKind;

impl Plan {
    /// Chooses a credential in every node, for each type that it may ask for, where none is chosen.
    /// For callers whose run has nothing else to choose from, such as recorded cases; never for
    /// workflows of others in a store.
    pub fn choose_credentials(&mut self, id: &str) {
        for node in &mut self.nodes {
            for kind in kinds_of(node) {
                if node.chosen_credential(&kind).is_none() {
                    node.credentials.insert(kind, Object::from_iter([("id", id), ("name", id)]));
                }
            }
        }
    }
}

/// The types that a node may ask for: those of its description, and those that its parameters name.
fn kinds_of(node: &PlanNode) -> Vec<Str> {
    let Some(found) = &node.node_type else { return Vec::new() };
    let described = found.spec.credentials.iter().map(|used| used.kind.clone());
    let params = found.spec.params.iter().filter(|param| {
        matches!(param.kind, ParamKind::CredentialKind) || param.name == "genericAuthType"
    });
    let named = params
        .filter_map(|param| node.raw_params.get(&param.name).and_then(Value::as_str))
        .filter(|kind| !kind.is_empty());
    described.chain(named.map(Str::from)).collect()
}
