//! Redis: commands as words, replies as JSON.

mod reply_counter;

use super::MAX_ANSWER_BYTES;
use super::dial::{Dialer, encrypt, within};
use model::{Object, Value};
use node_api::connect::{ConnectError, RedisServer, RedisSession, RemoteServer, Security};
use node_api::http::HttpError;
use redis::aio::{ConnectionLike as _, MultiplexedConnection};
use redis::{AsyncConnectionConfig, Cmd, ErrorKind, RedisConnectionInfo, RedisError};
use reply_counter::{CountedStream, ReplyCounter};
use std::sync::Arc;
use std::time::Duration;

struct GuardedRedisSession {
    connection: MultiplexedConnection,
    server: RemoteServer,
    replies: Arc<ReplyCounter>,
    driver: tokio::task::JoinHandle<()>,
}

pub(super) async fn session(
    dialler: &Dialer,
    to: &RedisServer,
) -> Result<Box<dyn RedisSession>, ConnectError> {
    let server = &to.server;
    let (stream, _) = dialler.connect(server).await?;
    let stream: super::dial::BoxStream = if server.security == Security::Plain {
        Box::new(stream)
    } else {
        encrypt(server, stream).await?
    };
    let replies = Arc::new(ReplyCounter::default());
    let stream = CountedStream::new(stream, replies.clone(), MAX_ANSWER_BYTES);
    let mut sign_in = RedisConnectionInfo::default().set_db(to.database).set_skip_set_lib_name();
    if !server.password.is_empty() {
        sign_in = sign_in.set_password(&server.password);
        if !server.user.is_empty() {
            sign_in = sign_in.set_username(&server.user);
        }
    }
    let config = AsyncConnectionConfig::new()
        .set_response_timeout(Some(Duration::from_millis(server.timeout_ms)));
    // The driver reads and writes; the sign-in itself waits for it, so both go on side by side.
    let (connection, driver) = within(server, async {
        let opened = MultiplexedConnection::new_with_config(&sign_in, stream, config).await;
        opened.map_err(|error| connect_error(server, &replies, &error))
    })
    .await?;
    let driver = tokio::spawn(driver);
    Ok(Box::new(GuardedRedisSession { connection, server: server.clone(), replies, driver }))
}

impl Drop for GuardedRedisSession {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

#[async_trait::async_trait]
impl RedisSession for GuardedRedisSession {
    async fn command(&mut self, words: &[&str]) -> Result<Value, ConnectError> {
        let mut command = Cmd::new();
        for word in words {
            command.arg(*word);
        }
        self.replies.begin();
        let answer = self.connection.req_packed_command(&command).await;
        answer
            .and_then(redis::Value::extract_error)
            .map(json)
            .map_err(|error| connect_error(&self.server, &self.replies, &error))
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
