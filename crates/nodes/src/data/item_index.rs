//! Items by their places, for nodes that look up more than they can hold: a list may be on disk.

use node_api::prelude::*;
use std::collections::HashMap;

/// What looked-up items may take at a time.
const WINDOW_BYTES: usize = 128 << 20;

/// How many looked-up items of a list are held at a time. A list whose places are asked for in no
/// order at all is read as many times over as this fits into its length.
pub(crate) fn window(items: &Items) -> usize {
    let sample = items.range(0, 64);
    let bytes: usize = sample.iter().map(Item::estimated_bytes).sum();
    (WINDOW_BYTES / (bytes / sample.len().max(1)).max(1)).clamp(1024, 1 << 20)
}

/// The items at these places; a chunk that is on disk is read once for all of them.
pub(crate) fn items_at(
    items: &Items,
    places: impl IntoIterator<Item = usize>,
) -> HashMap<usize, Item> {
    let mut places: Vec<usize> = places.into_iter().collect();
    places.sort_unstable();
    places.dedup();
    let mut found = HashMap::with_capacity(places.len());
    let mut rest = places.as_slice();
    while let Some((from, chunk)) = rest.first().and_then(|first| items.chunk_of(*first)) {
        let within = rest.partition_point(|place| *place < from + chunk.len());
        found.extend(
            rest[..within]
                .iter()
                .filter_map(|place| Some((*place, chunk.get(place - from)?.clone()))),
        );
        // A chunk that the disk lost comes back empty.
        rest = &rest[within.max(1)..];
    }
    found
}

/// The items at places that are in order, one after the other.
pub(crate) fn items_in_order<'i>(
    items: &'i Items,
    places: &'i [usize],
) -> impl Iterator<Item = Item> + 'i {
    let mut places = places.iter().peekable();
    let wanted = move |index: usize| places.next_if_eq(&&index).is_some();
    items
        .iter()
        .enumerate()
        .scan(wanted, |wanted, (index, item)| Some(wanted(index).then_some(item)))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_large_items_are_held_than_small_ones() {
        let list = |length: usize| Items::one(Item::new(json!({ "text": ("x".repeat(length)) })));
        assert!(window(&list(10)) > window(&list(10_000)) && window(&list(1 << 24)) == 1024);
        assert_eq!(window(&Items::new()), 1 << 20);
    }

    #[test]
    fn places_are_found_in_every_chunk() {
        let mut builder = ItemsBuilder::new(None);
        builder.extend((0..10_000).map(|number| Item::new(json!({ "n": number }))));
        let items = builder.finish().paired_by_index(0);
        let found = items_at(&items, [9_999, 0, 4_096, 4_095, 0, 20_000]);
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|(place, item)| item.json == json!({ "n": (*place as f64) })));
        let numbers: Vec<Value> =
            items_in_order(&items, &[1, 4_096, 9_999]).map(|item| item.json).collect();
        assert_eq!(numbers, [json!({ "n": 1 }), json!({ "n": 4096 }), json!({ "n": 9999 })]);
    }
}
