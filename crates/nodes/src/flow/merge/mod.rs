//! Brings the items of several branches together.

mod clash;
mod form;
mod matching;
mod sql;
mod v1;
mod v2;
mod v3;

pub use sql::{SQL_COMMAND, probe_merge_sql, serve_merge_sql};
pub(super) use v1::MergeV1;
pub(super) use v2::MergeV2;
pub(super) use v3::Merge;

use node_api::prelude::*;

/// The items of one input, each paired with its place there. Nothing arrived: none.
fn input(ctx: &Ctx<'_>, number: usize) -> Vec<Item> {
    branch(ctx, number).to_vec()
}

/// The same without taking the list apart.
fn branch(ctx: &Ctx<'_>, number: usize) -> Items {
    ctx.input(number).map(|items| items.paired_by_index(number)).unwrap_or_default()
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
