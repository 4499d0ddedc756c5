//! Items that other nodes put out, by name: `$('X').all()`, `$node["X"]`, `$items()`.

use super::RunView;
use expr::ExprError;
use model::{Items, Str};

impl RunView<'_> {
    /// The items of an output of a node: of the run that fits, and of the output that leads here,
    /// unless told otherwise.
    pub(super) fn items_of(
        &self,
        name: &str,
        output: Option<usize>,
        run: Option<usize>,
    ) -> Result<Items, ExprError> {
        let index = self.find(name)?;
        let runs = self.data.of(index);
        if runs.is_empty() {
            if let Some(pinned) = &self.plan.nodes[index].pinned {
                return Ok(pinned.clone());
            }
            return Err(not_executed(name));
        }
        let run_number = run.unwrap_or(runs.len() - 1);
        let Some(task) = runs.get(run_number) else {
            return Err(ExprError::data(format!("Run {run_number} of node \"{name}\" not found")));
        };
        let output = output.or_else(|| self.plan.output_towards(index, self.node)).unwrap_or(0);
        let outputs = task.data.get(&model::Kind::Main).map_or(&[][..], Vec::as_slice);
        match outputs.get(output) {
            Some(items) => Ok(items.clone().unwrap_or_default()),
            None if output == 0 => Ok(Items::new()),
            None => {
                Err(ExprError::data(format!("Node \"{name}\" has no branch with index {output}.")))
            }
        }
    }
}

pub(super) fn not_executed(name: &str) -> ExprError {
    ExprError::Data {
        message: format!("Node '{name}' hasn't been executed").into(),
        description: Some(Str::from(format!(
            "An expression here won't work because it uses the data of '{name}', which has not run yet. Connect it before this node, or check with $('{name}').isExecuted first."
        ))),
        kind: Some("no_execution_data".into()),
    }
}
