//! The engine's doors to the world.

use model::{Object, RunEvent, Spill, Str, Workflow};
use node_api::NodeError;
use node_api::connect::Connections;
use node_api::host::Files;
use node_api::http::Http;
use node_api::tables::Tables;
use node_api::trigger::{Answer, Chunk};
use std::sync::Arc;

/// Everything outside of the engine, handed in by whoever starts it.
#[derive(Clone)]
pub struct Ports {
    pub clock: Arc<dyn Clock>,
    pub random: Arc<dyn Random>,
    pub http: Arc<dyn Http>,
    pub connections: Arc<dyn Connections>,
    pub files: Arc<dyn Files>,
    pub tables: Arc<dyn Tables>,
    pub credentials: Arc<dyn Credentials>,
    pub workflows: Arc<dyn Workflows>,
    pub journal: Arc<dyn Journal>,
    /// Makes the keeper of one run's data.
    pub spill: Option<Arc<dyn Fn() -> Arc<dyn Spill> + Send + Sync>>,
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
pub trait Credentials: Send + Sync {
    /// The fields of a credential that a node refers to by type and, if it has one, id; of those that the stored workflow on
    /// whose behalf the run goes ([`crate::RunOptions::stands_for`]) may use.
    fn get(&self, stands_for: &str, kind: &str, id: Option<&str>) -> Result<Object, NodeError>;
}

/// Workflows that other workflows call.
#[async_trait::async_trait]
pub trait Workflows: Send + Sync {
    /// The workflow with this id, if the one on whose behalf a run goes may call it.
    async fn get(&self, stands_for: &str, id: &str) -> Option<Called>;
}

/// A workflow that another one calls.
pub struct Called {
    pub workflow: Workflow,
    /// Which version of it this is; empty where nobody counts them.
    pub version_id: Str,
}

/// Takes a run's events. An event counts as recorded once `append` has returned, and no successor of a node
/// starts before the node's result was recorded.
#[async_trait::async_trait]
pub trait Journal: Send + Sync {
    /// The id of a run that another one starts at one of its steps, of this version of its workflow.
    fn child_id(&self, parent: &str, step: usize, _version_id: &Str) -> Str {
        format!("{parent}.{step}").into()
    }
    async fn append(&self, run_id: &str, event: RunEvent) -> Result<(), JournalError>;
    /// Whether a run counts. One whose beginning could not be recorded was turned away, and nobody is to hear of its failure.
    fn is_accepted(&self, _run_id: &str) -> bool {
        true
    }
}

/// The journal cannot take events any more; the run stops.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the run could not be recorded: {cause}")]
pub struct JournalError {
    pub cause: Str,
}

/// Takes the answer of a run to whoever started it.
#[async_trait::async_trait]
pub trait Responder: Send + Sync {
    fn respond(&self, answer: Answer);
    /// Whether pieces of the answer are taken as they come.
    fn is_streaming(&self) -> bool {
        false
    }
    async fn stream(&self, _chunk: Chunk) {}
}

/// For runs that nobody looks at again.
pub struct NoJournal;

#[async_trait::async_trait]
impl Journal for NoJournal {
    async fn append(&self, _run_id: &str, _event: RunEvent) -> Result<(), JournalError> {
        Ok(())
    }
}

/// For runs without a store of workflows.
pub struct NoWorkflows;

#[async_trait::async_trait]
impl Workflows for NoWorkflows {
    async fn get(&self, _stands_for: &str, _id: &str) -> Option<Called> {
        None
    }
}

/// For runs without a vault.
pub struct NoCredentials;

impl Credentials for NoCredentials {
    fn get(&self, _stands_for: &str, kind: &str, _id: Option<&str>) -> Result<Object, NodeError> {
        Err(NodeError::credential(format!("No credential of type '{kind}' is available to this run")))
    }
}
