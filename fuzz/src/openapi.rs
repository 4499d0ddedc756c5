//! Any text as an API description: it is read or refused, ids are unique, every operation becomes a
//! call, and nothing in a path is an expression.

use formats::openapi::{Call, KnownValues, PathPart, read};
use std::collections::HashSet;

/// Operations of one document that are read in full.
const MOST_OPERATIONS: usize = 20;

#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(text: &str) {
    let Ok(document) = read(text) else { return };
    let mut ids = HashSet::new();
    assert!(
        document.operations.iter().all(|operation| ids.insert(&operation.id)),
        "an id is there twice"
    );
    for summary in document.operations.iter().take(MOST_OPERATIONS) {
        let Some(operation) = document.operation(&summary.id) else { continue };
        let call = Call::of(&document, &operation, &KnownValues::default(), None);
        for part in &call.path {
            assert!(
                !matches!(part, PathPart::Text(text) if text.contains(['{', '}'])),
                "{part:?} could begin an expression"
            );
        }
    }
}
