//! The world of recorded cases: recorded answers, given credentials, a clock that does not make
//! anyone wait.

use crate::settings::{ServerSettings, Settings};
use crate::wiring::{SystemRandom, ports};
use anyhow::{Context as _, Result};
use engine::{Clock, CredentialSource, Engine, RunOptions, RunOutcome, RunStart};
use model::{Object, Value, Workflow};
use node_api::NodeError;
use node_api::host::Feature;
use providers::http::RecordedHttp;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

pub(super) fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime could not start")
}

/// What a case brings along.
#[derive(Default)]
pub(super) struct CaseHarness {
    pub(super) http: Option<Value>,
    pub(super) credentials: Object,
    pub(super) files_root: Option<PathBuf>,
    pub(super) timezone: &'static str,
}

impl CaseHarness {
    pub(super) async fn run(
        &self,
        workflow: &Workflow,
        start: RunStart,
    ) -> Result<RunOutcome, String> {
        let settings = Settings {
            timezone: self.timezone.into(),
            files_root: self.files_root.clone().unwrap_or_else(std::env::temp_dir),
            models: std::env::temp_dir().join("no-models"),
            test_nodes: true,
            egress_allow: String::new(),
            features: vec![Feature::ExecuteCommand],
            run_data_limit: 1 << 30,
            run_memory_limit: 256 << 20,
            run_memory_total: 256 << 20,
            cpu: [Duration::from_secs(120), Duration::from_secs(600)],
            sandbox_memory: 256 << 20,
            compute_memory: 128 << 20,
            retention: runtime::Retention::default(),
            run_limits: runtime::RunLimits::default(),
            admission_limits: server::AdmissionLimits::default(),
            max_body: 16 << 20,
            table_bytes: 50 << 20,
            collections: node_api::collections::CollectionLimits::default(),
            catch_up: runtime::CatchUp::default(),
            agents: node_api::ai::AgentLimits::default(),
            model_catalog: None,
            spending: model::SpendingLimit::default(),
            server: ServerSettings::default(),
        };
        let mut ports = ports(&settings).map_err(|error| format!("{error:#}"))?;
        let answers = self.http.clone().unwrap_or_else(|| Value::array(Vec::new()));
        ports.http =
            Arc::new(RecordedHttp::from_value(&answers).map_err(|error| error.to_string())?);
        ports.connections = Arc::new(node_api::connect::NoConnections);
        ports.credentials = Arc::new(CaseCredentials(self.credentials.clone()));
        ports.clock = Arc::new(SkippingClock::default());
        ports.random = Arc::new(SystemRandom);
        let engine = Engine::new(Arc::new(nodes::registry_with_test_nodes()), ports);
        let mut plan = engine.plan(workflow);
        plan.choose_credentials("given");
        let plan = Arc::new(plan);
        let options = RunOptions {
            timezone: self.timezone.into(),
            features: settings.features,
            wait_inline: true,
            ..RunOptions::default()
        };
        Ok(engine.run(plan, start, options, CancellationToken::new()).await)
    }
}

/// Credentials by type.
struct CaseCredentials(Object);

impl CredentialSource for CaseCredentials {
    fn get(&self, _stands_for: &str, kind: &str, _id: &str) -> Result<Object, NodeError> {
        let fields = self.0.get(kind).and_then(Value::as_object).cloned();
        fields.ok_or_else(|| {
            NodeError::credential(format!("The case has no credential of type '{kind}'"))
        })
    }
}

/// The system's time, moved on by every sleep.
#[derive(Default)]
struct SkippingClock {
    slept_ms: AtomicI64,
}

#[async_trait::async_trait]
impl Clock for SkippingClock {
    fn now_ms(&self) -> i64 {
        crate::wiring::SystemClock.now_ms() + self.slept_ms.load(Ordering::Relaxed)
    }

    async fn sleep(&self, milliseconds: u64) {
        self.slept_ms.fetch_add(milliseconds.min(i64::MAX as u64 / 4) as i64, Ordering::Relaxed);
        tokio::task::yield_now().await;
    }
}
