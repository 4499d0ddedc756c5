//! What runs begin with, and go on with.

use crate::accounts::Caller;
use crate::going::Going;
use crate::loaded::Loaded;
use crate::log::{RunLog, Written};
use crate::place::Held;
use crate::routes::Hook;
use crate::stream::Pieces;
use engine::{Recorded, Spending};
use model::{Exposure, Extent, Item, Items, Object, SpentSum, Str, TaskData};
use node_api::StartedBy;
use node_api::trigger::{Answer, CHAT_MODE, Takes};
use std::collections::VecDeque;
use std::sync::Arc;
use store::executions::{CalledFrom, CommitWith, Execution};
use store::workflows::StaticData;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio_util::sync::CancellationToken;

/// A run that is to begin.
pub struct Start {
    pub workflow: Arc<Loaded>,
    pub cause: StartedBy,
    pub node: Option<Str>,
    pub items: Option<Items>,
    /// n8n's word for what started it: `webhook`, `trigger`, `manual` …
    pub mode: &'static str,
    pub retry_of: Option<i64>,
    pub extent: Extent,
    /// What the log calls the request that it begins with, if there is one.
    pub request_id: Str,
}

impl Start {
    /// A run that a trigger starts by itself.
    pub(crate) fn of_trigger(workflow: &Arc<Loaded>, node: &Str, items: Option<Items>) -> Self {
        Self {
            workflow: workflow.clone(),
            cause: StartedBy::Hand,
            node: Some(node.clone()),
            items,
            mode: "trigger",
            retry_of: None,
            extent: Extent::default(),
            request_id: Str::new(),
        }
    }

    /// A run that a call of an address starts.
    pub(crate) fn of_call(hook: &Hook, item: Item) -> Self {
        Self {
            workflow: hook.workflow.clone(),
            cause: StartedBy::Hand,
            node: Some(hook.node.clone()),
            items: Some(Items::one(item)),
            mode: if hook.trial.is_some() { "manual" } else { "webhook" },
            retry_of: None,
            extent: hook.trial.as_ref().map(|trial| trial.extent.clone()).unwrap_or_default(),
            request_id: Str::new(),
        }
    }
}

/// The mode of a run that is done again. What began with a message of ours still does.
pub(crate) fn mode_again(mode: &str) -> &'static str {
    if mode == CHAT_MODE { CHAT_MODE } else { "retry" }
}

/// A run that another one calls.
pub(crate) struct CalledRun {
    pub(crate) workflow: Arc<Loaded>,
    /// The workflow itself, if it is none that is stored.
    pub(crate) document: Option<Str>,
    pub(crate) caller: Option<CalledFrom>,
    pub(crate) items: Items,
    pub(crate) cause: StartedBy,
    /// Whether its caller stands still for it.
    pub(crate) waits: bool,
    pub(crate) depth: usize,
    pub(crate) called_by_model: Option<Exposure>,
    /// On whose account it spends.
    pub(crate) spending: Arc<Spending>,
    pub(crate) cancel: CancellationToken,
}

/// What was done for a run before it began.
#[derive(Default)]
pub(crate) struct Groundwork {
    /// What the look that found its items remembers, to be kept together with the run.
    pub(crate) static_data: Option<StaticData>,
    /// Steps that were taken already.
    pub(crate) recorded: Vec<Recorded>,
    /// What other nodes did for those.
    pub(crate) served: Vec<(Str, Arc<TaskData>)>,
    /// The step after them, and what it has noted.
    pub(crate) noted: Option<(Str, Object)>,
    /// The workflow itself, if it is none that is stored.
    pub(crate) document: Option<Str>,
    /// A run that it takes up or repeats was called by a model.
    pub(crate) called_by_model: Option<Exposure>,
    /// On disk if and only if the beginning of the run is.
    pub(crate) along: Option<CommitWith>,
    /// Room for what it begins with, if it was made before.
    pub(crate) held: Option<Held>,
}

/// What a run takes and gives besides its items.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand {
    /// How much memory what it begins with takes, about.
    pub weight: usize,
    /// What its caller takes while it goes on.
    pub takes: Takes,
}

/// A run that has been taken on. It goes on whether or not anybody waits for it.
pub struct Taken {
    pub id: i64,
    pub log: Arc<RunLog>,
    /// What a node answers; gone without an answer when the run ends without one.
    pub answer: oneshot::Receiver<Answer>,
    /// The pieces of the answer, if its caller takes them.
    pub pieces: Option<Pieces>,
    pub outcome: Going,
}

impl Taken {
    /// Lets the run begin, and go on by itself.
    pub(crate) fn let_go(mut self) -> Self {
        self.outcome.let_go();
        self
    }
}

/// What is known of a run that is to go on.
pub(crate) struct Past {
    pub execution: Execution,
    /// Who called it, the nearest first.
    pub callers: Vec<Caller>,
    pub called_by_model: Option<Exposure>,
    pub workflow: Arc<Loaded>,
    pub cause: StartedBy,
    pub node: Option<Str>,
    pub items: Option<Items>,
    pub mode: Str,
    pub extent: Extent,
    pub recorded: VecDeque<Recorded>,
    /// What the step that was cut off has noted.
    pub notes: Object,
    /// What it spent on models, together with the runs that it called.
    pub spent: SpentSum,
    pub written: Written,
    /// It slept, and this is what woke it.
    pub wakes: bool,
    pub woken_by: Option<Items>,
}

/// When a run may begin.
pub(crate) enum Turn {
    /// When fewer run than may.
    IsWaitedFor,
    /// At once: it was given a slot.
    Has(OwnedSemaphorePermit),
    /// At once: whoever called it has a turn and stands still.
    OfCaller,
}
