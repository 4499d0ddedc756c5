//! Brings the items of several branches together.

mod conflicts;
mod matching;
mod params;
mod sql;
mod v1;
mod v2;
mod v3;

pub use sql::{SQL_COMMAND, probe_merge_sql, serve_merge_sql};
pub(super) use v1::MergeV1;
pub(super) use v2::MergeV2;
pub(super) use v3::Merge;

use formats::ticker::LoopTicker;
use node_api::prelude::*;

/// The items of one input, each paired with its place there. Nothing arrived: none.
fn input(ctx: &Ctx<'_>, number: usize) -> Vec<Item> {
    branch(ctx, number).to_vec()
}

/// The same without taking the list apart.
fn branch(ctx: &Ctx<'_>, number: usize) -> Items {
    ctx.input(number).map(|items| items.paired_by_index(number)).unwrap_or_default()
}

/// What the pairs of two inputs hold together may be so much, if they are made on a thread that
/// serves connections.
const FEW_BYTES: usize = 1 << 20;

/// To be called before each item of one input may meet each of the other: that can be far more than
/// there is in both.
async fn offload_for_pairs(ctx: &Ctx<'_>) {
    if compute::is_offloaded() {
        return;
    }
    let [first, second] = [0, 1].map(|number| ctx.input(number).cloned().unwrap_or_default());
    let is_little =
        |items: &Items, others: &Items| items.is_small(usize::MAX, FEW_BYTES / others.len().max(1));
    if !is_little(&first, &second) || !is_little(&second, &first) {
        compute::request_offload(usize::MAX).await;
    }
}

/// Every item of one list with every item of the other.
fn each_with_each(
    ctx: &Ctx<'_>,
    first: &[Item],
    second: &[Item],
    make: impl Fn(&Item, &Item) -> Item,
) -> Result<Items, NodeError> {
    let (mut output, ticker) = (ctx.builder(), LoopTicker::default());
    for one in first {
        for two in second {
            ticker.tick_for_item()?;
            output.push(make(one, two));
            if output.is_failed() {
                return Ok(output.finish());
            }
        }
    }
    Ok(output.finish())
}

/// All items, one input after the other, shared rather than copied.
fn append(ctx: &Ctx<'_>, inputs: usize) -> Items {
    let mut all = Items::new();
    for number in 0..inputs {
        all.append(&branch(ctx, number));
    }
    all
}

/// An item of nothing that was made from everything.
fn empty_item(ctx: &Ctx<'_>) -> Items {
    let pairs = (0..2).flat_map(|number| {
        let count = ctx.input(number).map_or(0, Items::len);
        (0..count.min(1000)).map(move |index| PairedItem::on_input(index, number))
    });
    Items::one(Item::new(Value::empty_object()).with_pairs(pairs.collect::<Vec<_>>()))
}

/// The pairs of several items, in order.
fn pairs_of<'i>(items: impl IntoIterator<Item = &'i Item>) -> Vec<PairedItem> {
    items.into_iter().flat_map(|item| item.paired.iter().cloned()).collect()
}
