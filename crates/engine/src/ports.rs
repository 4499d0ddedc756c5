//! The engine's ports.

use crate::budget::{Spender, Spending};
use crate::budget_account::BudgetClaim;
use crate::outcome::RunOutcome;
use crate::request_key::RequestPlace;
use model::{Code, Exposure, Items, Object, RunEvent, RunStatus, Spill, Str, Workflow};
use node_api::ai::{ConversationStores, LocalModels, LongTermMemory, ModelError};
use node_api::collections::Collections;
use node_api::connect::Connections;
use node_api::files::FileStorage;
use node_api::http::Http;
use node_api::mcp::McpServers;
use node_api::policy::ToolPolicy;
use node_api::tables::Tables;
use node_api::tools::ToolRegistry;
use node_api::trigger::{StreamChunk, WebhookResponse};
use node_api::{NodeError, StartCause};
use std::pin::Pin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Everything outside of the engine, handed in by whoever starts it.
#[derive(Clone)]
pub struct Ports {
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
    pub http: Arc<dyn Http>,
    pub connections: Arc<dyn Connections>,
    pub files: Arc<dyn FileStorage>,
    pub tables: Arc<dyn Tables>,
    pub collections: Arc<dyn Collections>,
    pub long_term_memory: Arc<dyn LongTermMemory>,
    pub mcp: Arc<dyn McpServers>,
    /// The tools that manifests declare.
    pub tools: Arc<dyn ToolRegistry>,
    /// Where conversations are kept; each run sees those of its own workflow.
    pub conversations: ConversationStores,
    /// The models on this machine.
    pub local_models: Arc<dyn LocalModels>,
    pub credentials: Arc<dyn CredentialSource>,
    pub workflows: Arc<dyn WorkflowSource>,
    /// Keeps the runs that other runs start. Without it they go on in the memory of their caller,
    /// and end with it.
    pub calls: Option<Arc<dyn Subworkflows>>,
    pub journal: Arc<dyn Journal>,
    /// What the operator lets agents call.
    pub policy: Arc<dyn ToolPolicy>,
    /// What is spent on models beyond single runs.
    pub ledger: Arc<dyn SpendingLedger>,
    /// Makes the keeper of one run's data.
    pub spill: Option<Arc<dyn Fn() -> Arc<dyn Spill> + Send + Sync>>,
}

/// The ports of an engine. Every run has them, so they are shared; changing one leaves the runs
/// that have begun as they are.
#[derive(Clone)]
pub struct SharedPorts(Arc<Ports>);

impl From<Ports> for SharedPorts {
    fn from(ports: Ports) -> Self {
        Self(Arc::new(ports))
    }
}

impl std::ops::Deref for SharedPorts {
    type Target = Ports;

    fn deref(&self) -> &Ports {
        &self.0
    }
}

impl std::ops::DerefMut for SharedPorts {
    fn deref_mut(&mut self) -> &mut Ports {
        Arc::make_mut(&mut self.0)
    }
}

/// Tells and passes the time. A test's clock may stand still or jump.
#[async_trait::async_trait]
pub trait Clock: Send + Sync {
    fn now_ms(&self) -> i64;
    async fn sleep(&self, milliseconds: u64);
}

pub trait Random: Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
}

/// Decrypted credentials. The fields never reach an expression, an item or a log.
pub trait CredentialSource: Send + Sync {
    /// The fields of the credential of this type and id, if the stored workflow on whose behalf the
    /// run goes ([`crate::RunOptions::stands_for`]) may use it. A node that names no id is never
    /// asked about here: it has none.
    fn get(&self, stands_for: &str, kind: &str, id: &str) -> Result<Object, NodeError>;
}

/// Workflows that other workflows call in memory.
#[async_trait::async_trait]
pub trait WorkflowSource: Send + Sync {
    /// The workflow with this id, if the one on whose behalf a run goes may call it.
    async fn get(&self, stands_for: &str, id: &str) -> Option<Workflow>;
}

/// Runs that other runs start, as executions of their own. Implemented by `runtime`; called once
/// for each call of a node.
#[async_trait::async_trait]
pub trait Subworkflows: Send + Sync {
    /// Starts a run, or finds the one that the call from the same place has started before; nothing
    /// is started twice. Does not return before the beginning of the run would outlive a crash,
    /// unless the run has no effects.
    async fn call(&self, call: SubworkflowCall) -> Result<CallReply, NodeError>;
}

/// A call of a workflow.
pub struct SubworkflowCall {
    pub place: CallSite,
    /// The stored workflow whose rights the caller has.
    pub caller: Str,
    pub target: CallTarget,
    pub items: Items,
    pub cause: StartCause,
    /// Whether the caller needs its result.
    pub waits: bool,
    /// How many workflows deep the called one is.
    pub depth: usize,
    /// A model makes the call, or the run that makes it was called by one. Whoever keeps runs keeps
    /// this with the called one.
    pub called_by_model: Option<Exposure>,
    /// What the caller has spent: the called run spends on its account too.
    pub spending: Arc<Spending>,
    /// Stops the called run.
    pub cancel: CancellationToken,
}

/// Where a call is made: the same for a call that is made again after a crash or a sleep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    pub run_id: Str,
    /// The caller's step, counted from one.
    pub step: usize,
    /// The call's place among those of its step.
    pub number: usize,
}

impl std::fmt::Display for CallSite {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}.{}.{}", self.run_id, self.step, self.number)
    }
}

pub enum CallTarget {
    Stored(Str),
    /// A workflow that comes as text. It stands for its caller, and names only credentials that its
    /// caller lets it use.
    Text(Box<Workflow>),
}

impl CallTarget {
    /// The error of a call to a stored workflow that is not there, or not for this caller.
    pub fn missing(id: &str) -> NodeError {
        NodeError::new(Code::WORKFLOW_NOT_FOUND, format!("Workflow does not exist: '{id}'"))
            .hint("Import the workflow, or choose another one in the node.")
    }
}

/// What came of a call.
pub enum CallReply {
    /// Nobody waits for it, and it will go on.
    Started,
    /// It is not over; its caller is to sleep until it is.
    Suspended { run_id: Str },
    /// It is over, or a person must decide how it goes on.
    Finished(Box<RunOutcome>),
}

impl CallReply {
    /// How a run stands, told to the one that called it.
    pub fn of(outcome: RunOutcome) -> Self {
        match outcome.status {
            RunStatus::Running | RunStatus::Waiting => {
                CallReply::Suspended { run_id: outcome.run_id }
            }
            RunStatus::Success | RunStatus::Error | RunStatus::Cancelled | RunStatus::Uncertain => {
                CallReply::Finished(Box::new(outcome))
            }
        }
    }
}

/// Takes a run's events. An event counts as recorded once `append` and what it returns are through,
/// and no successor of a node starts before the node's result was recorded.
pub trait Journal: Send + Sync {
    /// Takes an event in; if the run has to wait for it, what it has to wait for.
    fn append<'a>(&'a self, run_id: &str, event: RunEvent) -> Option<PendingRecord<'a>>;
    /// Whether a run counts. One whose beginning could not be recorded was turned away, and nobody
    /// is to hear of its failure.
    fn is_accepted(&self, _run_id: &str) -> bool {
        true
    }
}

/// An event on its way to where it outlives the process.
pub type PendingRecord<'a> = Pin<Box<dyn Future<Output = Result<(), JournalError>> + Send + 'a>>;

/// The journal cannot take events any more; the run stops.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the run could not be recorded: {cause}")]
pub struct JournalError {
    pub cause: Str,
}

/// Takes the answer of a run to whoever started it.
#[async_trait::async_trait]
pub trait Responder: Send + Sync {
    fn respond(&self, answer: WebhookResponse);
    /// Whether pieces of the answer are taken as they come.
    fn is_streaming(&self) -> bool {
        false
    }
    /// Whether somebody watches the run.
    fn is_watched(&self) -> bool {
        false
    }
    async fn stream(&self, _chunk: StreamChunk) {}
}

/// Addresses that wake a run that waits, and whatever else only this instance can sign. Implemented
/// by `runtime`.
pub trait Addresses: Send + Sync {
    /// Wakes a run from this one of its waits, counted from zero, and from no other.
    fn webhook(&self, run_id: &str, wait: usize) -> Str;
    fn form(&self, run_id: &str, wait: usize) -> Str;
    /// Whether this instance has signed a session so: it gave it to somebody by that name.
    fn has_signed(&self, _session: &str, _signature: &str) -> bool {
        false
    }
    /// The key of a request, which nobody else can make: the same one after a restart.
    fn request_key(&self, _place: &RequestPlace) -> Option<Str> {
        None
    }
}

/// What is spent on models by all runs together. Implemented by `runtime`; asked before each call
/// of a model.
#[async_trait::async_trait]
pub trait SpendingLedger: Send + Sync {
    /// The accounts that a call is paid from beside that of its run.
    async fn claims(&self, spender: &Spender, now_ms: i64) -> Result<Vec<BudgetClaim>, ModelError>;
}

/// For runs of which nobody adds up what they spend.
pub struct NoLedger;

#[async_trait::async_trait]
impl SpendingLedger for NoLedger {
    async fn claims(
        &self,
        _spender: &Spender,
        _now_ms: i64,
    ) -> Result<Vec<BudgetClaim>, ModelError> {
        Ok(Vec::new())
    }
}

/// For runs that nobody looks at again.
pub struct NoJournal;

impl Journal for NoJournal {
    fn append<'a>(&'a self, _run_id: &str, _event: RunEvent) -> Option<PendingRecord<'a>> {
        None
    }
}

/// For runs without a store of workflows.
pub struct NoWorkflows;

#[async_trait::async_trait]
impl WorkflowSource for NoWorkflows {
    async fn get(&self, _stands_for: &str, _id: &str) -> Option<Workflow> {
        None
    }
}

/// For runs without a vault.
pub struct NoCredentials;

impl CredentialSource for NoCredentials {
    fn get(&self, _stands_for: &str, kind: &str, _id: &str) -> Result<Object, NodeError> {
        let message = format!("No credential of type '{kind}' is available to this run");
        Err(NodeError::new(model::Code::CREDENTIAL_MISSING, message).with("credentialType", kind))
    }
}
