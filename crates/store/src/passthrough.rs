//! What the journal of a run has told so far: fields that come to a step and leave it as they are
//! need no telling again.

use model::{Item, Items, ResidentItems, RunEvent, Source, Str, TaskData, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// The lists that a later step may have got. Who writes and who reads take in the same events, and
/// so mean the same lists.
#[derive(Default)]
pub(crate) struct PassthroughIndex {
    /// What the run began with.
    begun: Option<(Items, ListDepth)>,
    steps: HashMap<(Str, usize), (Arc<TaskData>, ListDepth)>,
}

/// How many lists deep the items of an event are that was written in parts; none of one that was
/// written whole.
type ListDepth = u8;

impl PassthroughIndex {
    pub(crate) fn add(&mut self, event: &RunEvent, passes: ListDepth) {
        match event {
            RunEvent::RunStarted { items, .. } => {
                self.begun = items.clone().map(|items| (items, passes))
            }
            RunEvent::NodeFinished { node, run_index, task, .. } => {
                self.steps.insert((node.clone(), *run_index), (task.clone(), passes));
            }
            RunEvent::RunFinished { .. } => *self = Self::default(),
            _ => {}
        }
    }

    /// What came to a step, input by input. To one that no other fed came what the run began with.
    fn inputs_of<'t>(
        &'t self,
        sources: &'t [Option<Source>],
    ) -> impl Iterator<Item = Option<(&'t Items, ListDepth)>> {
        let begun = sources
            .iter()
            .all(Option::is_none)
            .then(|| self.begun.as_ref().map(|(items, passes)| (items, *passes)));
        let fed = sources.iter().filter(move |_| begun.is_none()).map(|source| {
            let source = source.as_ref()?;
            let (task, passes) = self.steps.get(&(source.node.clone(), source.run))?;
            Some((task.output(source.output)?, *passes))
        });
        begun.into_iter().chain(fed)
    }

    /// The same for whoever writes: what is on disk is not read back only to find that it passes
    /// on. Only lists that are at most so deep may be named; the deepest of them comes along.
    pub(crate) fn resident_inputs(
        &self,
        sources: &[Option<Source>],
        deepest: ListDepth,
    ) -> (StepInputs, ListDepth) {
        let mut passes = 0;
        let lists = self.inputs_of(sources).map(|list| {
            let (items, depth) = list.filter(|(_, depth)| *depth <= deepest)?;
            passes = passes.max(depth);
            Some(items.held())
        });
        (StepInputs(lists.collect()), passes)
    }

    /// The same for whoever reads.
    pub(crate) fn input_lists(&self, sources: &[Option<Source>]) -> Vec<Option<Items>> {
        self.inputs_of(sources).map(|list| list.map(|(items, _)| items.clone())).collect()
    }
}

/// What came to a step, as far as it is in memory.
#[derive(Default)]
pub(crate) struct StepInputs(Vec<Option<ResidentItems>>);

/// An item that came to a step: the input, and the place among what came there.
pub(crate) type InputRef = (usize, usize);

impl StepInputs {
    /// Where the fields of an output's item came in, if they did.
    pub(crate) fn find_input(&self, item: &Item, at: usize) -> Option<InputRef> {
        let place = match item.paired.first() {
            Some(pair) if pair.source.is_none() => (pair.input as usize, pair.item as usize),
            _ => (0, at),
        };
        let came = self.0.get(place.0)?.as_ref()?.json(place.1)?;
        match (came, &item.json) {
            (Value::Object(came), Value::Object(left)) if Arc::ptr_eq(came, left) => Some(place),
            _ => None,
        }
    }
}
