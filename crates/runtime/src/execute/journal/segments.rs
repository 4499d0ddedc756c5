//! Takes what a run has recorded as segments for the store's writer, and takes back what could not
//! be written.

use super::run_journal::RunJournal;
use crate::lock;
use model::Object;
use store::blobs::NewFile;
use store::executions::{JournalSegment, SegmentSource};

impl SegmentSource for RunJournal {
    fn execution(&self) -> i64 {
        self.id
    }

    fn take(&self) -> Option<JournalSegment> {
        let mut state = lock(&self.state);
        let has_news = !state.events.is_empty()
            || state.state.is_some()
            || state.discard
            || !state.static_data.is_empty();
        if state.refusal.is_some() || !has_news {
            return None;
        }
        if state.discard && self.parent.is_none() {
            // Nobody will read it, so that only what is on disk must go.
            state.events.clear();
        }
        if state.events.bytes() == 0 && state.events.is_behind() {
            // Nothing of it is ready: somebody is at it.
            return None;
        }
        let (parts, events) = state.events.take();
        // Its status is written together with its last event, or nobody could tell that something
        // is missing.
        let is_whole = !state.events.is_behind();
        let seq = state.next_segment;
        state.next_segment += i64::from(!events.is_empty());
        // Nor is there a row before the event that the run began with is there whole.
        let is_early = !state.is_written && !is_whole && events.is_empty();
        let bytes_before = std::mem::take(&mut state.early_bytes);
        if is_early {
            state.early_bytes =
                bytes_before + parts.iter().map(|part| part.bytes.len() as i64).sum::<i64>();
        }
        let begins = !state.is_written && !is_early;
        let (started, commit_with) =
            if begins { (state.started.clone(), state.commit_with.clone()) } else { (None, None) };
        state.is_written |= begins;
        let (spent, approvals) = if is_whole {
            (std::mem::take(&mut state.spent), std::mem::take(&mut state.approvals))
        } else {
            Default::default()
        };
        let changed = if is_whole { std::mem::take(&mut state.static_data) } else { Object::new() };
        let static_data = self
            .policy
            .static_data
            .as_ref()
            .filter(|_| !changed.is_empty())
            .map(|kept| kept.with(changed));
        Some(JournalSegment {
            execution: self.id,
            workflow_id: self.workflow_id.clone(),
            seq,
            parent: self.parent.map(|caller| caller.execution),
            started,
            commit_with,
            state: state.state.take_if(|_| is_whole),
            parts,
            bytes_before: if is_early { 0 } else { bytes_before },
            events,
            spent,
            static_data,
            approvals,
            files: if is_early { Vec::new() } else { state.events.files.take() },
            has_files: state.events.files.has_any(),
            discard: is_whole && std::mem::take(&mut state.discard),
        })
    }

    fn files(&self) -> Option<(i64, Vec<NewFile>)> {
        let state = lock(&self.state);
        // Nobody keeps the files of a run that nobody keeps.
        let is_kept = !state.discard && state.refusal.is_none();
        let files = if is_kept { state.events.files.new_files() } else { &[] };
        (!files.is_empty()).then(|| (self.id, files.to_vec()))
    }

    fn on_committed(&self, segment: &JournalSegment) {
        // In the order of the disk, so that what runs begin with is what the next process finds.
        if let (Some(kept), Some(data)) = (&self.policy.static_data, &segment.static_data) {
            kept.extend(&data.changed);
        }
    }

    fn give_back(&self, mut segment: JournalSegment) {
        let mut state = lock(&self.state);
        if !state.is_written && segment.started.is_none() {
            state.early_bytes -=
                segment.parts.iter().map(|part| part.bytes.len() as i64).sum::<i64>();
        }
        state.early_bytes += segment.bytes_before;
        state.events.give_back(segment.parts, segment.events);
        segment.spent.append(&mut state.spent);
        state.spent = segment.spent;
        if let Some(mut data) = segment.static_data {
            data.changed.extend(std::mem::take(&mut state.static_data));
            state.static_data = data.changed;
        }
        segment.approvals.append(&mut state.approvals);
        state.approvals = segment.approvals;
        state.events.files.put_back(segment.files);
        state.state = state.state.take().or(segment.state);
        state.discard |= segment.discard;
        state.is_written &= segment.started.is_none();
        state.next_segment = segment.seq;
    }
}
