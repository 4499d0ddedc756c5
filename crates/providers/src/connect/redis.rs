//! Redis: commands as words, replies as JSON.

mod reply_counter;

use super::MAX_ANSWER_BYTES;
use super::dial::{BoxStream, Dialer, connect_to, encrypt, within};
use super::pool::Pool;
use model::{Object, Value};
use node_api::connect::{ConnectError, RedisServer, RedisSession, RemoteServer, Security};
use node_api::http::HttpError;
use redis::aio::{ConnectionLike as _, MultiplexedConnection};
use redis::{AsyncConnectionConfig, Cmd, ErrorKind, RedisConnectionInfo, RedisError};
use reply_counter::{CountedStream, ReplyCounter};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;

/// More than this of the last reply is not kept in memory for an idle connection.
const MAX_IDLE_BYTES: usize = 64 << 10;

/// A connection that is signed in. Its driver ends with it.
pub(super) struct Connection {
    commands: MultiplexedConnection,
    replies: Arc<ReplyCounter>,
    driver: tokio::task::JoinHandle<()>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Connection {
    async fn open(to: &RedisServer, stream: TcpStream) -> Result<Self, ConnectError> {
        let server = &to.server;
        let stream: BoxStream = match server.security {
            Security::Plain => Box::new(stream),
            _ => encrypt(server, stream).await?,
        };
        let replies = Arc::new(ReplyCounter::default());
        let stream = CountedStream::new(stream, replies.clone(), MAX_ANSWER_BYTES);
        let mut sign_in =
            RedisConnectionInfo::default().set_db(to.database).set_skip_set_lib_name();
        if !server.password.is_empty() {
            sign_in = sign_in.set_password(&server.password);
            if !server.user.is_empty() {
                sign_in = sign_in.set_username(&server.user);
            }
        }
        let config = AsyncConnectionConfig::new()
            .set_response_timeout(Some(Duration::from_millis(server.timeout_ms)));
        // The driver reads and writes; the sign-in itself waits for it, so both go on side by side.
        let (commands, driver) = within(server, async {
            let opened = MultiplexedConnection::new_with_config(&sign_in, stream, config).await;
            opened.map_err(|error| connect_error(server, &replies, &error))
        })
        .await?;
        Ok(Self { commands, replies, driver: tokio::spawn(driver) })
    }

    async fn command(&mut self, words: &[&str]) -> Result<redis::Value, RedisError> {
        let mut command = Cmd::new();
        for word in words {
            command.arg(*word);
        }
        self.replies.begin();
        self.commands.req_packed_command(&command).await
    }
}

struct GuardedRedisSession {
    /// None once it is not to be used again.
    connection: Option<Connection>,
    /// A command is under way: whoever asked may have gone before its reply came.
    is_busy: bool,
    server: RedisServer,
    address: SocketAddr,
    pool: Arc<Pool<Connection>>,
}

pub(super) async fn session(
    dialler: &Dialer,
    pool: &Arc<Pool<Connection>>,
    to: &RedisServer,
) -> Result<Box<dyn RedisSession>, ConnectError> {
    let addresses = dialler.addresses(&to.server).await?;
    let kept = async {
        let database = to.database.to_string();
        let (mut connection, address) = pool.take(&to.server, &database, &addresses)?;
        // The server may have closed it meanwhile.
        connection.command(&["PING"]).await.ok().map(|_| (connection, address))
    };
    let (connection, address) = match kept.await {
        Some(found) => found,
        None => {
            let (stream, address) = connect_to(&to.server, &addresses).await?;
            (Connection::open(to, stream).await?, address)
        }
    };
    Ok(Box::new(GuardedRedisSession {
        connection: Some(connection),
        is_busy: false,
        server: to.clone(),
        address,
        pool: pool.clone(),
    }))
}

impl Drop for GuardedRedisSession {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take().filter(|_| !self.is_busy) else { return };
        if connection.replies.used() <= MAX_IDLE_BYTES {
            let RedisServer { server, database } = self.server.clone();
            self.pool.put(server, database.to_string(), self.address, connection);
        }
    }
}

#[async_trait::async_trait]
impl RedisSession for GuardedRedisSession {
    async fn command(&mut self, words: &[&str]) -> Result<Value, ConnectError> {
        let place = self.server.server.authority();
        let Some(connection) = &mut self.connection else {
            let reason = "the connection was closed after an error".into();
            return Err(ConnectError::Unreachable { place, reason });
        };
        self.is_busy = true;
        let answer = connection.command(words).await;
        self.is_busy = false;
        match answer.and_then(redis::Value::extract_error) {
            Ok(answer) => Ok(json(answer)),
            Err(error) => {
                let told = connect_error(&self.server.server, &connection.replies, &error);
                if !matches!(told, ConnectError::Refused { .. }) {
                    self.connection = None;
                }
                Err(told)
            }
        }
    }
}

fn json(value: redis::Value) -> Value {
    use redis::Value as R;
    match value {
        R::Nil => Value::Null,
        R::Int(number) => Value::from(number),
        R::Double(number) => Value::Number(number),
        R::Boolean(flag) => Value::Bool(flag),
        R::BulkString(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
        R::SimpleString(text) | R::VerbatimString { text, .. } => text.into(),
        R::Okay => "OK".into(),
        R::Array(values) | R::Set(values) => {
            values.into_iter().map(json).collect::<Vec<_>>().into()
        }
        R::Map(pairs) => {
            let pairs =
                pairs.into_iter().map(|(key, value)| (json(key).to_js_string(), json(value)));
            pairs.collect::<Object>().into()
        }
        R::Attribute { data, .. } => json(*data),
        value => format!("{value:?}").into(),
    }
}

fn connect_error(
    server: &RemoteServer,
    replies: &ReplyCounter,
    error: &RedisError,
) -> ConnectError {
    match replies.stopped() {
        Some(HttpError::TooLarge { limit }) => return ConnectError::TooLarge { limit },
        Some(stopped) => return ConnectError::Closed(stopped),
        None => {}
    }
    let place = server.authority();
    let words = error.detail().map_or_else(|| error.to_string(), str::to_owned);
    if error.is_timeout() {
        return ConnectError::Timeout { place, timeout_ms: server.timeout_ms };
    }
    match (error.kind(), error.code()) {
        (ErrorKind::AuthenticationFailed, _) | (_, Some("WRONGPASS" | "NOAUTH" | "NOPERM")) => {
            ConnectError::SignIn { place, reason: words }
        }
        (ErrorKind::Io, _) => ConnectError::Unreachable { place, reason: words },
        (_, Some(code)) => ConnectError::Refused {
            message: format!("{code} {words}"),
            detail: None,
            state: code.to_owned(),
        },
        _ => {
            ConnectError::Refused { message: error.to_string(), detail: None, state: String::new() }
        }
    }
}
