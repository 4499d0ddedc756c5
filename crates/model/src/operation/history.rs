//! Every state a workflow has had: undo and redo without end.

use super::{Operation, OperationError, apply};
use crate::{Str, Workflow};

/// A workflow with its earlier and undone states. States share what did not change, so each costs
/// about what changed.
#[derive(Clone, Debug, Default)]
pub struct UndoHistory {
    past: Vec<Workflow>,
    present: Workflow,
    future: Vec<Workflow>,
}

impl UndoHistory {
    pub fn new(workflow: Workflow) -> Self {
        Self { past: Vec::new(), present: workflow, future: Vec::new() }
    }

    pub fn workflow(&self) -> &Workflow {
        &self.present
    }

    /// Applies one turn's operations as one step. States that were undone before it are forgotten.
    pub fn apply(
        &mut self,
        operations: &[Operation],
        new_id: &mut dyn FnMut() -> Str,
    ) -> Result<(), OperationError> {
        let next = apply(&self.present, operations, new_id)?;
        self.past.push(std::mem::replace(&mut self.present, next));
        self.future.clear();
        Ok(())
    }

    /// Goes one step back; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        let Some(earlier) = self.past.pop() else { return false };
        self.future.push(std::mem::replace(&mut self.present, earlier));
        true
    }

    /// Takes back one undo; `false` if there is none.
    pub fn redo(&mut self) -> bool {
        let Some(later) = self.future.pop() else { return false };
        self.past.push(std::mem::replace(&mut self.present, later));
        true
    }
}
