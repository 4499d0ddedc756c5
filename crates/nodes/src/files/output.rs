//! The output of nodes that read files: very many items from one file, one from the next.

use node_api::prelude::*;

/// Lists shorter than this are not worth chunks of their own.
const MIN_CHUNK_ITEMS: usize = 512;

/// Takes lists one after the other. What a list holds counts for the run already, so that a long
/// one is passed on as it is.
pub(super) struct ChunkedOutput<'c> {
    ctx: &'c Ctx<'c>,
    whole: Items,
    open: ItemsBuilder,
}

impl<'c> ChunkedOutput<'c> {
    pub(super) fn new(ctx: &'c Ctx<'c>) -> Self {
        Self { ctx, whole: Items::new(), open: ctx.builder() }
    }

    /// Items that were made of one input item.
    pub(super) fn append(&mut self, items: &Items, index: usize) {
        if items.len() < MIN_CHUNK_ITEMS {
            self.open.extend(items.iter().map(|item| item.paired_with(index)));
            return;
        }
        self.close();
        self.whole.append(&items.paired_with(index));
    }

    pub(super) fn push(&mut self, item: Item) {
        self.open.push(item);
    }

    pub(super) fn finish(mut self) -> Items {
        self.close();
        self.whole
    }

    fn close(&mut self) {
        let open = std::mem::replace(&mut self.open, self.ctx.builder());
        self.whole.append(&open.finish());
    }
}
