//! Long work in loops of our own. Walking the items of an input needs nothing of this: the engine
//! watches it.

use ports::NodeError;
use std::cell::Cell;

/// Lets others have their turn, and fails once the step's CPU time is used up or the run was
/// stopped.
pub fn tick() -> Result<(), NodeError> {
    compute::tick().map_err(|exceeded| NodeError::cpu_time(exceeded.limit.as_millis()))
}

/// Does so once in many short turns of a loop.
#[derive(Default)]
pub struct LoopTicker(Cell<u32>);

impl LoopTicker {
    pub fn tick(&self) -> Result<(), NodeError> {
        self.every(1024)
    }

    /// The same for turns in which an item is made.
    pub fn tick_for_item(&self) -> Result<(), NodeError> {
        self.every(16)
    }

    fn every(&self, n_turns: u32) -> Result<(), NodeError> {
        let turns = self.0.get().wrapping_add(1);
        self.0.set(turns);
        if turns.is_multiple_of(n_turns) { tick() } else { Ok(()) }
    }
}
