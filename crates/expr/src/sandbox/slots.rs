//! Remembers which data the guest already holds in parsed form.

use model::{Object, Value};
use std::sync::Arc;

/// Parsed objects that the guest keeps at a time. Small, because the same item comes back at once
/// or not at all.
const SLOTS: usize = 32;

/// The number of the first slot for data that one expression may change.
pub(super) const FIRST_OWN_SLOT: usize = SLOTS;

/// What shape of an item's data a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotShape {
    /// The JSON alone: `$json`.
    Json,
    /// The item with `json`, `binary` and `pairedItem`.
    Item,
}

#[derive(Default)]
pub(super) struct Slots {
    /// The data is held here as well, so that its address cannot be taken by other data.
    objects: Vec<(SlotShape, Arc<Object>)>,
    next: usize,
}

/// Where the guest finds an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SlotLookup {
    Cached(usize),
    /// Not there yet: to be fetched and kept in this slot.
    Fetch(usize),
    /// To be fetched and not kept.
    Once,
}

impl Slots {
    pub(super) fn lookup(&mut self, shape: SlotShape, value: &Value) -> SlotLookup {
        let Value::Object(object) = value else { return SlotLookup::Once };
        if let Some(slot) = self
            .objects
            .iter()
            .position(|(held_shape, held)| *held_shape == shape && Arc::ptr_eq(held, object))
        {
            return SlotLookup::Cached(slot);
        }
        let entry = (shape, object.clone());
        if self.objects.len() < SLOTS {
            self.objects.push(entry);
            return SlotLookup::Fetch(self.objects.len() - 1);
        }
        let slot = self.next;
        self.next = (self.next + 1) % SLOTS;
        if let Some(place) = self.objects.get_mut(slot) {
            *place = entry;
        }
        SlotLookup::Fetch(slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn the_same_data_is_found_again_and_old_data_is_replaced() {
        let mut slots = Slots::default();
        let value = json!({ "a": 1 });
        assert_eq!(slots.lookup(SlotShape::Json, &value), SlotLookup::Fetch(0));
        assert_eq!(slots.lookup(SlotShape::Json, &value.clone()), SlotLookup::Cached(0));
        assert_eq!(slots.lookup(SlotShape::Item, &value), SlotLookup::Fetch(1));
        let others: Vec<_> = (0..SLOTS).map(|number| json!({ "n": number })).collect();
        for other in &others {
            assert!(matches!(slots.lookup(SlotShape::Json, other), SlotLookup::Fetch(_)));
        }
        assert!(matches!(slots.lookup(SlotShape::Json, &value), SlotLookup::Fetch(_)));
    }
}
