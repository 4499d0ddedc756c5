//! Changes to a workflow as data: applied in order, all or none, without touching the workflow they
//! start from.
//!
//! Operations name nodes by id, while connections, pinned data and expressions name them by name;
//! keeping the two straight is what this module is for. The JSON form is the builder's (`{ "type":
//! "addNodes", "nodes": […] }`).

mod connections;
mod draft;
mod error;
mod history;
mod nodes;
mod references;

pub use error::{OperationError, OperationProblem};
pub use history::UndoHistory;

use crate::{Object, Str, Workflow};
use draft::WorkflowDraft;
use serde::{Deserialize, Serialize};

/// One change to a workflow.
///
/// A node without an id, as old workflows have them, is named by its name instead. Connections are
/// keyed by name as in a workflow; a key or target that is no node's name may also be a node's id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum Operation {
    /// Takes everything out: nodes, connections, pinned data and the name. Settings and fields we
    /// do not know stay.
    Clear {},
    /// Removes nodes with every connection from and to them and the data pinned to them.
    RemoveNode {
        node_ids: Vec<Str>,
    },
    /// Adds nodes. A name that is taken gets a number, an id that is missing or taken is made anew;
    /// expressions among the added nodes follow.
    AddNodes {
        nodes: Vec<Object>,
    },
    /// Replaces fields of a node; `null` takes a field out. A new name is a rename.
    UpdateNode {
        node_id: Str,
        updates: Object,
    },
    /// Gives a node another name, everywhere it is mentioned.
    RenameNode {
        node_id: Str,
        name: Str,
    },
    /// Replaces all connections.
    SetConnections {
        connections: Object,
    },
    /// Adds the connections that are not there yet.
    MergeConnections {
        connections: Object,
    },
    /// Removes the connections that are there.
    RemoveConnections {
        connections: Object,
    },
    SetName {
        name: Str,
    },
}

impl Operation {
    /// The `type` in its JSON form.
    pub fn name(&self) -> &'static str {
        match self {
            Operation::Clear {} => "clear",
            Operation::RemoveNode { .. } => "removeNode",
            Operation::AddNodes { .. } => "addNodes",
            Operation::UpdateNode { .. } => "updateNode",
            Operation::RenameNode { .. } => "renameNode",
            Operation::SetConnections { .. } => "setConnections",
            Operation::MergeConnections { .. } => "mergeConnections",
            Operation::RemoveConnections { .. } => "removeConnections",
            Operation::SetName { .. } => "setName",
        }
    }
}

/// The workflow after all operations, or the first error. The given workflow stays as it was, so
/// keeping it is undo; the two share whatever did not change. `new_id` gives ids to added nodes.
pub fn apply(
    workflow: &Workflow,
    operations: &[Operation],
    new_id: &mut dyn FnMut() -> Str,
) -> Result<Workflow, OperationError> {
    let mut draft = WorkflowDraft::new(workflow);
    for (index, operation) in operations.iter().enumerate() {
        draft.apply(operation, new_id).map_err(|trouble| OperationError {
            index,
            operation: operation.name(),
            trouble,
        })?;
    }
    Ok(draft.finish(workflow))
}

impl WorkflowDraft {
    fn apply(
        &mut self,
        operation: &Operation,
        new_id: &mut dyn FnMut() -> Str,
    ) -> Result<(), OperationProblem> {
        match operation {
            Operation::Clear {} => self.clear(),
            Operation::RemoveNode { node_ids } => return self.remove_nodes(node_ids),
            Operation::AddNodes { nodes } => return self.add_nodes(nodes, new_id),
            Operation::UpdateNode { node_id, updates } => {
                return self.update_node(node_id, updates);
            }
            Operation::RenameNode { node_id, name } => {
                return self.rename_node(self.find(node_id)?, name);
            }
            Operation::SetConnections { connections } => return self.set_connections(connections),
            Operation::MergeConnections { connections } => {
                return self.merge_connections(connections);
            }
            Operation::RemoveConnections { connections } => {
                return self.remove_connections(connections);
            }
            Operation::SetName { name } => drop(self.doc.insert("name", name.clone())),
        }
        Ok(())
    }
}
