//! Follows an item back to the item of an earlier node it was made from: `$('X').item`.

use super::RunView;
use super::nodes::not_executed;
use expr::ExprError;
use model::{Item, PairedItem, Source};

/// Chains longer than this are a mistake in the data, not a workflow.
const MAX_STEPS: usize = 10_000;

impl RunView<'_> {
    /// The item of node `name` that item `index` of the current input was made from.
    pub(super) fn paired_with(&self, name: &str, index: usize) -> Result<Item, ExprError> {
        let target = self.find(name)?;
        if self.data.of(target).is_empty() {
            // Pinned data of a node that did not run counts as its output, linked by index.
            if let Some(pinned) = &self.plan.nodes[target].pinned {
                let item = if pinned.len() == 1 { pinned.first() } else { pinned.get(index) };
                return item.ok_or_else(|| no_info(name));
            }
            return Err(not_executed(name));
        }
        let Some((input, items)) = self.main_input() else { return Err(no_info(name)) };
        if index >= items.len() {
            return Err(no_info(name));
        }
        let source = self.sources.get(input).and_then(Option::as_ref);
        let origin = PairedItem::on_input(index, input);
        // Without a source there is only what the item says of itself.
        let own = if source.is_none() {
            items.get(index).and_then(|item| item.paired.first().cloned())
        } else {
            None
        };
        let pair = own.filter(|own| own.source.is_some()).unwrap_or(origin);
        self.follow(target, name, source, &pair, &mut 0)
    }

    fn follow(
        &self,
        target: usize,
        name: &str,
        source: Option<&Source>,
        pair: &PairedItem,
        steps: &mut usize,
    ) -> Result<Item, ExprError> {
        *steps += 1;
        if *steps > MAX_STEPS {
            return Err(no_info(name));
        }
        let Some(source) = pair.source.as_deref().or(source) else { return Err(no_path(name)) };
        let Some(previous) = self.plan.index_of(&source.node) else { return Err(no_info(name)) };
        let Some(task) = self.data.of(previous).get(source.run) else { return Err(no_info(name)) };
        let Some(item) = task.output(source.output).and_then(|items| items.get(pair.item as usize))
        else {
            return Err(no_info(name));
        };
        if previous == target {
            return Ok(item);
        }
        let step = |pair: &PairedItem, steps: &mut usize| {
            let feeding = task.source.get(pair.input as usize).and_then(Option::as_ref);
            if feeding.is_none() && pair.source.is_none() && task.source.is_empty() {
                return Err(no_path(name));
            }
            self.follow(target, name, feeding, pair, steps)
        };
        match &*item.paired {
            [] => Err(no_info(name)),
            [one] => step(one, steps),
            several => {
                let found: Vec<Item> =
                    several.iter().filter_map(|pair| step(pair, steps).ok()).collect();
                match found.split_first() {
                    None => Err(no_path(name)),
                    Some((first, rest)) if rest.iter().all(|other| other == first) => {
                        Ok(first.clone())
                    }
                    Some(_) => Err(several_matches(name)),
                }
            }
        }
    }
}

fn no_info(name: &str) -> ExprError {
    ExprError::Data {
        message: format!("Paired item data for item from node '{name}' is unavailable. Ensure '{name}' is providing the required output.").into(),
        description: Some(format!("Heddle could not tell which item of '{name}' belongs to this one. Use $('{name}').first() or .all() instead, or let the node in between set pairedItem.").into()),
        kind: Some("paired_item_no_info".into()),
    }
}

fn no_path(name: &str) -> ExprError {
    ExprError::Data {
        message: "Invalid expression".into(),
        description: Some(format!("There is no connection back to the node '{name}', but it's used in an expression here. Connect the two, or use $('{name}').first().").into()),
        kind: Some("paired_item_no_connection".into()),
    }
}

fn several_matches(name: &str) -> ExprError {
    ExprError::Data {
        message: format!("Multiple matching items for item in node '{name}'").into(),
        description: Some(
            format!("Several items of '{name}' belong to this one. Use .first(), .last() or .all()[i] instead of .item.").into(),
        ),
        kind: Some("paired_item_multiple_matches".into()),
    }
}
