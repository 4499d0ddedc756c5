//! The events of a run as bytes and back: what a row of the journal holds.

use crate::blobs::Gathered;
use crate::codec::{Fetch, Reader, Writer, damaged};
use crate::told::CameIn;
pub use crate::told::Told;
use model::{Changed, Code, Extent, Items, Kind, NodeState, RunError, RunEvent, RunStatus, Source, Spent, TaskData, TaskStatus};
use std::collections::BTreeMap;
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

/// Adds an event to a piece of the journal. Pieces can be cut and joined between events, and are read in the order in which they
/// were written. Large files are named, and left to whoever gathers them.
pub fn write_event(piece: &mut Vec<u8>, event: &RunEvent, files: &mut Gathered, told: &mut Told) {
    let start = piece.len();
    let mut writer = Writer::naming(files);
    writer.out = std::mem::take(piece);
    writer.event(event, told);
    told.add(event);
    let end = writer.out.len();
    writer.length(end - start);
    let shift = writer.out.len() - end;
    *piece = writer.out;
    // The length is known last and stands first.
    piece[start..].rotate_right(shift);
}

/// The events of a piece, in order; at most so many.
pub(crate) fn read_events<'a>(piece: &'a [u8], most: usize, fetch: &'a Fetch<'a>, told: &mut Told) -> io::Result<Vec<RunEvent>> {
    let mut outer = Reader::new(piece);
    let mut events = Vec::new();
    while !outer.is_done() && events.len() < most {
        let length = outer.length()?;
        let mut reader = Reader::new(outer.take(length)?);
        reader.fetch = Some(fetch);
        let event = reader.event(told)?;
        told.add(&event);
        events.push(event);
        if !reader.is_done() {
            return Err(damaged());
        }
    }
    Ok(events)
}

impl Writer<'_> {
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
        self.length(items.len());
        for item in items.iter() {
            self.item(&item);
        }
    }

    /// What a step put out, of which some may be what came to it.
    fn output(&mut self, items: &Items, came_in: &CameIn) {
        self.length(items.len());
        for (at, item) in items.iter().enumerate() {
            self.item_from(&item, came_in.place_of(&item, at));
        }
    }

    fn event(&mut self, event: &RunEvent, told: &Told) {
        match event {
            RunEvent::RunStarted { run_id, workflow_id, workflow_name, mode, started_ms, start_node, items, extent } => {
                self.out.push(RUN_STARTED);
                for text in [run_id, workflow_id, workflow_name, mode] {
                    self.text(text);
                }
                self.moment(*started_ms);
                self.optional(start_node.as_ref());
                self.maybe(items.as_ref(), Self::items);
                // Most runs cover everything, as all did before there was anything to say about it.
                if !extent.is_everything() {
                    self.optional(extent.from.as_ref());
                    self.optional(extent.until.as_ref());
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
            RunEvent::NodeNoted { node, key, value } => {
                self.out.push(NODE_NOTED);
                self.text(node);
                self.text(key);
                self.value(value);
            }
            RunEvent::NodeServed { node, task } => {
                self.out.push(NODE_SERVED);
                self.text(node);
                self.task(task, &CameIn::default());
            }
            RunEvent::ModelUsed { node, spent } => {
                self.out.push(MODEL_USED);
                self.text(node);
                self.spent(spent);
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
                self.task(task, &told.held(&task.source));
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

    fn spent(&mut self, spent: &Spent) {
        self.text(&spent.provider);
        self.text(&spent.model);
        self.optional(spent.session.as_ref());
        self.moment(spent.at_ms);
        for tokens in [spent.input, spent.cached, spent.output] {
            self.length(tokens as usize);
        }
        self.maybe(spent.dollars.as_ref(), |writer, dollars| writer.out.extend_from_slice(&dollars.to_le_bytes()));
    }

    fn task(&mut self, task: &TaskData, came_in: &CameIn) {
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

    fn changed(&mut self, changed: &Changed) {
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

impl Reader<'_> {
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
        self.list(Self::item).map(Items::from)
    }

    fn event(&mut self, told: &Told) -> io::Result<RunEvent> {
        Ok(match self.byte()? {
            RUN_STARTED => RunEvent::RunStarted {
                run_id: self.text()?,
                workflow_id: self.text()?,
                workflow_name: self.text()?,
                mode: self.text()?,
                started_ms: self.moment()?,
                start_node: self.optional()?,
                items: self.maybe(Self::items)?,
                extent: if self.is_done() { Extent::default() } else { Extent { from: self.optional()?, until: self.optional()? } },
            },
            NODE_STARTED => RunEvent::NodeStarted { node: self.text()?, run_index: self.length()?, started_ms: self.moment()? },
            NODE_LOG => RunEvent::NodeLog { node: self.text()?, line: self.text()? },
            NODE_NOTED => RunEvent::NodeNoted { node: self.text()?, key: self.text()?, value: self.value()? },
            NODE_SERVED => RunEvent::NodeServed { node: self.text()?, task: Arc::new(self.task(told)?) },
            MODEL_USED => RunEvent::ModelUsed { node: self.text()?, spent: self.spent()? },
            NODE_RETRIED => RunEvent::NodeRetried { node: self.text()?, attempt: self.length()? as u32, error: self.error()? },
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

    fn spent(&mut self) -> io::Result<Spent> {
        Ok(Spent {
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

    fn task(&mut self, told: &Told) -> io::Result<TaskData> {
        let (start_time_ms, execution_index, execution_time_ms) = (self.moment()?, self.length()?, self.length()? as u64);
        let source = self.list(|reader| reader.maybe(Self::source))?;
        self.came_in = told.lists(&source);
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

    fn changed(&mut self) -> io::Result<Changed> {
        Ok(Changed {
            state: self.maybe(|reader| Ok(NodeState { context: reader.object()?, lists: reader.list(Self::items)? }))?,
            static_data: self.maybe(Self::value)?,
            custom_data: self.maybe(Self::object)?,
        })
    }

    fn error(&mut self) -> io::Result<RunError> {
        Ok(RunError {
            // A code that this version does not know came from another one; its message still tells.
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
