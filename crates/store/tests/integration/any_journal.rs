//! Any bytes as a journal are harmless: the fuzzer's property on bounded random input.

#[path = "../../../../fuzz/src/journal.rs"]
mod property;

use model::{Item, Items, RunEvent, RunRange, json};
use proptest::prelude::*;
use store::journal::SegmentWriter;

/// A piece that is in order, with a list in parts, to be damaged.
fn whole() -> Vec<u8> {
    let items: Items = (0..40)
        .map(|number| Item::new(json!({ "n": number, "t": "x".repeat(2000) })).paired_with(number))
        .collect();
    let mut writer = SegmentWriter::default();
    writer.add(&RunEvent::RunStarted {
        run_id: "1".into(),
        workflow_id: "w".into(),
        workflow_name: "W".into(),
        mode: "webhook".into(),
        started_ms: 1,
        start_node: None,
        items: Some(items.clone()),
        extent: RunRange::default(),
        called_by_model: None,
    });
    writer.add(&RunEvent::RunResumed { items: Some(items.range(0, 2).into()) });
    let (parts, events) = writer.take();
    let mut bytes = (events.len() as u16).to_le_bytes().to_vec();
    bytes.extend(events);
    parts.iter().for_each(|part| bytes.extend_from_slice(&part.bytes));
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_harmless(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        property::holds(&bytes);
    }

    #[test]
    fn damaged_pieces_are_harmless(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = whole();
        // Most of it is one long text, where nothing much happens.
        let at = at.index(400.min(bytes.len()));
        bytes[at] = byte;
        property::holds(&bytes);
    }
}
