//! A real server on a free port over a data folder of its own, and a client that sends exactly what
//! it is told.

use engine::{Clock, CredentialSource, Engine, NoJournal, NoWorkflows, Ports, Random, RunOptions};
use heddle_server::{AdmissionLimits, BodyLimits};
use model::{Object, Value};
use providers::http::{EgressPolicy, GuardedHttp};
use runtime::{CatchUp, RunLimits, Runtime, RuntimeOptions};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use store::access::{ApiKey, ApiKeyStore as _, hash_of_key};
use store::users::{NewUser, User, UserRole, UserStore as _};
use store::{OpenMode, Sqlite, Workspace};
use testkit::TempFolder;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) struct TestApp {
    pub(crate) address: SocketAddr,
    pub(crate) store: Sqlite,
    pub(crate) runtime: Arc<Runtime>,
    /// By which the first owner is made.
    pub(crate) setup_token: String,
    pub(crate) folder: TempFolder,
    stop: CancellationToken,
}

/// Reads manifests that are registered; there are no files.
struct RegisteredManifests;

impl node_api::tools::ManifestSource for RegisteredManifests {
    fn changed_files(&self) -> Option<Vec<node_api::tools::ManifestFile>> {
        None
    }

    fn read(&self, text: &str, origin: node_api::tools::ToolOrigin) -> node_api::tools::Manifest {
        let context = formats::tools::ManifestContext {
            origin,
            load: &|_| Err("there are no files".to_owned()),
            check_schema: &nodes::ai::schema_problem,
            node_version: &|_, version| Ok(version.unwrap_or(1.0)),
        };
        formats::tools::read(text, &context)
    }
}

/// What a test changes about its server.
#[derive(Default)]
pub(crate) struct TestOptions {
    pub(crate) admission: AdmissionLimits,
    pub(crate) bodies: BodyLimits,
    pub(crate) runs: RunLimits,
    /// In place of the vault.
    pub(crate) credentials: Option<Arc<dyn CredentialSource>>,
    /// Added to what the clock says.
    pub(crate) later_ms: Arc<AtomicI64>,
    /// The files of the editor.
    pub(crate) editor: &'static [heddle_server::WebFile],
    /// Where people reach it, if not at its address.
    pub(crate) base_url: Option<&'static str>,
    /// The host of webhooks, forms and chats, if it is another.
    pub(crate) webhook_host: Option<&'static str>,
    /// Whether the first owner can be made from elsewhere.
    pub(crate) remote_setup: bool,
    /// With whom people sign in beside their password.
    pub(crate) oidc: Option<heddle_server::OidcProvider>,
}

impl TestApp {
    pub(crate) async fn start() -> Self {
        Self::start_with(TestOptions::default()).await
    }

    pub(crate) async fn start_with(options: TestOptions) -> Self {
        let folder = TempFolder::absent("server");
        let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
        let ports = Ports {
            clock: Arc::new(RealClock(options.later_ms)),
            random: Arc::new(RealRandom),
            http: Arc::new(GuardedHttp::new(EgressPolicy::parse("").unwrap())),
            connections: Arc::new(node_api::connect::NoConnections),
            files: Arc::new(Workspace::new(folder.0.join("files"))),
            tables: Arc::new(store.clone()),
            collections: Arc::new(store.clone()),
            long_term_memory: Arc::new(store.clone()),
            mcp: Arc::new(node_api::mcp::NoMcpServers),
            tools: Arc::new(node_api::tools::NoTools),
            conversations: node_api::ai::ConversationStores::default(),
            local_models: Arc::new(node_api::ai::NoLocalModels),
            credentials: options.credentials.unwrap_or_else(|| Arc::new(Stored(store.clone()))),
            workflows: Arc::new(NoWorkflows),
            policy: Arc::new(node_api::policy::AllowAll),
            ledger: Arc::new(engine::NoLedger),
            calls: None,
            journal: Arc::new(NoJournal),
            spill: None,
        };
        let engine = Engine::new(Arc::new(nodes::registry()), ports);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let base_url: model::Str =
            options.base_url.map_or_else(|| format!("http://{address}").into(), model::Str::from);
        let webhook_url = options
            .webhook_host
            .map(|host| model::Str::from(format!("http://{host}:{}", address.port())));
        let hosts =
            heddle_server::AllowedHosts::new(&base_url, webhook_url.as_deref(), &[]).unwrap();
        let runtime_options =
            runtime_options(options.runs, webhook_url.clone().unwrap_or_else(|| base_url.clone()));
        let runtime =
            Runtime::start(engine, Arc::new(store.clone()), runtime_options).await.unwrap();
        let setup_token = heddle_server::create_setup_token(&store).await.unwrap().unwrap();
        let stop = CancellationToken::new();
        let parts = heddle_server::ServerParts {
            runtime: runtime.clone(),
            store: Arc::new(store.clone()),
            body_limits: options.bodies,
            admission_limits: options.admission,
            read_xml: nodes::text::read_xml_request,
            request_form: nodes::http::http_request_parameters,
            ingestor: Arc::new(node_api::collections::NoIngestor),
            model_packages: Arc::new(node_api::ai::NoLocalModels),
            egress_allow: vec!["db.internal:5432".to_owned()],
            embedding_caller: nodes::EMBED_TEXTS,
            tool_supplier: nodes::TOOL_REGISTRY,
            base_url,
            webhook_url,
            hosts,
            remote_setup: options.remote_setup,
            oidc: options.oidc,
            editor: options.editor,
        };
        tokio::spawn(heddle_server::serve(listener, parts, stop.clone()));
        Self { address, store, runtime, setup_token, folder, stop }
    }

    pub(crate) fn call(&self, method: &str, path: &str) -> Call<'_> {
        Call {
            app: self,
            method: method.to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: String::new(),
        }
    }

    pub(crate) async fn user(&self, email: &str, role: UserRole) -> User {
        // Hashing takes long on purpose, and everybody has the same password.
        static HASH: OnceCell<Option<String>> = OnceCell::const_new();
        let hash = HASH.get_or_init(|| heddle_server::passwords::hash(PASSWORD.to_owned())).await;
        let new = NewUser {
            email: email.into(),
            first_name: "".into(),
            last_name: "".into(),
            role,
            password_hash: hash.as_deref().map(Into::into),
        };
        self.store.add_user(new).await.unwrap()
    }

    /// The runtime as it is after another start of the same data folder.
    pub(crate) async fn restarted(&self) -> Arc<Runtime> {
        let options = runtime_options(RunLimits::default(), "http://x".into());
        Runtime::start(self.runtime.engine.clone(), Arc::new(self.store.clone()), options)
            .await
            .unwrap()
    }

    /// The same, which does only what it is asked.
    pub(crate) async fn runtime_at_rest(&self) -> Arc<Runtime> {
        let options = runtime_options(RunLimits::default(), "http://x".into());
        Runtime::new_idle(self.runtime.engine.clone(), Arc::new(self.store.clone()), options)
            .await
            .unwrap()
    }

    /// Lets nobody write to the store until this is let go of; it should be within the five seconds
    /// that a write waits.
    pub(crate) fn hold_writer(&self) -> HeldWriter {
        let connection = rusqlite::Connection::open(self.folder.0.join("heddle.db")).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        HeldWriter(connection)
    }

    /// An API key of somebody, with these scopes.
    pub(crate) async fn key(&self, email: &str, scopes: &[&str]) -> String {
        let key = format!("heddle_{}", store::new_id());
        let kept = ApiKey {
            id: store::new_id(),
            user: email.into(),
            label: "test".into(),
            hint: "".into(),
            scopes: scopes.iter().map(|scope| (*scope).into()).collect(),
            created_ms: 0,
            expires_ms: None,
        };
        self.store.add_api_key(kept, hash_of_key(&key)).await.unwrap();
        key
    }

    /// A key that allows everything.
    pub(crate) async fn owner_key(&self) -> String {
        self.key("owner@localhost", &["*"]).await
    }

    pub(crate) async fn log_in(&self, email: &str) -> Session {
        let body = format!(r#"{{"email":"{email}","password":"{PASSWORD}"}}"#);
        let reply = self.call("POST", "/api/login").json(&body).send().await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        Session::of(&reply)
    }
}

fn runtime_options(limits: RunLimits, base_url: model::Str) -> RuntimeOptions {
    RuntimeOptions {
        run: RunOptions::default(),
        limits,
        catch_up: CatchUp::default(),
        spending: model::SpendingLimit::default(),
        keep: runtime::Retention::default(),
        base_url,
        manifests: Arc::new(RegisteredManifests),
    }
}

impl TestApp {
    /// A stream of events, from now on.
    pub(crate) async fn stream(&self, path: &str, key: &str) -> Events {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let text = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nX-N8N-API-KEY: {key}\r\n\r\n",
            self.address
        );
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut events = Events { stream, text: String::new() };
        assert!(events.hears("text/event-stream").await, "{}", events.text);
        events
    }
}

pub(crate) struct HeldWriter(rusqlite::Connection);

impl HeldWriter {
    pub(crate) fn let_go(self) {
        self.0.execute_batch("COMMIT").unwrap();
    }
}

/// A stream of events, and what has come of it.
pub(crate) struct Events {
    stream: TcpStream,
    text: String,
}

impl Events {
    pub(crate) fn received(&self) -> usize {
        self.text.len()
    }

    /// Whether some words come that should.
    pub(crate) async fn hears(&mut self, words: &str) -> bool {
        self.hears_within(std::time::Duration::from_secs(60), 0, words).await
    }

    /// Whether some words come that should not, within the time that a run takes several times
    /// over.
    pub(crate) async fn overhears(&mut self, place: usize, words: &str) -> bool {
        self.hears_within(std::time::Duration::from_millis(700), place, words).await
    }

    async fn hears_within(
        &mut self,
        patience: std::time::Duration,
        place: usize,
        words: &str,
    ) -> bool {
        let mut buffer = [0; 4096];
        let hearing = async {
            while !self.text[place..].contains(words) {
                match self.stream.read(&mut buffer).await {
                    Ok(count) if count > 0 => {
                        self.text.push_str(&String::from_utf8_lossy(&buffer[..count]))
                    }
                    _ => return false,
                }
            }
            true
        };
        tokio::time::timeout(patience, hearing).await.unwrap_or(false)
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) cookie: String,
    pub(crate) csrf: String,
}

impl Session {
    pub(crate) fn of(reply: &Reply) -> Self {
        let cookie = reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        Self { cookie, csrf: reply.json().get("csrfToken").unwrap().as_str().unwrap().to_owned() }
    }
}

pub(crate) struct Call<'a> {
    app: &'a TestApp,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Call<'_> {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn key(self, key: &str) -> Self {
        self.header("X-N8N-API-KEY", key)
    }

    /// With the cookie alone, as a page of another site could send it.
    pub(crate) fn cookie(self, session: &Session) -> Self {
        self.header("Cookie", &session.cookie)
    }

    pub(crate) fn session(self, session: &Session) -> Self {
        self.cookie(session).header("X-CSRF-Token", &session.csrf)
    }

    pub(crate) fn json(mut self, body: &str) -> Self {
        self.body = body.to_owned();
        self.header("Content-Type", "application/json")
    }

    /// The path goes out as it is, with nothing tidied up.
    pub(crate) async fn send(self) -> Reply {
        let mut text = format!("{} {} HTTP/1.1\r\nConnection: close\r\n", self.method, self.path);
        if !self.headers.iter().any(|(name, _)| name == "Host") {
            text.push_str(&format!("Host: {}\r\n", self.app.address));
        }
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{}", self.body.len(), self.body));
        let mut stream = TcpStream::connect(self.app.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let count = stream.read(&mut buffer).await.unwrap();
            bytes.extend_from_slice(&buffer[..count]);
            // A stream of events has no end; that it begins is enough.
            if count == 0 || begins_a_stream(&bytes) {
                return Reply::read(&bytes);
            }
        }
    }
}

fn begins_a_stream(bytes: &[u8]) -> bool {
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    head.is_some_and(|end| bytes[..end].windows(17).any(|window| window == b"text/event-stream"))
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        model::json::parse(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(crate) fn text(&self, key: &str) -> String {
        self.json()
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("no {key} in {}", self.body))
            .to_owned()
    }

    /// The rows of a page.
    pub(crate) fn rows(&self) -> Vec<Value> {
        self.json()
            .get("data")
            .and_then(Value::as_array)
            .unwrap_or_else(|| panic!("no list in {}", self.body))
            .to_vec()
    }
}

/// Every operation that the server says it has: method, path with an id that is not there, name and
/// scope.
pub(crate) async fn operations(app: &TestApp) -> Vec<Operation> {
    let key = app.owner_key().await;
    let reply = app.call("GET", "/api/v1/openapi.json").key(&key).send().await;
    assert_eq!(reply.status, 200);
    let document = reply.json();
    let mut found = Vec::new();
    for (path, methods) in document.get("paths").and_then(Value::as_object).unwrap().iter() {
        let real: Vec<&str> =
            path.split('/').map(|part| if part.starts_with('{') { "nope" } else { part }).collect();
        for (method, described) in methods.as_object().unwrap_or(&Object::new()).iter() {
            let text = |key: &str| described.get(key).and_then(Value::as_str).map(str::to_owned);
            found.push(Operation {
                method: method.to_uppercase().to_string(),
                path: format!("/api/v1{}", real.join("/")),
                id: text("operationId").unwrap(),
                scope: text("x-required-scope"),
            });
        }
    }
    assert!(found.len() > 35);
    found
}

pub(crate) struct Operation {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) id: String,
    pub(crate) scope: Option<String>,
}

/// The vault, as a running server has it.
struct Stored(Sqlite);

impl CredentialSource for Stored {
    fn get(&self, stands_for: &str, kind: &str, id: &str) -> Result<Object, node_api::NodeError> {
        match store::CredentialStore::credential_for_node(&self.0, stands_for, kind, id) {
            Ok(Some(secret)) => Ok(secret.reveal()),
            _ => Err(node_api::NodeError::credential_not_found(kind, id)),
        }
    }
}

struct RealClock(Arc<AtomicI64>);

#[async_trait::async_trait]
impl Clock for RealClock {
    fn now_ms(&self) -> i64 {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis()
            as i64
            + self.0.load(Ordering::Relaxed)
    }

    async fn sleep(&self, milliseconds: u64) {
        tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
    }
}

struct RealRandom;

impl Random for RealRandom {
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).unwrap();
    }
}
