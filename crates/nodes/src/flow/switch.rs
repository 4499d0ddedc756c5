//! Sends each item to one of several outputs, by rules or by a computed number.

mod legacy;
mod v3;

pub(super) use legacy::{SwitchV1, SwitchV2};
pub(super) use v3::Switch;

use node_api::prelude::*;

/// Outputs that items are put into by number.
struct SwitchOutputs(Vec<ItemsBuilder>);

/// More outputs than this are a mistake in an expression.
const MAX_OUTPUTS: usize = 1000;

impl SwitchOutputs {
    fn new(ctx: &Ctx<'_>, count: usize) -> Result<Self, NodeError> {
        if count > MAX_OUTPUTS {
            return Err(NodeError::parameter(
                "outputs",
                format!("A Switch can have at most {MAX_OUTPUTS} outputs, not {count}"),
            ));
        }
        Ok(Self((0..count).map(|_| ctx.builder()).collect()))
    }

    fn count(&self) -> usize {
        self.0.len()
    }

    fn push(&mut self, output: usize, item: Item) {
        if let Some(lane) = self.0.get_mut(output) {
            lane.push(item);
        }
    }

    fn finish(self) -> Outputs {
        self.0.into_iter().map(ItemsBuilder::finish).collect()
    }
}
