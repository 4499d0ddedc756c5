//! Any bytes as a piece of a run's journal, and as its parts: reading never panics and takes
//! bounded memory, and what was read is written and read again as it was.

use bytes::Bytes;
use model::{Items, RunEvent};
use store::journal::{SegmentWriter, read_segment};

/// The first bytes say how long the piece is; the rest are parts of a few bytes each.
#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(bytes: &[u8]) {
    let Some((head, rest)) = bytes.split_at_checked(2) else { return };
    let split = usize::from(u16::from_le_bytes([head[0], head[1]])).min(rest.len());
    let (piece, parts) = rest.split_at(split);
    let parts = parts.chunks(1 + usize::from(head[0] % 64)).map(Bytes::copy_from_slice).collect();
    let Ok(events) = read_segment(piece, parts) else { return };
    // A list that is not whole says so, and cannot be written again.
    if events
        .iter()
        .flat_map(lists_of)
        .any(|items| items.iter().count() < items.len() || items.failure().is_some())
    {
        return;
    }
    let (again, parts) = written(&events);
    let read = read_segment(&again, parts);
    assert_eq!(
        format!("{:?}", read.ok()),
        format!("{:?}", Some(events)),
        "what was written is read as it was"
    );
}

fn lists_of(event: &RunEvent) -> Vec<&Items> {
    match event {
        RunEvent::RunStarted { items, .. } | RunEvent::RunResumed { items } => {
            items.iter().collect()
        }
        RunEvent::SubNodeCalled { task, .. } => task
            .data
            .values()
            .flatten()
            .flatten()
            .chain(task.input_override.iter().flatten())
            .collect(),
        RunEvent::NodeFinished { task, changed, .. } => {
            let outputs =
                task.data.values().flatten().flatten().chain(task.input_override.iter().flatten());
            outputs.chain(changed.state.iter().flat_map(|state| &state.lists)).collect()
        }
        _ => Vec::new(),
    }
}

fn written(events: &[RunEvent]) -> (Vec<u8>, Vec<Bytes>) {
    let (mut writer, mut piece, mut parts) = (SegmentWriter::default(), Vec::new(), Vec::new());
    events.iter().for_each(|event| writer.add(event));
    while !writer.is_empty() {
        let (new, bytes) = writer.take();
        parts.extend(new.into_iter().map(|part| part.bytes));
        piece.extend(bytes);
        writer.advance();
    }
    (piece, parts)
}
