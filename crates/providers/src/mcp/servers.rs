//! All servers that this process can reach: those of the operator's file and those that workflows
//! name by their address.

use super::config::{self, Launch, McpConfig, ProcessConfig, ServerConfig};
use super::connection::Connection;
use super::limits::{
    CALL_TIMEOUT, FIRST_PAUSE, IDLE_TIME, LONGEST_PAUSE, MAX_CALL_TIMEOUT, STEADY_TIME,
};
use super::session::Session;
use model::Str;
use node_api::http::Http;
use node_api::mcp::{
    McpConnection, McpEndpoint, McpError, McpHealth, McpPins, McpScope, McpServerStatus,
    McpServers, McpTarget, McpTransport,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use url::Url;

/// Where the operator's file comes from.
pub trait ConfigSource: Send + Sync {
    /// The text, if it may have changed since it was last read. `None`: it has not. An empty text
    /// stands for a file that is not there.
    fn changed_text(&self) -> Option<String>;
}

/// The way to a server that the operator has named: it may be where workflows may not go.
pub type OperatorHttp = Box<dyn Fn(&Url) -> Result<Arc<dyn Http>, String> + Send + Sync>;

/// The servers. Cheap to clone; all clones share the processes.
#[derive(Clone)]
pub struct Servers {
    shared: Arc<Shared>,
    pins: Arc<dyn McpPins>,
}

struct Shared {
    source: Box<dyn ConfigSource>,
    operator_http: OperatorHttp,
    config: Mutex<Arc<McpConfig>>,
    slots: Mutex<HashMap<Str, Arc<Slot>>>,
}

/// What is known of one configured server.
struct Slot {
    state: tokio::sync::Mutex<SlotState>,
    health: Mutex<SlotHealth>,
}

#[derive(Default)]
struct SlotState {
    running: Option<Running>,
    failures: u32,
    /// Not before this is it started again.
    pause_until: Option<Instant>,
}

struct Running {
    session: Arc<Session>,
    config: ProcessConfig,
    since: Instant,
    used: Instant,
}

struct SlotHealth {
    health: McpHealth,
    starts: usize,
    stderr: Str,
    session: Weak<Session>,
}

impl Servers {
    pub fn new(
        source: Box<dyn ConfigSource>,
        operator_http: OperatorHttp,
        pins: Arc<dyn McpPins>,
    ) -> Self {
        let shared =
            Shared { source, operator_http, config: Mutex::default(), slots: Mutex::default() };
        Self { shared: Arc::new(shared), pins }
    }

    /// The operator's file as it is now.
    fn config(&self) -> Arc<McpConfig> {
        let mut config = lock(&self.shared.config);
        if let Some(text) = self.shared.source.changed_text() {
            let read = match text.is_empty() {
                true => McpConfig::default(),
                false => config::parse(&text),
            };
            for problem in &read.problems {
                tracing::error!(%problem, code = "MCP_CONFIG", "mcp.json has an error.");
            }
            *config = Arc::new(read);
        }
        config.clone()
    }

    fn slot(&self, name: &Str) -> Arc<Slot> {
        lock(&self.shared.slots)
            .entry(name.clone())
            .or_insert_with(|| Arc::new(Slot::new()))
            .clone()
    }

    async fn named(&self, name: Str) -> Result<Arc<dyn McpConnection>, McpError> {
        let config = self.config();
        let Some(server) = config.servers.get(&name) else {
            let problem = config
                .problems
                .iter()
                .find(|problem| problem.server.as_ref().is_none_or(|server| *server == name));
            return Err(match problem {
                Some(problem) => McpError::Config { problem: problem.to_string().into(), name },
                None => McpError::UnknownServer {
                    known: config.servers.keys().cloned().collect(),
                    name,
                },
            });
        };
        let slot = self.slot(&name);
        let session = match &server.launch {
            Launch::Process(process) => slot.session(&name, process).await?,
            Launch::Remote { transport, url, headers } => {
                let http = (self.shared.operator_http)(url).map_err(|problem| {
                    McpError::Config { name: name.clone(), problem: problem.into() }
                })?;
                let endpoint = McpEndpoint {
                    transport: *transport,
                    url: url.to_string(),
                    headers: headers.clone(),
                    bound: None,
                    http,
                    timeout_ms: None,
                };
                let connected = Session::remote(name.clone(), &endpoint).await.map(Arc::new);
                slot.note(&connected);
                connected?
            }
        };
        Ok(Arc::new(self.connection(session, name, true, Some(server), None)))
    }

    async fn remote(&self, endpoint: McpEndpoint) -> Result<Arc<dyn McpConnection>, McpError> {
        let key = address_key(&endpoint.url);
        let session = Arc::new(Session::remote(key.clone(), &endpoint).await?);
        let timeout = endpoint.timeout_ms.map(Duration::from_millis);
        Ok(Arc::new(self.connection(session, key, false, None, timeout)))
    }

    fn connection(
        &self,
        session: Arc<Session>,
        key: Str,
        is_configured: bool,
        config: Option<&ServerConfig>,
        timeout: Option<Duration>,
    ) -> Connection {
        let configured = config.and_then(|config| config.call_timeout);
        Connection {
            info: session.info(key, is_configured),
            session,
            pins: self.pins.clone(),
            call_timeout: timeout.or(configured).unwrap_or(CALL_TIMEOUT).min(MAX_CALL_TIMEOUT),
            allowed_tools: config.and_then(|config| config.allowed_tools.clone()),
            known: tokio::sync::Mutex::default(),
        }
    }
}

/// An address as it names a server: without user, query and fragment, which may be secrets.
pub fn address_key(address: &str) -> Str {
    match Url::parse(address) {
        Ok(mut url) => {
            url.set_query(None);
            url.set_fragment(None);
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.as_str().into()
        }
        Err(_) => "an invalid address".into(),
    }
}

#[async_trait::async_trait]
impl McpServers for Servers {
    fn scoped_to(&self, scope: McpScope) -> Option<Arc<dyn McpServers>> {
        let pins = self.pins.scoped_to(scope)?;
        Some(Arc::new(Self { pins, ..self.clone() }))
    }

    async fn configured(&self) -> Vec<McpServerStatus> {
        let config = self.config();
        let mut found: Vec<McpServerStatus> = config
            .servers
            .iter()
            .map(|(name, server)| self.slot(name).status(name, server))
            .collect();
        for problem in &config.problems {
            found.push(McpServerStatus {
                name: problem.server.clone().unwrap_or_else(|| "mcp.json".into()),
                transport: McpTransport::Stdio,
                address: Str::new(),
                health: McpHealth::Failed(problem.to_string().into()),
                starts: 0,
                stderr: Str::new(),
            });
        }
        found
    }

    async fn connect(&self, target: McpTarget) -> Result<Arc<dyn McpConnection>, McpError> {
        match target {
            McpTarget::Named(name) => self.named(name).await,
            McpTarget::Remote(endpoint) => self.remote(*endpoint).await,
        }
    }
}

impl Slot {
    fn new() -> Self {
        let health = SlotHealth {
            health: McpHealth::Unused,
            starts: 0,
            stderr: Str::new(),
            session: Weak::new(),
        };
        Self { state: tokio::sync::Mutex::default(), health: Mutex::new(health) }
    }

    /// The session with the process, started if there is none. All workflows share it.
    async fn session(
        self: &Arc<Self>,
        name: &Str,
        config: &ProcessConfig,
    ) -> Result<Arc<Session>, McpError> {
        let mut state = self.state.lock().await;
        if let Some(mut running) = state.running.take() {
            match running.session.ending() {
                None if running.config == *config => {
                    running.used = Instant::now();
                    let session = running.session.clone();
                    state.running = Some(running);
                    return Ok(session);
                }
                // The file says something else now.
                None => state.failures = 0,
                Some(ending) => {
                    self.failed(&ending, running.session.stderr.as_ref().map(|tail| tail.text()));
                    match running.since.elapsed() >= STEADY_TIME {
                        true => state.failures = 0,
                        false => state.failed(),
                    }
                }
            }
        }
        if let Some(until) = state.pause_until.filter(|until| *until > Instant::now()) {
            let seconds = (until - Instant::now()).as_secs() + 1;
            let last = match &lock(&self.health).health {
                McpHealth::Failed(why) => why.clone(),
                _ => "it failed".into(),
            };
            let reason = format!("{last}. It is started again in {seconds} s at the earliest");
            return Err(McpError::Connect { server: name.clone(), reason: reason.into() });
        }
        let started = Session::process(name.clone(), config).await.map(Arc::new);
        self.note(&started);
        match started {
            Ok(session) => {
                let (config, now) = (config.clone(), Instant::now());
                let running = Running { session: session.clone(), config, since: now, used: now };
                state.running = Some(running);
                state.pause_until = None;
                tokio::spawn(stop_when_idle(Arc::downgrade(self)));
                Ok(session)
            }
            Err(error) => {
                state.failed();
                Err(error)
            }
        }
    }

    fn note(&self, connected: &Result<Arc<Session>, McpError>) {
        let mut health = lock(&self.health);
        health.starts += 1;
        match connected {
            Ok(session) => {
                health.health = McpHealth::Connected;
                health.session = Arc::downgrade(session);
            }
            Err(error) => health.health = McpHealth::Failed(error.to_string().into()),
        }
    }

    fn failed(&self, why: &str, stderr: Option<Str>) {
        let mut health = lock(&self.health);
        health.health = McpHealth::Failed(why.into());
        health.stderr = stderr.unwrap_or_default();
    }

    fn status(&self, name: &Str, server: &ServerConfig) -> McpServerStatus {
        let health = lock(&self.health);
        let (transport, address) = match &server.launch {
            Launch::Process(process) => (McpTransport::Stdio, process.command.as_str().into()),
            Launch::Remote { transport, url, .. } => (*transport, address_key(url.as_str())),
        };
        let session = health.session.upgrade();
        let stderr = session.as_ref().and_then(|session| Some(session.stderr.as_ref()?.text()));
        let state = match (&health.health, session.as_ref().map(|session| session.ending())) {
            (McpHealth::Connected, Some(Some(ending))) => McpHealth::Failed(ending.into()),
            (McpHealth::Connected, None) if transport == McpTransport::Stdio => McpHealth::Stopped,
            (other, _) => other.clone(),
        };
        McpServerStatus {
            name: name.clone(),
            transport,
            address,
            health: state,
            starts: health.starts,
            stderr: stderr.unwrap_or_else(|| health.stderr.clone()),
        }
    }
}

impl SlotState {
    fn failed(&mut self) {
        self.failures = self.failures.saturating_add(1);
        let doubled = FIRST_PAUSE.saturating_mul(1 << (self.failures - 1).min(16));
        self.pause_until = Some(Instant::now() + doubled.min(LONGEST_PAUSE));
    }
}

/// Ends the process once nothing has used it for a while.
async fn stop_when_idle(slot: Weak<Slot>) {
    loop {
        tokio::time::sleep(IDLE_TIME / 10).await;
        let Some(slot) = slot.upgrade() else { return };
        let mut state = slot.state.lock().await;
        let Some(running) = &mut state.running else { return };
        if Arc::strong_count(&running.session) > 1 {
            running.used = Instant::now();
        } else if running.used.elapsed() >= IDLE_TIME {
            state.running = None;
            return;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
