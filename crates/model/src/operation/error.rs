//! Why an operation cannot be applied, and what to do about it.

use crate::{Code, Str};

/// An operation that cannot be applied. None of its list was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("operation {index} ({operation}) cannot be applied: {trouble}")]
pub struct OperationError {
    /// Its place in the list, from 0.
    pub index: usize,
    pub operation: &'static str,
    #[source]
    pub trouble: OperationProblem,
}

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OperationProblem {
    #[error("node '{node}' does not exist")]
    NodeMissing { node: Str },
    #[error("several nodes have the ID '{node}'")]
    NodeAmbiguous { node: Str },
    #[error("the name '{name}' is already used by another node")]
    NameTaken { node: Str, name: Str },
    #[error("the field '{field}' of node '{node}' is required")]
    FieldMissing { node: Str, field: &'static str },
    #[error("the field '{field}' of node '{node}' is {found}, but must be {expected}")]
    FieldKind { node: Str, field: Str, found: &'static str, expected: Str },
    #[error("the ID of node '{node}' cannot be changed")]
    IdFixed { node: Str },
    #[error("no free ID could be generated for node '{node}'")]
    NoFreeId { node: Str },
    #[error("'{kind}' is not a connection type (from '{node}')")]
    ConnectionKind { node: Str, kind: Str },
    #[error("the connections from '{node}' are invalid: {what}")]
    ConnectionForm { node: Str, what: &'static str },
}

impl OperationError {
    pub fn code(&self) -> Code {
        Code::OPERATION_INVALID
    }

    /// The node it is about, by id or name as the operation gave it.
    pub fn node(&self) -> &str {
        match &self.trouble {
            OperationProblem::NodeMissing { node }
            | OperationProblem::NodeAmbiguous { node }
            | OperationProblem::NameTaken { node, .. }
            | OperationProblem::FieldMissing { node, .. }
            | OperationProblem::FieldKind { node, .. }
            | OperationProblem::IdFixed { node }
            | OperationProblem::NoFreeId { node }
            | OperationProblem::ConnectionKind { node, .. }
            | OperationProblem::ConnectionForm { node, .. } => node,
        }
    }

    /// What whoever sent the operation can do about it.
    pub fn hint(&self) -> &'static str {
        match &self.trouble {
            OperationProblem::NodeMissing { .. } => {
                "Use the ID of a node of this workflow. An earlier operation in the list may \
                     have removed it."
            }
            OperationProblem::NodeAmbiguous { .. } => {
                "Change the ID of one of the nodes in the workflow's JSON."
            }
            OperationProblem::NameTaken { .. } => "Choose a name that is not in use.",
            OperationProblem::FieldMissing { .. } => {
                "Give the field a value; every node has a name and a type."
            }
            OperationProblem::FieldKind { .. } => "Send a value of that type.",
            OperationProblem::IdFixed { .. } => "Remove the ID from the updates.",
            OperationProblem::NoFreeId { .. } => "Give the node a unique ID.",
            OperationProblem::ConnectionKind { .. } => "Use `main` or one of the `ai_…` types.",
            OperationProblem::ConnectionForm { .. } => {
                "Send { \"Node\": { \"main\": [[{ \"node\": \"Other\", \"type\": \"main\", \"index\": 0 }]] } }."
            }
        }
    }
}
