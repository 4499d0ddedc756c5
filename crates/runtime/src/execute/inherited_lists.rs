//! Lists that a run takes over from a journal and reads as it needs them: the run fails if one of
//! them cannot be read.

use engine::{Engine, RecordedStep};
use model::{Item, Items, Spill, SpillError, Spilled};
use std::collections::VecDeque;
use std::sync::Arc;

/// The engine for a run that begins with these records and items; `None` if it reads nothing from a
/// journal.
pub(crate) fn engine_for(
    engine: &Engine,
    recorded: &VecDeque<RecordedStep>,
    items: Option<&Items>,
) -> Option<Box<Engine>> {
    let lists = recorded.iter().flat_map(lists_of).chain(items.cloned());
    let lists: Arc<[Items]> = lists.filter(Items::is_spilled).collect();
    let make = engine.ports.spill.clone().filter(|_| !lists.is_empty())?;
    let mut engine = Box::new(engine.clone());
    engine.ports.spill =
        Some(Arc::new(move || Arc::new(InheritedSpill { inner: make(), lists: lists.clone() })));
    Some(engine)
}

fn lists_of(recorded: &RecordedStep) -> Vec<Items> {
    let task = recorded.task.iter();
    let outputs = task.clone().flat_map(|task| task.data.values().flatten().flatten());
    let inputs = task.flat_map(|task| task.input_override.iter().flatten());
    let kept = recorded.changed.state.iter().flat_map(|state| &state.lists);
    outputs.chain(inputs).chain(kept).chain(&recorded.woken_by).cloned().collect()
}

/// A run's spill that also reports failures of inherited lists.
struct InheritedSpill {
    inner: Arc<dyn Spill>,
    lists: Arc<[Items]>,
}

impl Spill for InheritedSpill {
    fn keep(&self, items: Vec<Item>, bytes: usize) -> Arc<dyn Spilled> {
        self.inner.keep(items, bytes)
    }

    fn failure(&self) -> Option<SpillError> {
        self.inner.failure().or_else(|| self.lists.iter().find_map(Items::failure))
    }
}
