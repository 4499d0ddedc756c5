//! Follows an item back to the item of an earlier node it was made from: `$('X').item`.

use super::RunView;
use super::nodes::not_executed;
use expr::{ExprError, PreviousNode};
use model::{Item, PairedItem, Source, Str};

/// Chains longer than this are a mistake in the data, not a workflow.
const MAX_STEPS: usize = 10_000;

/// An item with its place in the run: items of two places are two, even if they are equal.
struct TracedItem {
    item: Item,
    place: (usize, usize, usize, usize),
}

/// How a trace ends that finds no item.
enum TraceEnd {
    /// n8n gives the expression no value here, and no error.
    Nothing,
    Error(ExprError),
}

impl From<ExprError> for TraceEnd {
    fn from(error: ExprError) -> Self {
        TraceEnd::Error(error)
    }
}

impl RunView<'_> {
    /// The item of node `name` that item `index` of the current input was made from.
    pub(super) fn paired_with(&self, name: &str, index: usize) -> Result<Option<Item>, ExprError> {
        let target = self.find(name)?;
        let found = self.trace_input(target, name, index);
        // Where the run leads to the node, so does the workflow.
        if !matches!(found, Ok(Some(_))) && !self.plan.is_before(target, self.node) {
            return Err(no_path(name));
        }
        found
    }

    fn trace_input(
        &self,
        target: usize,
        name: &str,
        index: usize,
    ) -> Result<Option<Item>, ExprError> {
        let pinned = self.plan.nodes[target].pinned.as_ref();
        if self.data.of(target).is_empty() && pinned.is_none() {
            return Err(not_executed(name));
        }
        let (input, items) = match self.main_input() {
            Some((input, items)) if !items.is_empty() => (input, items),
            // The node has not run yet.
            _ => {
                let items = pinned
                    .map_or_else(|| self.items_of(name, None, None), |pinned| Ok(pinned.clone()))?;
                return Ok(items.get(index));
            }
        };
        if index >= items.len() {
            return Err(no_data(name));
        }
        let source = self.sources.get(input).and_then(Option::as_ref);
        // Without a source there is only what the item says of itself.
        let own = match source {
            Some(_) => None,
            None => items.get(index).and_then(|item| item.paired.first().cloned()),
        };
        match own.as_ref().and_then(|own| own.source.as_deref()) {
            Some(own_source) => {
                let position = own.as_ref().map_or(index, |own| own.item as usize);
                self.found(Some(target), name, Some(own_source.clone()), position)
            }
            None if source.is_none() && pinned.is_some() && self.data.of(target).is_empty() => {
                Ok(pinned.and_then(|pinned| pinned.get(index)))
            }
            None => self.found(Some(target), name, source.cloned(), index),
        }
    }

    /// `$getPairedItem()`: the item of node `name` that an item of an output was made from.
    pub(super) fn traced_from(
        &self,
        name: &str,
        from: &PreviousNode,
        position: usize,
    ) -> Result<Option<Item>, ExprError> {
        let source = Source { node: from.name.clone(), output: from.output, run: from.run };
        self.found(self.plan.index_of(name), name, Some(source), position)
    }

    fn found(
        &self,
        target: Option<usize>,
        name: &str,
        source: Option<Source>,
        position: usize,
    ) -> Result<Option<Item>, ExprError> {
        match self.trace(target, name, source, position, &mut 0) {
            Ok(found) => Ok(Some(found.item)),
            Err(TraceEnd::Nothing) => Ok(None),
            Err(TraceEnd::Error(error)) => Err(error),
        }
    }

    fn trace(
        &self,
        target: Option<usize>,
        name: &str,
        mut source: Option<Source>,
        mut position: usize,
        steps: &mut usize,
    ) -> Result<TracedItem, TraceEnd> {
        loop {
            *steps += 1;
            if *steps > MAX_STEPS {
                return Err(no_info(name).into());
            }
            let from = source.ok_or_else(|| not_traced(name))?;
            let node = self.plan.index_of(&from.node).ok_or_else(|| no_data(name))?;
            let task = self.data.of(node).get(from.run);
            // Pinned data of a node that did not run counts as its output.
            let pinned = self.plan.nodes[node].pinned.as_ref().filter(|_| from.output == 0);
            let items = match task {
                Some(task) => task.output(from.output),
                None => pinned,
            };
            let item = items.ok_or_else(|| no_data(name))?.get(position);
            if Some(node) == target {
                let place = (node, from.run, from.output, position);
                let item = item.ok_or_else(|| no_info(&from.node))?;
                return Ok(TracedItem { item, place });
            }
            let item = item.ok_or(TraceEnd::Nothing)?;
            let sources = task.map_or(&[][..], |task| &task.source);
            let next = |pair: &PairedItem| {
                let feeding = sources.get(pair.input as usize)?;
                Some(pair.source.as_deref().or(feeding.as_ref()).cloned())
            };
            match &*item.paired {
                [] => return Err(no_info(&from.node).into()),
                [one] => {
                    source = next(one).ok_or(TraceEnd::Nothing)?;
                    position = one.item as usize;
                }
                several => {
                    let traced = several.iter().filter_map(|pair| {
                        let source = next(pair)?;
                        Some(self.trace(target, name, source, pair.item as usize, steps))
                    });
                    return single(traced, name);
                }
            }
        }
    }
}

/// The one item that several traces lead to.
fn single(
    traced: impl Iterator<Item = Result<TracedItem, TraceEnd>>,
    name: &str,
) -> Result<TracedItem, TraceEnd> {
    let (mut first, mut lost) = (None::<TracedItem>, None);
    for found in traced {
        match (found, &first) {
            (Ok(found), Some(first)) if found.place != first.place => {
                return Err(several_matches(name).into());
            }
            (Ok(found), None) => first = Some(found),
            (Ok(_), Some(_)) => {}
            (Err(error), _) => lost = lost.or(Some(error)),
        }
    }
    first.ok_or(lost.unwrap_or(TraceEnd::Nothing))
}

fn pairing_error(message: impl Into<Str>, description: String, kind: &'static str) -> ExprError {
    ExprError::Data {
        message: message.into(),
        description: Some(description.into()),
        kind: Some(kind.into()),
    }
}

fn no_info(name: &str) -> ExprError {
    pairing_error(
        format!(
            "Paired item data for item from node '{name}' is unavailable. Ensure '{name}' is \
             providing the required output."
        ),
        format!(
            "Heddle could not tell which item of '{name}' belongs to this one. Use \
             $('{name}').first() or .all() instead, or let the node in between set pairedItem."
        ),
        "paired_item_no_info",
    )
}

fn no_data(name: &str) -> ExprError {
    pairing_error(
        "Can’t get data for expression",
        format!(
            "Some nodes between '{name}' and this one have not run, or there is no such item. Use \
             $('{name}').first() or .all() instead."
        ),
        "paired_item_intermediate_nodes",
    )
}

fn not_traced(name: &str) -> ExprError {
    pairing_error(
        "Paired item resolution failed",
        format!(
            "The item cannot be traced back to the node '{name}'. Use $('{name}').first() or \
             .all() instead."
        ),
        "paired_item_no_info",
    )
}

fn no_path(name: &str) -> ExprError {
    pairing_error(
        "Invalid expression",
        format!(
            "There is no connection back to the node '{name}', but it's used in an expression \
             here. Connect the two, or use $('{name}').first()."
        ),
        "paired_item_no_connection",
    )
}

fn several_matches(name: &str) -> ExprError {
    pairing_error(
        "Multiple matches found",
        format!(
            "Several items of '{name}' belong to this one. Use .first(), .last() or .all()[i] \
             instead of .item."
        ),
        "paired_item_multiple_matches",
    )
}
