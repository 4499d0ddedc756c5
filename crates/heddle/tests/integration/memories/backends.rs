//! The back ends that the suite runs over, each as it is in production.

use agent::memory::{MemoryStore, MemoryWindow, RecentMemory};
use model::{Str, Value, json};
use node_api::Spec;
use node_api::ai::{
    ConversationId, ConversationStore, Lifetime, Message, RecallLimit, SessionId, StoredTurn,
    TurnKey,
};
use node_api::connect::{DateForm, Dialect, NumberForm, RedisServer, SqlServer, ValueForms};
use node_api::host::Host;
use node_testing::TestHost;
use providers::connect::GuardedConnections;
use providers::http::EgressPolicy;
use providers::memory::{
    PostgresConversations, ProcessConversations, ProcessLimits, Protection, RedisConversations,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use store::{OpenMode, Sqlite};
use testkit::services::{self, PASSWORD, Service};

/// Something to keep conversations in, for one test alone.
pub(crate) struct MemoryBackend {
    pub(crate) conversations: Arc<dyn ConversationStore>,
    pub(crate) kind: BackendKind,
    /// What keeps this test apart from others on the same server.
    pub(crate) number: usize,
    folder: BackendFolder,
    server: Option<Arc<Service>>,
    clock: Arc<AtomicI64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BackendKind {
    Process,
    Sqlite,
    Redis,
    RedisInTheOpen,
    Postgres,
}

impl BackendKind {
    pub(crate) fn outlives_the_process(self) -> bool {
        self != BackendKind::Process
    }

    /// In n8n's table whoever shares it shares the conversations.
    pub(crate) fn keeps_workflows_apart(self) -> bool {
        self != BackendKind::Postgres
    }

    /// n8n's table has no end for its conversations.
    pub(crate) fn has_lifetimes(self) -> bool {
        self != BackendKind::Postgres
    }

    pub(crate) fn is_encrypted(self) -> bool {
        matches!(self, BackendKind::Sqlite | BackendKind::Redis)
    }
}

pub(crate) fn process() -> MemoryBackend {
    MemoryBackend::new(BackendKind::Process, None)
}

pub(crate) fn sqlite() -> MemoryBackend {
    MemoryBackend::new(BackendKind::Sqlite, None)
}

pub(crate) fn redis() -> MemoryBackend {
    MemoryBackend::new(BackendKind::Redis, Some(services::redis()))
}

pub(crate) fn redis_in_the_open() -> MemoryBackend {
    MemoryBackend::new(BackendKind::RedisInTheOpen, Some(services::redis()))
}

pub(crate) fn postgres() -> MemoryBackend {
    MemoryBackend::new(BackendKind::Postgres, Some(services::postgres()))
}

impl MemoryBackend {
    fn new(kind: BackendKind, server: Option<Arc<Service>>) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        // Processes that test at the same time share the servers.
        let own = std::process::id() as usize * 10_000;
        let number = own + COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = BackendFolder::new(number);
        let clock = Arc::new(AtomicI64::new(1_700_000_000_000));
        let conversations = open(kind, number, &folder.0, server.as_deref(), &clock);
        Self { conversations, kind, number, folder, server, clock }
    }

    /// As the next process finds it.
    pub(crate) fn restarted(&self) -> Arc<dyn ConversationStore> {
        open(self.kind, self.number, &self.folder.0, self.server.as_deref(), &self.clock)
    }

    pub(crate) fn conversation(&self, session: &str) -> ConversationId {
        self.of_workflow("w", "", session)
    }

    pub(crate) fn of_workflow(&self, owner: &str, scope: &str, session: &str) -> ConversationId {
        ConversationId {
            owner: format!("{owner}-{}", self.number).into(),
            scope: scope.into(),
            session: SessionId::new(session).unwrap(),
        }
    }

    pub(crate) fn memory(&self, window: MemoryWindow) -> RecentMemory {
        let owner = format!("w-{}", self.number).into();
        let place = MemoryStore {
            conversations: self.conversations.clone(),
            owner,
            scope: Str::new(),
            lifetime: Lifetime::Endless,
            keys: Arc::new(node_api::ai::NoConversationKeys),
        };
        RecentMemory { store: place, window }
    }

    pub(crate) async fn append(&self, session: &str, key: &str, text: &str) {
        let turn = StoredTurn::new(
            TurnKey(key.into()),
            vec![Message::user(text), Message::assistant(format!("{text}!"))],
        );
        self.conversations
            .append(&self.conversation(session), turn, Lifetime::Endless)
            .await
            .unwrap();
    }

    pub(crate) async fn all(&self, session: &str) -> Vec<StoredTurn> {
        self.conversations
            .newest(&self.conversation(session), RecallLimit::ALL, Lifetime::Endless)
            .await
            .unwrap()
    }

    /// What the user said, turn by turn.
    pub(crate) async fn user_messages(&self, session: &str) -> Vec<String> {
        self.all(session).await.iter().map(|turn| turn.messages[0].text().to_string()).collect()
    }

    /// Lets time pass for conversations that have an end.
    pub(crate) async fn wait(&self, seconds: i64) {
        self.clock.fetch_add(seconds * 1000, Ordering::Relaxed);
        match self.kind {
            BackendKind::Process | BackendKind::Postgres => {}
            BackendKind::Sqlite => {
                let connection =
                    rusqlite::Connection::open(self.folder.0.join("heddle.db")).unwrap();
                connection.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
                connection
                    .execute(
                        "UPDATE conversations SET expires_ms = expires_ms - ?1",
                        [seconds * 1000],
                    )
                    .unwrap();
            }
            BackendKind::Redis | BackendKind::RedisInTheOpen => {
                for key in self.redis_keys().await {
                    let left = self.redis_command(&["TTL", &key]).await.as_f64().unwrap() as i64;
                    if left >= 0 {
                        self.redis_command(&["EXPIRE", &key, &(left - seconds).to_string()]).await;
                    }
                }
            }
        }
    }

    /// Every byte that lies there.
    pub(crate) async fn bytes(&self) -> Vec<u8> {
        match self.kind {
            BackendKind::Process | BackendKind::Postgres => Vec::new(),
            BackendKind::Sqlite => ["heddle.db", "heddle.db-wal"]
                .iter()
                .flat_map(|name| std::fs::read(self.folder.0.join(name)).unwrap())
                .collect(),
            BackendKind::Redis | BackendKind::RedisInTheOpen => {
                let mut all = Vec::new();
                for key in self.redis_keys().await {
                    all.extend_from_slice(key.as_bytes());
                    let reading = if key.ends_with(":keys") {
                        vec!["SMEMBERS", &key]
                    } else {
                        vec!["LRANGE", &key, "0", "-1"]
                    };
                    all.extend_from_slice(
                        model::json::to_string(&self.redis_command(&reading).await).as_bytes(),
                    );
                }
                all
            }
        }
    }

    async fn redis_keys(&self) -> Vec<String> {
        let keys = self.redis_command(&["KEYS", &format!("{}*", redis_prefix(self.number))]).await;
        keys.as_array().unwrap().iter().map(|key| key.to_js_string().to_string()).collect()
    }

    async fn redis_command(&self, words: &[&str]) -> Value {
        let server = redis_server(self.server.as_deref().unwrap());
        host().connections().redis(&server).await.unwrap().command(words).await.unwrap()
    }
}

fn open(
    kind: BackendKind,
    number: usize,
    folder: &Path,
    server: Option<&Service>,
    clock: &Arc<AtomicI64>,
) -> Arc<dyn ConversationStore> {
    let store = || Arc::new(Sqlite::open(folder, OpenMode::Shared).unwrap());
    let in_redis = |protection: fn(Arc<dyn node_api::ai::Sealer>) -> Protection| {
        let (server, prefix) = (redis_server(server.unwrap()), redis_prefix(number).into());
        Arc::new(RedisConversations {
            host: host(),
            server,
            prefix,
            protection: protection(store()),
        })
    };
    match kind {
        BackendKind::Process => {
            let clock = clock.clone();
            Arc::new(ProcessConversations::new(ProcessLimits::default(), move || {
                clock.load(Ordering::Relaxed)
            }))
        }
        BackendKind::Sqlite => store(),
        BackendKind::Redis => in_redis(Protection::Sealed),
        BackendKind::RedisInTheOpen => in_redis(Protection::Open),
        BackendKind::Postgres => Arc::new(PostgresConversations::new(
            host(),
            postgres_server(server.unwrap()),
            &postgres_table(number),
        )),
    }
}

/// A world with the servers of this machine and nothing else.
pub(crate) fn host() -> Arc<dyn Host> {
    let mut host = TestHost::new(&Spec::default(), 1.0, &json!({}));
    host.connections = Arc::new(GuardedConnections::new(EgressPolicy::parse("127.0.0.1").unwrap()));
    Arc::new(host)
}

fn redis_prefix(number: usize) -> String {
    format!("test:{number}:")
}

pub(crate) fn redis_server(server: &Service) -> RedisServer {
    let mut to = node_api::connect::RemoteServer::new("127.0.0.1", server.port);
    to.password = PASSWORD.into();
    RedisServer { server: to, database: 0 }
}

pub(crate) fn postgres_table(number: usize) -> String {
    format!("chats {number}")
}

pub(crate) fn postgres_server(server: &Service) -> SqlServer {
    let mut to = node_api::connect::RemoteServer::new("127.0.0.1", server.port);
    (to.user, to.password) = ("postgres".into(), PASSWORD.into());
    let values = ValueForms {
        big_integers: NumberForm::Text,
        decimals: NumberForm::Text,
        dates: DateForm::Iso,
    };
    SqlServer { server: to, dialect: Dialect::Postgres, database: "postgres".into(), values }
}

struct BackendFolder(PathBuf);

impl BackendFolder {
    fn new(number: usize) -> Self {
        let path =
            std::env::temp_dir().join(format!("heddle-memories-{}-{number}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for BackendFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
