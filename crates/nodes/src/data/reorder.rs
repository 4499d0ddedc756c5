//! Puts the items of a list into another order without having all of them in memory.

use node_api::prelude::*;

/// Lists up to about this size are put in order in one go.
const BUCKET_BYTES: usize = 64 << 20;

/// How many items tell the size of the others.
const SAMPLE: usize = 100;

/// The items at the given places, each paired with the place it had. Places that there are none of
/// are left out.
pub(super) fn reorder(ctx: &Ctx<'_>, items: &Items, order: &[usize]) -> Items {
    let sample = items.range(0, SAMPLE);
    let average = sample.iter().map(Item::estimated_bytes).sum::<usize>() / sample.len().max(1);
    in_buckets(ctx, items, order, (BUCKET_BYTES / average.max(1)).max(SAMPLE))
}

/// Walks the list once and puts every item with those that come out near it, then orders one bucket
/// after the other.
fn in_buckets(ctx: &Ctx<'_>, items: &Items, order: &[usize], bucket_items: usize) -> Items {
    let mut output = ctx.builder();
    if items.len() <= bucket_items {
        let all = items.to_vec();
        output.extend(
            order
                .iter()
                .filter_map(|index| all.get(*index).map(|item| item.clone().paired_with(*index))),
        );
        return output.finish();
    }
    let mut ranks: Vec<Option<usize>> = vec![None; items.len()];
    for (rank, index) in order.iter().enumerate().filter(|(_, index)| **index < items.len()) {
        ranks[*index] = Some(rank);
    }
    let mut buckets: Vec<ItemsBuilder> =
        (0..order.len().div_ceil(bucket_items)).map(|_| ctx.builder()).collect();
    for (index, item) in items.iter().enumerate() {
        if let Some(rank) = ranks[index] {
            buckets[rank / bucket_items].push(item.paired_with(index));
        }
    }
    for bucket in buckets {
        let mut ranked: Vec<(usize, Item)> = bucket
            .finish()
            .iter()
            .filter_map(|item| {
                let index = item.paired.first()?.item as usize;
                Some((ranks[index]?, item))
            })
            .collect();
        ranked.sort_unstable_by_key(|(rank, _)| *rank);
        output.extend(ranked.into_iter().map(|(_, item)| item));
    }
    output.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::TestHost;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn buckets_give_what_one_list_gives(count in 0_usize..60, bucket in 1_usize..20, seed in any::<u64>()) {
            let items: Items = (0..count).map(|n| Item::new(json!({ "n": n }))).collect();
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by_key(|index| (*index as u64).wrapping_mul(seed | 1).rotate_left(17));
            let spec = super::super::sort::SortNode::spec();
            let host = TestHost::new(&spec, 1.0, &json!({}));
            let info = node_api::NodeInfo::default();
            let ctx = Ctx::new(&info, &[], 0, &host);
            let bucketed = in_buckets(&ctx, &items, &order, bucket);
            let at_once = in_buckets(&ctx, &items, &order, count.max(1));
            prop_assert_eq!(bucketed, at_once);
        }
    }
}
