//! The runs of this process: their limits, slots and cancellation, and what new ones are given.

use crate::execute::accounts::RunAccounts;
use crate::execute::admission::RunLimits;
use crate::execute::completion::RunSignal;
use crate::execute::journal::Recorder;
use crate::key_lock::KeyLocks;
use crate::listen::trigger_listeners::variables_of;
use crate::loaded_workflow::LoadedWorkflow;
use crate::lock;
use crate::resume::tokens::ResumeTokens;
use engine::{Engine, RunOptions};
use model::Object;
use node_api::NodeError;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use store::Store;
use store::variables::Variable;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

pub struct Runner {
    pub(crate) engine: Engine,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) recorder: Arc<Recorder>,
    pub(super) options: RunOptions,
    pub(super) slots: Arc<Semaphore>,
    pub(crate) limits: RunLimits,
    pub(crate) n_accepted: AtomicUsize,
    /// What runs that are not over began with, in bytes.
    pub(crate) reserved_bytes: AtomicUsize,
    pub(crate) accounts: RunAccounts,
    pub(crate) running: Mutex<HashMap<i64, CancellationToken>>,
    /// Told each time one of them is over.
    pub(crate) is_over: Notify,
    pub resume_tokens: Arc<ResumeTokens>,
    /// `$vars` of runs that begin from now on.
    variables: Mutex<Vec<Variable>>,
    pub(super) is_closed: AtomicBool,
    /// Deliveries that are being taken.
    pub(super) delivery_locks: KeyLocks<String>,
    /// Hears what runs are to know of each other.
    pub(crate) signals: mpsc::UnboundedSender<RunSignal>,
}

impl Runner {
    pub(crate) fn new(
        engine: Engine,
        store: Arc<dyn Store>,
        recorder: Arc<Recorder>,
        options: RunOptions,
        limits: RunLimits,
        tokens: Arc<ResumeTokens>,
        signals: mpsc::UnboundedSender<RunSignal>,
    ) -> Arc<Self> {
        let options = RunOptions { addresses: Some(tokens.clone()), ..options };
        let slots = Arc::new(Semaphore::new(limits.max_running));
        Arc::new(Self {
            engine,
            store,
            recorder,
            options,
            slots,
            limits,
            n_accepted: AtomicUsize::new(0),
            reserved_bytes: AtomicUsize::new(0),
            accounts: RunAccounts::default(),
            running: Mutex::default(),
            is_over: Notify::new(),
            resume_tokens: tokens,
            variables: Mutex::default(),
            is_closed: AtomicBool::new(false),
            delivery_locks: KeyLocks::default(),
            signals,
        })
    }

    /// The decrypted fields of a credential that a node of a workflow names.
    pub fn credential(
        &self,
        workflow: &LoadedWorkflow,
        node: &str,
        kind: &str,
    ) -> Result<Object, NodeError> {
        let id = workflow
            .plan
            .node(node)
            .and_then(|node| node.chosen_credential(kind))
            .ok_or_else(|| NodeError::no_credential(kind))?;
        self.engine.ports.credentials.get(&workflow.id, kind, id)
    }

    /// `true` if they were others before.
    pub(crate) fn set_variables(&self, variables: Vec<Variable>) -> bool {
        let mut known = lock(&self.variables);
        let have_changed = *known != variables;
        *known = variables;
        have_changed
    }

    pub(crate) fn variables_of(&self, project: &str) -> Object {
        variables_of(&lock(&self.variables), project)
    }

    /// How runs go unless something else is said.
    pub(crate) fn options(&self) -> &RunOptions {
        &self.options
    }

    /// Takes no run on from now on.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Stops a run; `false` if it is not going on here.
    pub fn cancel(&self, id: i64) -> bool {
        let token = lock(&self.running).get(&id).cloned();
        token.inspect(CancellationToken::cancel).is_some()
    }

    /// Whether a run goes on here.
    pub fn is_running(&self, id: i64) -> bool {
        lock(&self.running).contains_key(&id)
    }

    /// Waits until it does not.
    pub(crate) async fn wait_stopped(&self, id: i64) {
        loop {
            let over = self.is_over.notified();
            if !self.is_running(id) {
                return;
            }
            over.await;
        }
    }

    /// The runs that go on here.
    pub(crate) fn running(&self) -> Vec<i64> {
        lock(&self.running).keys().copied().collect()
    }

    /// A slot for a run, once there is one; `None` if there never will be.
    pub(crate) async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        self.slots.clone().acquire_owned().await.ok()
    }

    /// A slot for a run, if there is one.
    pub(crate) fn free_slot(&self) -> Option<OwnedSemaphorePermit> {
        self.slots.clone().try_acquire_owned().ok()
    }

    /// How many runs go on or wait for their turn.
    pub fn in_progress(&self) -> usize {
        self.n_accepted.load(Ordering::Relaxed)
    }

    /// How many runs have their turn.
    pub fn slots_in_use(&self) -> usize {
        self.limits.max_running.saturating_sub(self.slots.available_permits())
    }
}
