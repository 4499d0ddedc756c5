//! Code nodes: a program over the items of a run, with promises, timers and requests.

use model::Item;

#[derive(Default)]
pub(super) struct CodeState {
    pub(super) item: Option<Item>,
}
