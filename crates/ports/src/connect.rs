//! Connections other than HTTP: databases, Redis and mail servers. One port, behind which the same
//! egress policy stands.

use crate::NodeError;
use crate::http::{HttpError, TlsCertificates};
use bytes::Bytes;
use model::{Code, Object, Str, Value};
use std::fmt;
use std::sync::Arc;

/// Reaches servers that speak a protocol of their own. Implemented by `providers`, which checks
/// every address before it connects.
#[async_trait::async_trait]
pub trait Connections: Send + Sync {
    /// A session with a database; taken from a pool where one is idle.
    async fn sql(&self, server: &SqlServer) -> Result<Box<dyn SqlSession>, ConnectError>;
    /// Runs one statement that returns rows, on a connection that is made for it and closed
    /// afterwards. The server prepares the statement, and so refuses several of them; its session
    /// and its transaction are read-only, and the transaction is rolled back. A statement without
    /// rows is not run, and one that takes more than `limits` is given up.
    async fn read_sql(
        &self,
        server: &SqlServer,
        statement: &str,
        values: &[Value],
        limits: ReadLimits,
    ) -> Result<SqlResult, ConnectError>;
    async fn redis(&self, server: &RedisServer) -> Result<Box<dyn RedisSession>, ConnectError>;
    /// Hands one mail to a server.
    async fn send_mail(
        &self,
        server: &RemoteServer,
        mail: Mail,
    ) -> Result<MailReceipt, ConnectError>;
    /// Signs in to a server that takes mail, and sends nothing.
    async fn check_mail_server(&self, server: &RemoteServer) -> Result<(), ConnectError> {
        Err(ConnectError::Unreachable {
            place: server.authority(),
            reason: "mail servers cannot be reached from here".into(),
        })
    }
    /// Opens a mailbox and signs in.
    async fn mailbox(&self, server: &RemoteServer)
    -> Result<Box<dyn MailboxSession>, ConnectError>;
}

/// Where a server is and how to sign in to it.
#[derive(Clone, PartialEq)]
pub struct RemoteServer {
    pub host: String,
    pub port: u16,
    pub user: String,
    pub password: String,
    pub security: Security,
    /// Accept certificates that cannot be verified.
    pub allow_invalid_certificates: bool,
    pub certificates: Option<Arc<TlsCertificates>>,
    /// For making the connection and for each answer.
    pub timeout_ms: u64,
    /// The name given to a mail server; empty for the usual one.
    pub client_name: String,
}

/// How the connection is kept secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Security {
    #[default]
    Plain,
    /// Encrypted if the server offers it.
    IfOffered,
    /// Encrypted from the first byte, or in the way the protocol asks for; anything else is
    /// refused.
    Tls,
    /// Begins in the open and must be encrypted before anything is said.
    StartTls,
}

impl RemoteServer {
    pub fn new(host: impl Into<String>, port: u16) -> Self {
        Self {
            host: host.into(),
            port,
            user: String::new(),
            password: String::new(),
            security: Security::Plain,
            allow_invalid_certificates: false,
            certificates: None,
            timeout_ms: 30_000,
            client_name: String::new(),
        }
    }

    /// For messages: the host and the port.
    pub fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

impl fmt::Debug for RemoteServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Server({})", self.authority())
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct SqlServer {
    pub server: RemoteServer,
    pub dialect: Dialect,
    pub database: String,
    pub values: ValueForms,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Postgres,
    MySql,
}

/// How a database's values become JSON where JSON has no such type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueForms {
    pub big_integers: NumberForm,
    pub decimals: NumberForm,
    pub dates: DateForm,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberForm {
    Text,
    Number,
    /// A number unless it would lose digits.
    NumberIfExact,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateForm {
    /// `2024-12-31T00:00:00.000Z`.
    Iso,
    /// As the server writes it.
    AsWritten,
}

/// A session with a database. Dropping it closes the connection; [`SqlSession::finish`] keeps it
/// for the next one.
#[async_trait::async_trait]
pub trait SqlSession: Send {
    /// Runs one statement with bound values, or without values any number of them. Gives one result
    /// for each statement.
    async fn run(
        &mut self,
        statement: &str,
        values: &[Value],
    ) -> Result<Vec<SqlResult>, ConnectError>;
    /// Hands the connection back. Only for a session outside of a transaction.
    async fn finish(self: Box<Self>);
}

/// What a statement that reads may take. It is meant for statements that somebody else writes, such
/// as a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadLimits {
    /// Further rows are not read.
    pub rows: usize,
    /// What the rows may hold, as they are here.
    pub bytes: usize,
    /// The server stops after this; if it does not, the connection is closed.
    pub time_ms: u64,
}

/// What a statement gave.
#[derive(Clone, Debug, Default)]
pub struct SqlResult {
    /// The statement has rows to tell, even if there are none of them.
    pub has_rows: bool,
    pub rows: Vec<Object>,
    /// There are more rows than were to be read.
    pub has_more: bool,
    pub affected: u64,
    pub last_insert_id: u64,
    pub info: Str,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RedisServer {
    pub server: RemoteServer,
    pub database: i64,
}

#[async_trait::async_trait]
pub trait RedisSession: Send {
    async fn command(&mut self, words: &[&str]) -> Result<Value, ConnectError>;
}

/// A mail that is ready to be sent.
#[derive(Clone, Debug, Default)]
pub struct Mail {
    pub from: String,
    pub to: Vec<String>,
    pub cc: Vec<String>,
    pub bcc: Vec<String>,
    pub reply_to: Vec<String>,
    pub in_reply_to: String,
    pub subject: String,
    pub text: Option<String>,
    pub html: Option<String>,
    pub attachments: Vec<Attachment>,
}

#[derive(Clone, Debug)]
pub struct Attachment {
    pub file_name: String,
    pub mime_type: String,
    pub data: Bytes,
    /// Named by `cid:` links in the HTML.
    pub content_id: Option<String>,
}

/// What a mail server said to a mail.
#[derive(Clone, Debug, Default)]
pub struct MailReceipt {
    pub message_id: String,
    pub from: String,
    pub accepted: Vec<String>,
    pub response: String,
}

/// A mailbox that is signed in to.
#[async_trait::async_trait]
pub trait MailboxSession: Send {
    /// Opens a folder and tells what identifies its numbering of messages.
    async fn open(
        &mut self,
        folder: &str,
        access: MailboxAccess,
    ) -> Result<MailFolder, ConnectError>;
    /// The numbers (UIDs) of the messages that fit IMAP search keys, in order.
    async fn search(&mut self, keys: &str) -> Result<Vec<u32>, ConnectError>;
    /// One message as it lies there; `None` if it is gone.
    async fn fetch(&mut self, uid: u32, limit: usize) -> Result<Option<FetchedMail>, ConnectError>;
    async fn mark_seen(&mut self, uids: &[u32]) -> Result<(), ConnectError>;
    async fn close(self: Box<Self>);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailboxAccess {
    Read,
    Write,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MailFolder {
    pub uid_validity: u32,
    pub uid_next: u32,
}

#[derive(Clone, Debug, Default)]
pub struct FetchedMail {
    pub uid: u32,
    pub flags: Vec<String>,
    pub source: Bytes,
}

/// Why a server did not do what was asked. No variant carries a password.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("{0}")]
    Closed(HttpError),
    #[error("Could not connect to {place}: {reason}")]
    Unreachable { place: String, reason: String },
    #[error("The certificate of {place} is not trusted: {reason}")]
    Untrusted { place: String, reason: String },
    #[error("{place} did not respond within {timeout_ms} ms")]
    Timeout { place: String, timeout_ms: u64 },
    #[error("{place} rejected the sign-in: {reason}")]
    SignIn { place: String, reason: String },
    /// The server understood and said no.
    #[error("{message}")]
    Refused { message: String, detail: Option<String>, state: String },
    #[error("The response exceeds the limit of {limit} bytes")]
    TooLarge { limit: usize },
    /// What was to be sent has no form the protocol could carry.
    #[error("{message}")]
    Unsendable { message: String },
    /// The statement was to read, and is no query.
    #[error("Only a single statement that returns rows is allowed here")]
    NoRows,
}

impl From<HttpError> for ConnectError {
    fn from(error: HttpError) -> Self {
        ConnectError::Closed(error)
    }
}

impl ConnectError {
    pub fn code(&self) -> Code {
        match self {
            ConnectError::Closed(error) => error.code(),
            ConnectError::Unreachable { .. } | ConnectError::Untrusted { .. } => {
                Code::UPSTREAM_UNREACHABLE
            }
            ConnectError::Timeout { .. } => Code::UPSTREAM_TIMEOUT,
            ConnectError::SignIn { .. } => Code::NODE_CREDENTIAL,
            ConnectError::Refused { .. } => Code::UPSTREAM_STATUS,
            ConnectError::TooLarge { .. } => Code::UPSTREAM_TOO_LARGE,
            ConnectError::Unsendable { .. } => Code::NODE_PARAMETER,
            ConnectError::NoRows => Code::NODE_DISALLOWED,
        }
    }

    fn hint(&self) -> Option<&'static str> {
        match self {
            ConnectError::Closed(HttpError::Blocked { .. }) => Some(
                "The operator can open the server's address and port with HEDDLE_EGRESS_ALLOW.",
            ),
            ConnectError::Closed(HttpError::NoCapacity { .. }) => {
                Some("Try again in a moment, or ask the operator to raise HEDDLE_RUN_MEMORY_TOTAL.")
            }
            ConnectError::Closed(_) | ConnectError::Unreachable { .. } => {
                Some("Check the host and port of the credential, and that the server is running.")
            }
            ConnectError::Untrusted { .. } => Some(
                "Add the server's certificate authority to the system's trust store, or enter \
                     its CA certificate if the credential has a field for it. 'Ignore SSL issues' \
                     accepts any certificate, including an attacker's.",
            ),
            ConnectError::Timeout { .. } => {
                Some("Check that the server is reachable, or increase the timeout.")
            }
            ConnectError::SignIn { .. } => {
                Some("Check the user, password and encryption of the credential.")
            }
            ConnectError::TooLarge { .. } => {
                Some("Request fewer or smaller rows, for example with a limit.")
            }
            ConnectError::NoRows => Some("Use a SELECT statement, and pass values as parameters."),
            ConnectError::Refused { .. } | ConnectError::Unsendable { .. } => None,
        }
    }
}

impl From<ConnectError> for NodeError {
    fn from(error: ConnectError) -> Self {
        let mut told = NodeError::new(error.code(), Str::from(error.to_string()));
        if let Some(hint) = error.hint() {
            told = told.hint(hint);
        }
        match error {
            ConnectError::Refused { detail, state, .. } => {
                if let Some(detail) = detail.filter(|detail| !detail.is_empty()) {
                    told = told.describe(detail);
                }
                if state.is_empty() { told } else { told.with("code", Str::from(state)) }
            }
            ConnectError::Untrusted { .. } => told.with("code", Str::from("CERT_INVALID")),
            _ => told,
        }
    }
}

/// A world without servers.
pub struct NoConnections;

#[async_trait::async_trait]
impl Connections for NoConnections {
    async fn sql(&self, server: &SqlServer) -> Result<Box<dyn SqlSession>, ConnectError> {
        Err(not_connected(&server.server))
    }
    async fn read_sql(
        &self,
        server: &SqlServer,
        _statement: &str,
        _values: &[Value],
        _limits: ReadLimits,
    ) -> Result<SqlResult, ConnectError> {
        Err(not_connected(&server.server))
    }
    async fn redis(&self, server: &RedisServer) -> Result<Box<dyn RedisSession>, ConnectError> {
        Err(not_connected(&server.server))
    }
    async fn send_mail(
        &self,
        server: &RemoteServer,
        _mail: Mail,
    ) -> Result<MailReceipt, ConnectError> {
        Err(not_connected(server))
    }
    async fn mailbox(
        &self,
        server: &RemoteServer,
    ) -> Result<Box<dyn MailboxSession>, ConnectError> {
        Err(not_connected(server))
    }
}

fn not_connected(server: &RemoteServer) -> ConnectError {
    ConnectError::Unreachable { place: server.authority(), reason: "no network here".into() }
}
