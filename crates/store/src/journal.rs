//! The events of a run as bytes and back: what a row of the journal holds.

use crate::blobs::PendingFiles;
use crate::codec::{EncodeMode, Fetch, ItemDecoder, ItemEncoder, damaged};
use crate::interruptions::Trail;
use crate::large_events::{
    ChunkRef, FORMAT, IN_PARTS, LargeEvent, NewParts, PartReader, PartSpan, STREAM_BYTES,
};
pub use crate::large_events::{JournalPart, LARGE_EVENT, PART_BYTES};
use crate::passthrough::{PassthroughIndex, StepInputs};
use model::{
    AgentStage, Code, Exposure, Items, Kind, ModelUsage, NodeState, RunError, RunEvent, RunRange,
    RunStatus, Source, StageRecord, StepChanges, TaskData, TaskStatus,
};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;

const RUN_STARTED: u8 = 1;
const NODE_STARTED: u8 = 2;
const NODE_LOG: u8 = 3;
const NODE_RETRIED: u8 = 4;
const NODE_FINISHED: u8 = 5;
const NODE_SILENT: u8 = 6;
const RUN_PAUSED: u8 = 7;
const RUN_RESUMED: u8 = 8;
const RUN_FINISHED: u8 = 9;
const NODE_NOTED: u8 = 10;
const NODE_SERVED: u8 = 11;
const MODEL_USED: u8 = 12;
const STAGE_REACHED: u8 = 13;

/// How the bytes of a piece are to be read. Whoever changes what [`SegmentWriter`] writes in a way
/// that the version before could not read raises it; pieces of all lower ones are still read.
pub const SEGMENT_FORMAT: i64 = 2;

/// A piece of the journal takes no more than this, far below what the database takes; a piece that
/// is longer is cut.
const MAX_SEGMENT: usize = 16 << 20;

/// The events of one run on their way to disk, as bytes. Events are written whole; one that is too
/// large goes into parts first, a little at a time ([`SegmentWriter::advance`]), and those that come
/// meanwhile wait behind it.
#[derive(Default)]
pub struct SegmentWriter {
    events: Vec<u8>,
    parts: NewParts,
    pub files: PendingFiles,
    told: PassthroughIndex,
    large: Option<Box<LargeEvent>>,
    behind: VecDeque<RunEvent>,
    /// The last piece was cut: there is more of what was added before it.
    is_cut: bool,
}

impl SegmentWriter {
    /// A writer with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self { events: Vec::with_capacity(bytes), ..Self::default() }
    }

    /// The writer of a run of which so many parts are on disk.
    pub fn after(parts: i64) -> Self {
        Self { parts: NewParts::after(parts), ..Self::default() }
    }

    /// Adds an event. Pieces can be cut and joined between events, and are read in the order in
    /// which they were written. Large files are named, and left to whoever gathers them.
    pub fn add(&mut self, event: &RunEvent) {
        let is_next = !self.has_more();
        self.add_deferred(event);
        if is_next {
            self.advance();
        }
    }

    /// The same for whoever must not be held up: what takes long waits for
    /// [`SegmentWriter::advance`], and so does what comes behind it.
    pub fn add_deferred(&mut self, event: &RunEvent) {
        if self.has_more() || self.files.new_bytes() >= STREAM_BYTES {
            self.behind.push_back(event.clone());
            return;
        }
        match self.add_whole(event, EncodeMode::Immediate) {
            FitResult::Whole => {}
            FitResult::TooLarge => {
                self.large = Some(Box::new(LargeEvent::new(event.clone(), &self.told)))
            }
            FitResult::Deferred => self.behind.push_back(event.clone()),
        }
    }

    /// Adds an event unless it does not fit; then nothing of it was added.
    fn add_whole(&mut self, event: &RunEvent, haste: EncodeMode) -> FitResult {
        let (start, files) = (self.events.len(), self.files.mark());
        let mut writer = ItemEncoder::naming(&mut self.files);
        writer.out = std::mem::take(&mut self.events);
        writer.most = Some(start + LARGE_EVENT);
        writer.files_since = Some(files);
        writer.haste = haste;
        writer.event(event, &self.told);
        let end = writer.out.len();
        let fit = match () {
            () if writer.is_put_off() => FitResult::Deferred,
            () if writer.is_too_much() => FitResult::TooLarge,
            () => FitResult::Whole,
        };
        if fit == FitResult::Whole {
            writer.length(end - start);
        }
        let shift = writer.out.len() - end;
        self.events = writer.out;
        if fit == FitResult::Whole {
            // The length is known last and stands first.
            self.events[start..].rotate_right(shift);
            self.told.add(event, 0);
        } else {
            self.events.truncate(start);
            self.files.rewind(files);
        }
        fit
    }

    /// Writes more of a large event, and what waits behind it, until there is enough to go to disk.
    /// The files that are named count too: they are held until they are there.
    pub fn advance(&mut self) {
        self.files.release_written();
        // While there is nothing to take, files alone do not end it: nobody would come for them.
        while self.bytes() == 0 || self.parts.bytes() + self.files.new_bytes() < STREAM_BYTES {
            if let Some(large) = &mut self.large {
                if large.write_chunk(&mut self.files, &mut self.parts).is_some() {
                    continue;
                }
                if let Some(large) = self.large.take() {
                    self.end_large(large);
                }
            }
            let Some(event) = self.behind.pop_front() else { return };
            if self.add_whole(&event, EncodeMode::Blocking) != FitResult::Whole {
                self.large = Some(Box::new(LargeEvent::new(event, &self.told)));
            }
        }
    }

    /// Whether something waits for [`SegmentWriter::advance`].
    fn has_more(&self) -> bool {
        self.large.is_some() || !self.behind.is_empty()
    }

    /// What is left of a large event when its lists are in parts.
    fn end_large(&mut self, mut large: Box<LargeEvent>) {
        let mut writer = ItemEncoder::naming(&mut self.files);
        writer.lists = Some(large.take_lists());
        writer.event(&large.event, &self.told);
        writer.lists = None;
        let body = writer.out;
        let mut frame = ItemEncoder::default();
        frame.out = std::mem::take(&mut self.events);
        if body.len() <= LARGE_EVENT {
            frame.bytes(&body);
        } else {
            frame.out.extend_from_slice(&IN_PARTS);
            frame.out.push(FORMAT);
            frame.out.push(body.first().copied().unwrap_or_default());
            frame.span(self.parts.add(body));
        }
        self.events = frame.out;
        self.told.add(&large.event, large.passes);
    }

    /// Whether something was added that [`SegmentWriter::take`] does not give yet, or not at once.
    pub fn is_behind(&self) -> bool {
        self.is_cut
            || self.has_more()
            || self.parts.bytes() > MAX_SEGMENT
            || self.events.len() > MAX_SEGMENT
    }

    /// How much waits to be taken.
    pub fn bytes(&self) -> usize {
        self.events.len() + self.parts.bytes()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.parts.is_empty() && !self.has_more()
    }

    /// What is next on its way to disk: parts, and the events behind them.
    pub fn take(&mut self) -> (Vec<JournalPart>, Vec<u8>) {
        let parts = self.parts.take(MAX_SEGMENT);
        self.is_cut = !self.parts.is_empty();
        if self.is_cut {
            return (parts, Vec::new());
        }
        let rest = match self.events.len() > MAX_SEGMENT {
            true => self.events.split_off(end_of_events(&self.events, MAX_SEGMENT)),
            false => Vec::new(),
        };
        self.is_cut = !rest.is_empty();
        (parts, std::mem::replace(&mut self.events, rest))
    }

    /// Leaves out what was not taken: nobody wants it.
    pub fn clear(&mut self) {
        self.events = Vec::new();
        self.parts.take(usize::MAX);
        (self.large, self.behind, self.is_cut) = (None, VecDeque::new(), false);
    }

    pub fn give_back(&mut self, parts: Vec<JournalPart>, mut events: Vec<u8>) {
        self.parts.give_back(parts);
        events.append(&mut self.events);
        self.events = events;
    }
}

/// Whether an event was added whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FitResult {
    Whole,
    /// It goes into parts.
    TooLarge,
    /// It has a large file that must be added up first.
    Deferred,
}

/// Where the last event ends that is within so many bytes.
fn end_of_events(events: &[u8], most: usize) -> usize {
    let mut reader = ItemDecoder::new(events);
    let mut end = 0;
    while skip_event(&mut reader).is_ok() && reader.at() <= most {
        end = reader.at();
    }
    end
}

fn skip_event(outer: &mut ItemDecoder<'_>) -> io::Result<()> {
    if outer.is_in_parts()? {
        outer.byte()?;
        outer.span()?;
    } else {
        let length = outer.length()?;
        outer.take(length)?;
    }
    Ok(())
}

/// Where the events of a piece are that stand in parts themselves.
pub(crate) fn bodies_in_parts(piece: &[u8]) -> io::Result<Vec<PartSpan>> {
    let (mut outer, mut found) = (ItemDecoder::new(piece), Vec::new());
    while !outer.is_done() {
        if outer.is_in_parts()? {
            outer.byte()?;
            found.push(outer.span()?);
        } else {
            let length = outer.length()?;
            outer.take(length)?;
        }
    }
    Ok(found)
}

/// The events of a piece, in order; at most so many.
pub(crate) fn read_events<'a>(
    piece: &'a [u8],
    most: usize,
    fetch: &'a Fetch<'a>,
    parts: &Arc<PartReader>,
    told: &mut PassthroughIndex,
) -> io::Result<Vec<RunEvent>> {
    let mut outer = ItemDecoder::new(piece);
    let mut events = Vec::new();
    while !outer.is_done() && events.len() < most {
        let event = if outer.is_in_parts()? {
            let kind = outer.byte()?;
            let body = parts.read(outer.span()?)?;
            if body.first() != Some(&kind) {
                return Err(damaged());
            }
            read_event(&body, fetch, parts, told)?
        } else {
            let length = outer.length()?;
            read_event(outer.take(length)?, fetch, parts, told)?
        };
        told.add(&event, 0);
        events.push(event);
    }
    Ok(events)
}

/// The events of a piece whose parts are at hand; for whoever looks at a journal without a
/// database. Files are left out.
pub fn read_segment(piece: &[u8], parts: Vec<bytes::Bytes>) -> io::Result<Vec<RunEvent>> {
    let no_files = |_, _| Err(damaged());
    read_events(
        piece,
        usize::MAX,
        &no_files,
        &PartReader::new(parts),
        &mut PassthroughIndex::default(),
    )
}

fn read_event<'r>(
    bytes: &'r [u8],
    fetch: &'r Fetch<'r>,
    parts: &Arc<PartReader>,
    told: &PassthroughIndex,
) -> io::Result<RunEvent> {
    let mut reader = ItemDecoder::new(bytes);
    reader.fetch = Some(fetch);
    reader.parts = Some(parts.clone());
    let event = reader.event(told)?;
    if reader.is_done() { Ok(event) } else { Err(damaged()) }
}

/// Goes over the events of a piece by their kinds, and looks at nothing else of them but the names
/// of steps that began.
pub(crate) fn scan_segment(piece: &[u8], is_asked_for: bool, trail: &mut Trail) -> io::Result<()> {
    let mut outer = ItemDecoder::new(piece);
    while !outer.is_done() {
        trail.events += 1;
        let (kind, mut reader) = if outer.is_in_parts()? {
            let kind = outer.byte()?;
            outer.span()?;
            (kind, None)
        } else {
            let length = outer.length()?;
            let mut reader = ItemDecoder::new(outer.take(length)?);
            (reader.byte()?, Some(reader))
        };
        match kind {
            NODE_STARTED => trail.last_step = reader.as_mut().map(ItemDecoder::text).transpose()?,
            NODE_FINISHED | NODE_SILENT | NODE_NOTED | RUN_PAUSED => {
                trail.has_progress |= is_asked_for
            }
            _ => {}
        }
    }
    Ok(())
}

impl ItemEncoder<'_> {
    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn moment(&mut self, milliseconds: i64) {
        self.out.extend_from_slice(&milliseconds.to_le_bytes());
    }

    fn flag(&mut self, flag: bool) {
        self.out.push(u8::from(flag));
    }

    fn maybe<T>(&mut self, value: Option<&T>, write: impl FnOnce(&mut Self, &T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            write(self, value);
        }
    }

    fn items(&mut self, items: &Items) {
        self.output(items, &StepInputs::default());
    }

    /// What a step put out, of which some may be what came to it.
    fn output(&mut self, items: &Items, came_in: &StepInputs) {
        if let Some(chunks) = self.lists.as_mut().map(VecDeque::pop_front) {
            return self.named(chunks.unwrap_or_default());
        }
        self.length(items.len());
        // The length stands before them, so all must follow: this walk is never ended early.
        for (at, item) in items.enumerate_from(0) {
            self.item_from(&item, came_in.find_input(&item, at));
            if self.is_too_much() {
                return;
            }
        }
    }

    /// A list that was written in parts.
    fn named(&mut self, chunks: Vec<ChunkRef>) {
        self.out.extend_from_slice(&IN_PARTS);
        self.out.push(FORMAT);
        self.length(chunks.len());
        for chunk in chunks {
            self.span(chunk.span);
            self.length(chunk.items);
        }
    }

    fn span(&mut self, span: PartSpan) {
        self.length(span.first as usize);
        self.length(span.count);
    }

    fn event(&mut self, event: &RunEvent, told: &PassthroughIndex) {
        match event {
            RunEvent::RunStarted {
                run_id,
                workflow_id,
                workflow_name,
                mode,
                started_ms,
                start_node,
                items,
                extent,
                called_by_model,
            } => {
                self.out.push(RUN_STARTED);
                for text in [run_id, workflow_id, workflow_name, mode] {
                    self.text(text);
                }
                self.moment(*started_ms);
                self.optional(start_node.as_ref());
                self.maybe(items.as_ref(), Self::items);
                // Most runs cover everything, as all did before there was anything to say about it.
                if !extent.is_everything() || called_by_model.is_some() {
                    self.optional(extent.from.as_ref());
                    self.optional(extent.until.as_ref());
                }
                if let Some(met) = called_by_model {
                    self.out.push(u8::from(met.untrusted) | u8::from(met.private) << 1);
                }
            }
            RunEvent::NodeStarted { node, run_index, started_ms } => {
                self.out.push(NODE_STARTED);
                self.text(node);
                self.length(*run_index);
                self.moment(*started_ms);
            }
            RunEvent::NodeLog { node, line } => {
                self.out.push(NODE_LOG);
                self.text(node);
                self.text(line);
            }
            RunEvent::StepRecorded { node, key, value } => {
                self.out.push(NODE_NOTED);
                self.text(node);
                self.text(key);
                self.value(value);
            }
            RunEvent::SubNodeCalled { node, task } => {
                self.out.push(NODE_SERVED);
                self.text(node);
                self.task(task, &StepInputs::default());
            }
            RunEvent::ModelUsed { node, spent } => {
                self.out.push(MODEL_USED);
                self.text(node);
                self.spent(spent);
            }
            RunEvent::StageReached { node, run_index, reached } => {
                self.out.push(STAGE_REACHED);
                self.text(node);
                self.length(*run_index);
                self.text(reached.stage.name());
                self.moment(reached.at_ms);
                self.length(reached.item);
                self.text(&reached.call);
                self.value(&reached.detail);
            }
            RunEvent::NodeRetried { node, attempt, error } => {
                self.out.push(NODE_RETRIED);
                self.text(node);
                self.length(*attempt as usize);
                self.error(error);
            }
            RunEvent::NodeFinished { node, run_index, task, changed } => {
                self.out.push(NODE_FINISHED);
                self.text(node);
                self.length(*run_index);
                self.task(task, &told.resident_inputs(&task.source, 0).0);
                self.changed(changed);
            }
            RunEvent::NodeSilent { node } => {
                self.out.push(NODE_SILENT);
                self.text(node);
            }
            RunEvent::RunPaused { node, until_ms, params, waits_for, asks } => {
                self.out.push(RUN_PAUSED);
                self.text(node);
                self.maybe(until_ms.as_ref(), |writer, moment| writer.moment(*moment));
                self.maybe(params.as_ref(), Self::value);
                self.optional(waits_for.as_ref());
                // Few do, and none did before agents could ask.
                if *asks {
                    self.flag(true);
                }
            }
            RunEvent::RunResumed { items } => {
                self.out.push(RUN_RESUMED);
                self.maybe(items.as_ref(), Self::items);
            }
            RunEvent::RunFinished { status, error, finished_ms } => {
                self.out.push(RUN_FINISHED);
                self.text(status.name());
                self.maybe(error.as_ref(), Self::error);
                self.moment(*finished_ms);
            }
        }
    }

    fn spent(&mut self, spent: &ModelUsage) {
        self.text(&spent.provider);
        self.text(&spent.model);
        self.optional(spent.session.as_ref());
        self.moment(spent.at_ms);
        for tokens in [spent.input, spent.cached, spent.output] {
            self.length(tokens as usize);
        }
        self.maybe(spent.dollars.as_ref(), |writer, dollars| {
            writer.out.extend_from_slice(&dollars.to_le_bytes())
        });
    }

    fn task(&mut self, task: &TaskData, came_in: &StepInputs) {
        self.moment(task.start_time_ms);
        self.length(task.execution_index);
        self.length(task.execution_time_ms as usize);
        self.length(task.source.len());
        for source in &task.source {
            self.maybe(source.as_ref(), Self::source);
        }
        self.length(task.data.len());
        for (kind, outputs) in &task.data {
            self.text(kind.name());
            self.length(outputs.len());
            for output in outputs {
                self.maybe(output.as_ref(), |writer, items| writer.output(items, came_in));
            }
        }
        self.maybe(task.error.as_ref(), Self::error);
        self.text(task.status.name());
        self.maybe(task.input_override.as_ref(), |writer, inputs| {
            writer.length(inputs.len());
            inputs.iter().for_each(|items| writer.items(items));
        });
        self.length(task.hints.len());
        task.hints.iter().for_each(|hint| self.text(hint));
        self.maybe(task.metadata.as_ref(), Self::value);
    }

    fn source(&mut self, source: &Source) {
        self.name(&source.node);
        self.length(source.output);
        self.length(source.run);
    }

    fn changed(&mut self, changed: &StepChanges) {
        self.maybe(changed.state.as_ref(), |writer, state| {
            writer.object(&state.context);
            writer.length(state.lists.len());
            state.lists.iter().for_each(|items| writer.items(items));
        });
        self.maybe(changed.static_data.as_ref(), Self::value);
        self.maybe(changed.custom_data.as_ref(), Self::object);
    }

    fn error(&mut self, error: &RunError) {
        self.text(error.code.name());
        self.text(&error.message);
        self.optional(error.description.as_ref());
        self.optional(error.hint.as_ref());
        self.text(&error.name);
        self.optional(error.node.as_ref());
        self.maybe(error.item.as_ref(), |writer, item| writer.length(*item));
        self.object(&error.context);
    }
}

impl ItemDecoder<'_> {
    fn moment(&mut self) -> io::Result<i64> {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(self.take(8)?);
        Ok(i64::from_le_bytes(bytes))
    }

    fn flag(&mut self) -> io::Result<bool> {
        Ok(self.byte()? != 0)
    }

    fn maybe<T>(&mut self, read: impl FnOnce(&mut Self) -> io::Result<T>) -> io::Result<Option<T>> {
        if self.flag()? { read(self).map(Some) } else { Ok(None) }
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> io::Result<T>) -> io::Result<Vec<T>> {
        let count = self.count()?;
        (0..count).map(|_| read(self)).collect()
    }

    fn items(&mut self) -> io::Result<Items> {
        if !self.is_in_parts()? {
            return self.list(Self::item).map(Items::from);
        }
        let chunks =
            self.list(|reader| Ok(ChunkRef { span: reader.span()?, items: reader.length()? }))?;
        let parts = self.parts.as_ref().ok_or_else(damaged)?;
        Ok(parts.list(chunks, &self.came_in))
    }

    fn span(&mut self) -> io::Result<PartSpan> {
        let first = i64::try_from(self.length()?).map_err(|_| damaged())?;
        Ok(PartSpan { first, count: self.length()? })
    }

    fn exposure(&mut self) -> io::Result<Exposure> {
        match self.byte()? {
            bits @ 0..4 => Ok(Exposure { untrusted: bits & 1 != 0, private: bits & 2 != 0 }),
            _ => Err(damaged()),
        }
    }

    fn event(&mut self, told: &PassthroughIndex) -> io::Result<RunEvent> {
        Ok(match self.byte()? {
            RUN_STARTED => RunEvent::RunStarted {
                run_id: self.text()?,
                workflow_id: self.text()?,
                workflow_name: self.text()?,
                mode: self.text()?,
                started_ms: self.moment()?,
                start_node: self.optional()?,
                items: self.maybe(Self::items)?,
                extent: if self.is_done() {
                    RunRange::default()
                } else {
                    RunRange { from: self.optional()?, until: self.optional()? }
                },
                called_by_model: if self.is_done() { None } else { Some(self.exposure()?) },
            },
            NODE_STARTED => RunEvent::NodeStarted {
                node: self.text()?,
                run_index: self.length()?,
                started_ms: self.moment()?,
            },
            NODE_LOG => RunEvent::NodeLog { node: self.text()?, line: self.text()? },
            NODE_NOTED => RunEvent::StepRecorded {
                node: self.text()?,
                key: self.text()?,
                value: self.value()?,
            },
            NODE_SERVED => {
                RunEvent::SubNodeCalled { node: self.text()?, task: Arc::new(self.task(told)?) }
            }
            MODEL_USED => RunEvent::ModelUsed { node: self.text()?, spent: self.spent()? },
            STAGE_REACHED => RunEvent::StageReached {
                node: self.text()?,
                run_index: self.length()?,
                reached: StageRecord {
                    stage: AgentStage::from_name(&self.text()?).ok_or_else(damaged)?,
                    at_ms: self.moment()?,
                    item: self.length()?,
                    call: self.text()?,
                    detail: self.value()?,
                },
            },
            NODE_RETRIED => RunEvent::NodeRetried {
                node: self.text()?,
                attempt: self.length()? as u32,
                error: self.error()?,
            },
            NODE_FINISHED => RunEvent::NodeFinished {
                node: self.text()?,
                run_index: self.length()?,
                task: Arc::new(self.task(told)?),
                changed: self.changed()?,
            },
            NODE_SILENT => RunEvent::NodeSilent { node: self.text()? },
            RUN_PAUSED => RunEvent::RunPaused {
                node: self.text()?,
                until_ms: self.maybe(Self::moment)?,
                params: self.maybe(Self::value)?,
                waits_for: self.optional()?,
                asks: if self.is_done() { false } else { self.flag()? },
            },
            RUN_RESUMED => RunEvent::RunResumed { items: self.maybe(Self::items)? },
            RUN_FINISHED => RunEvent::RunFinished {
                status: RunStatus::from_name(&self.text()?).ok_or_else(damaged)?,
                error: self.maybe(Self::error)?,
                finished_ms: self.moment()?,
            },
            _ => return Err(damaged()),
        })
    }

    fn spent(&mut self) -> io::Result<ModelUsage> {
        Ok(ModelUsage {
            provider: self.text()?,
            model: self.text()?,
            session: self.optional()?,
            at_ms: self.moment()?,
            input: self.length()? as u64,
            cached: self.length()? as u64,
            output: self.length()? as u64,
            dollars: self.maybe(Self::double)?,
        })
    }

    fn task(&mut self, told: &PassthroughIndex) -> io::Result<TaskData> {
        let (start_time_ms, execution_index, execution_time_ms) =
            (self.moment()?, self.length()?, self.length()? as u64);
        let source = self.list(|reader| reader.maybe(Self::source))?;
        self.came_in = Arc::new(told.input_lists(&source));
        Ok(TaskData {
            start_time_ms,
            execution_index,
            execution_time_ms,
            source,
            data: self.list(Self::outputs)?.into_iter().collect::<BTreeMap<_, _>>(),
            error: self.maybe(Self::error)?,
            status: TaskStatus::from_name(&self.text()?).ok_or_else(damaged)?,
            input_override: self.maybe(|reader| reader.list(Self::items))?,
            hints: self.list(Self::text)?,
            metadata: self.maybe(Self::value)?,
        })
    }

    fn outputs(&mut self) -> io::Result<(Kind, Vec<Option<Items>>)> {
        let kind = Kind::from_name(&self.text()?).ok_or_else(damaged)?;
        Ok((kind, self.list(|reader| reader.maybe(Self::items))?))
    }

    fn source(&mut self) -> io::Result<Source> {
        Ok(Source { node: self.name()?, output: self.length()?, run: self.length()? })
    }

    fn changed(&mut self) -> io::Result<StepChanges> {
        Ok(StepChanges {
            state: self.maybe(|reader| {
                Ok(NodeState { context: reader.object()?, lists: reader.list(Self::items)? })
            })?,
            static_data: self.maybe(Self::value)?,
            custom_data: self.maybe(Self::object)?,
        })
    }

    fn error(&mut self) -> io::Result<RunError> {
        Ok(RunError {
            // A code that this version does not know came from another one; its message still
            // tells.
            code: Code::from_name(&self.text()?).unwrap_or(Code::NODE_FAILED),
            message: self.text()?,
            description: self.optional()?,
            hint: self.optional()?,
            name: self.text()?,
            node: self.optional()?,
            item: self.maybe(Self::length)?,
            context: self.object()?,
        })
    }
}

#[cfg(test)]
mod tests;
