//! What runs begin with, and go on with.

use crate::execute::accounts::CallerAccount;
use crate::execute::admission::RunReservation;
use crate::execute::journal::{JournalProgress, RunJournal};
use crate::execute::run_handle::RunHandle;
use crate::listen::response_stream::ChunkStream;
use crate::listen::routes::TriggerEndpoint;
use crate::loaded_workflow::LoadedWorkflow;
use crate::resume::resumption::Continuation;
use engine::RecordedStep;
use model::{Exposure, Item, Items, Object, RunRange, SpendingTotal, Str, TaskData};
use node_api::StartCause;
use node_api::trigger::{CHAT_MODE, ReplyMode, WebhookResponse};
use std::collections::VecDeque;
use std::sync::Arc;
use store::executions::{CommitWith, Execution};
use store::workflows::StaticDataChange;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

/// A run that is to begin.
pub struct RunRequest {
    pub workflow: Arc<LoadedWorkflow>,
    pub cause: StartCause,
    pub node: Option<Str>,
    pub items: Option<Items>,
    /// n8n's word for what started it: `webhook`, `trigger`, `manual` …
    pub mode: &'static str,
    pub retry_of: Option<i64>,
    pub extent: RunRange,
    /// What the log calls the request that it begins with, if there is one.
    pub request_id: Str,
}

impl RunRequest {
    /// A run that a trigger starts by itself.
    pub(crate) fn from_trigger(
        workflow: &Arc<LoadedWorkflow>,
        node: &Str,
        items: Option<Items>,
    ) -> Self {
        Self {
            workflow: workflow.clone(),
            cause: StartCause::Hand,
            node: Some(node.clone()),
            items,
            mode: "trigger",
            retry_of: None,
            extent: RunRange::default(),
            request_id: Str::new(),
        }
    }

    /// A run that a call of an address starts.
    pub(crate) fn from_call(endpoint: &TriggerEndpoint, item: Item) -> Self {
        Self {
            workflow: endpoint.workflow.clone(),
            cause: StartCause::Hand,
            node: Some(endpoint.node.clone()),
            items: Some(Items::one(item)),
            mode: if endpoint.test_run.is_some() { "manual" } else { "webhook" },
            retry_of: None,
            extent: endpoint.test_run.as_ref().map(|test| test.extent.clone()).unwrap_or_default(),
            request_id: Str::new(),
        }
    }
}

/// The mode of a run that is done again. What began with a message of ours still does.
pub(crate) fn retry_mode(mode: &str) -> &'static str {
    if mode == CHAT_MODE { CHAT_MODE } else { "retry" }
}

/// What was done for a run before it began, and what is committed with its start.
#[derive(Default)]
pub(crate) struct StartContext {
    /// The new state of the poll that found its items, to be stored together with the run.
    pub(crate) static_data: Option<StaticDataChange>,
    /// Steps that are done already.
    pub(crate) recorded: Vec<RecordedStep>,
    /// What sub-nodes did for those.
    pub(crate) served: Vec<(Str, Arc<TaskData>)>,
    /// The step after them, which was cut off, and its checkpoints.
    pub(crate) interrupted_step: Option<(Str, Object)>,
    /// The workflow itself, if it is none that is stored.
    pub(crate) document: Option<Str>,
    /// Set if the run that it forks or repeats was called by a model.
    pub(crate) called_by_model: Option<Exposure>,
    /// On disk if and only if the beginning of the run is.
    pub(crate) commit_with: Option<CommitWith>,
    /// Memory for what it begins with, if it was reserved before.
    pub(crate) reservation: Option<RunReservation>,
}

/// What a run takes and gives besides its items.
#[derive(Clone, Copy, Debug, Default)]
pub struct Admission {
    /// How much memory what it begins with takes, about.
    pub bytes: usize,
    /// What its caller takes while it goes on.
    pub reply: ReplyMode,
}

/// A run that has been taken on. It goes on whether or not anybody waits for it.
pub struct AcceptedRun {
    pub id: i64,
    pub log: Arc<RunJournal>,
    /// What a node answers; gone without an answer when the run ends without one.
    pub answer: oneshot::Receiver<WebhookResponse>,
    /// The chunks of the response, if its caller takes them.
    pub chunks: Option<ChunkStream>,
    pub outcome: RunHandle,
}

impl AcceptedRun {
    /// Lets the run begin, and go on by itself.
    pub(crate) fn detach(mut self) -> Self {
        self.outcome.detach();
        self
    }
}

/// What is known of a run that is to go on.
pub(crate) struct ResumeState {
    pub execution: Execution,
    /// Who called it, the nearest first.
    pub callers: Vec<CallerAccount>,
    pub called_by_model: Option<Exposure>,
    pub workflow: Arc<LoadedWorkflow>,
    pub cause: StartCause,
    pub node: Option<Str>,
    pub items: Option<Items>,
    pub mode: Str,
    pub extent: RunRange,
    pub recorded: VecDeque<RecordedStep>,
    /// What the step that was cut off has noted.
    pub notes: Object,
    /// A step of it was cut off.
    pub interrupted: bool,
    /// What it spent on models, together with the runs that it called.
    pub spent: SpendingTotal,
    pub written: JournalProgress,
    pub continuation: Continuation,
}

/// When a run may begin.
pub(crate) enum SlotPolicy {
    /// When fewer run than may.
    Acquire,
    /// At once: it was given a slot.
    Has(OwnedSemaphorePermit),
    /// At once: its caller has a slot and waits.
    Inherit,
}
