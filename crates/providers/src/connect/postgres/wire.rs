//! One connection to PostgreSQL: start-up, sign-in, and the two ways of asking.

use super::super::MAX_ANSWER_BYTES;
use super::super::dial::{BoxStream, encrypt, unreachable, within};
use super::super::result_budget::ResultBudget;
use super::{parameters, types};
use bytes::BytesMut;
use fallible_iterator::FallibleIterator as _;
use model::{Object, Str, Value};
use node_api::connect::{ConnectError, RemoteServer, Security, SqlResult, SqlServer, ValueForms};
use postgres_protocol::IsNull;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::{ErrorResponseBody, Message};
use postgres_protocol::message::frontend;
use std::io;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

pub(in super::super) struct Connection {
    stream: BoxStream,
    incoming: BytesMut,
    status: Status,
    /// What an answer may hold, and one message of it.
    limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Idle,
    InTransaction,
    /// An answer was not read to its end.
    Desynced,
}

/// What the transactions of a session may do if they do not say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TransactionMode {
    ReadWrite,
    ReadOnly,
}

/// What the protocol takes for no limit.
const ALL_ROWS: i32 = 0;

/// A column of an answer: its name and its type's number.
type ColumnType = (Str, u32);

impl Connection {
    pub(super) async fn open(
        to: &SqlServer,
        stream: TcpStream,
        mode: TransactionMode,
    ) -> Result<Self, ConnectError> {
        let server = &to.server;
        let stream = start_encryption(server, stream).await?;
        let mut connection = Self {
            stream,
            incoming: BytesMut::with_capacity(8192),
            status: Status::Desynced,
            limit: MAX_ANSWER_BYTES,
        };
        within(server, connection.sign_in(to, mode)).await?;
        connection.status = Status::Idle;
        Ok(connection)
    }

    /// From now on an answer that holds more is not read.
    pub(super) fn limit(&mut self, bytes: usize) {
        self.limit = bytes;
    }

    /// Outside of a transaction, with nothing left unread.
    pub(super) fn is_idle(&self) -> bool {
        self.status == Status::Idle
    }

    async fn sign_in(&mut self, to: &SqlServer, mode: TransactionMode) -> Result<(), ConnectError> {
        let server = &to.server;
        let read_only =
            (mode == TransactionMode::ReadOnly).then_some(("default_transaction_read_only", "on"));
        let parameters = [
            ("user", server.user.as_str()),
            ("database", to.database.as_str()),
            ("client_encoding", "UTF8"),
            ("DateStyle", "ISO, MDY"),
            ("application_name", "heddle"),
        ];
        let mut out = BytesMut::new();
        frontend::startup_message(parameters.into_iter().chain(read_only), &mut out)
            .map_err(|error| unreachable(server, &error))?;
        self.write(server, &out).await?;
        let mut scram: Option<ScramSha256> = None;
        loop {
            let mut out = BytesMut::new();
            let sent = match self.read(server).await? {
                Message::AuthenticationOk
                | Message::ParameterStatus(_)
                | Message::BackendKeyData(_)
                | Message::NoticeResponse(_) => {
                    continue;
                }
                Message::ReadyForQuery(_) => return Ok(()),
                Message::AuthenticationCleartextPassword => {
                    frontend::password_message(server.password.as_bytes(), &mut out)
                }
                Message::AuthenticationMd5Password(body) => {
                    let hash =
                        md5_hash(server.user.as_bytes(), server.password.as_bytes(), body.salt());
                    frontend::password_message(hash.as_bytes(), &mut out)
                }
                Message::AuthenticationSasl(body) => {
                    if !body.mechanisms().iterator().flatten().any(|name| name == SCRAM_SHA_256) {
                        return Err(sign_in_error(
                            server,
                            "it requests an unsupported authentication method",
                        ));
                    }
                    let begun =
                        ScramSha256::new(server.password.as_bytes(), ChannelBinding::unsupported());
                    let sent =
                        frontend::sasl_initial_response(SCRAM_SHA_256, begun.message(), &mut out);
                    scram = Some(begun);
                    sent
                }
                Message::AuthenticationSaslContinue(body) => match &mut scram {
                    Some(scram) => {
                        scram
                            .update(body.data())
                            .map_err(|error| sign_in_error(server, &error.to_string()))?;
                        frontend::sasl_response(scram.message(), &mut out)
                    }
                    None => return Err(unexpected_message(server)),
                },
                Message::AuthenticationSaslFinal(body) => {
                    let scram = scram.as_mut().ok_or_else(|| unexpected_message(server))?;
                    scram
                        .finish(body.data())
                        .map_err(|error| sign_in_error(server, &error.to_string()))?;
                    continue;
                }
                Message::ErrorResponse(body) => {
                    let error = refused(&body);
                    return Err(match &error {
                        // 28: the sign-in itself; 3D: no such database.
                        ConnectError::Refused { message, state, .. }
                            if state.starts_with("28") || state.starts_with("3D") =>
                        {
                            sign_in_error(server, message)
                        }
                        _ => error,
                    });
                }
                _ => {
                    return Err(sign_in_error(
                        server,
                        "it requests an unsupported authentication method",
                    ));
                }
            };
            sent.map_err(|error| unreachable(server, &error))?;
            self.write(server, &out).await?;
        }
    }

    /// Any number of statements, without values.
    pub(super) async fn simple(
        &mut self,
        server: &RemoteServer,
        statements: &str,
        forms: ValueForms,
    ) -> Result<Vec<SqlResult>, ConnectError> {
        let mut out = BytesMut::new();
        frontend::query(statements, &mut out).map_err(|_| holds_nul())?;
        self.exchange(server, &out, forms).await
    }

    /// One statement with its values bound.
    pub(super) async fn extended(
        &mut self,
        server: &RemoteServer,
        statement: &str,
        values: &[Value],
        forms: ValueForms,
    ) -> Result<SqlResult, ConnectError> {
        let bound = bound(values)?;
        let mut out = BytesMut::new();
        frontend::parse("", statement, bound.iter().map(|(kind, _)| *kind), &mut out)
            .map_err(|_| holds_nul())?;
        push_execution(server, &bound, ALL_ROWS, &mut out)?;
        Ok(self.exchange(server, &out, forms).await?.into_iter().next().unwrap_or_default())
    }

    /// Prepares one statement for [`Connection::execute`] and runs nothing. Says whether it returns
    /// rows.
    pub(super) async fn prepare(
        &mut self,
        server: &RemoteServer,
        statement: &str,
        values: &[Value],
    ) -> Result<bool, ConnectError> {
        let bound = bound(values)?;
        let mut out = BytesMut::new();
        frontend::parse("", statement, bound.iter().map(|(kind, _)| *kind), &mut out)
            .map_err(|_| holds_nul())?;
        frontend::describe(b'S', "", &mut out).map_err(|error| unreachable(server, &error))?;
        frontend::sync(&mut out);
        self.status = Status::Desynced;
        self.write(server, &out).await?;
        let mut has_rows = false;
        let mut failure: Option<ConnectError> = None;
        loop {
            match self.read(server).await? {
                Message::RowDescription(_) => has_rows = true,
                Message::ErrorResponse(body) => failure = Some(refused(&body)),
                Message::ReadyForQuery(body) => {
                    self.is_ready(body.status());
                    return failure.map_or(Ok(has_rows), Err);
                }
                _ => {}
            }
        }
    }

    /// Runs the statement that was prepared last, until it has given so many rows.
    pub(super) async fn execute(
        &mut self,
        server: &RemoteServer,
        values: &[Value],
        forms: ValueForms,
        most_rows: usize,
    ) -> Result<SqlResult, ConnectError> {
        let mut out = BytesMut::new();
        push_execution(
            server,
            &bound(values)?,
            i32::try_from(most_rows).unwrap_or(i32::MAX),
            &mut out,
        )?;
        Ok(self.exchange(server, &out, forms).await?.into_iter().next().unwrap_or_default())
    }

    fn is_ready(&mut self, status: u8) {
        self.status = if status == b'I' { Status::Idle } else { Status::InTransaction };
    }

    /// Sends, and reads answers until the server is ready again.
    async fn exchange(
        &mut self,
        server: &RemoteServer,
        out: &[u8],
        forms: ValueForms,
    ) -> Result<Vec<SqlResult>, ConnectError> {
        self.status = Status::Desynced;
        self.write(server, out).await?;
        let mut results = Vec::new();
        let mut current = SqlResult::default();
        let mut columns: Vec<ColumnType> = Vec::new();
        let mut failure: Option<ConnectError> = None;
        let mut account = ResultBudget::new(self.limit);
        loop {
            match self.read(server).await? {
                Message::RowDescription(body) => {
                    let found = body
                        .fields()
                        .map(|field| Ok((Str::from(field.name()), field.type_oid())))
                        .collect();
                    columns = found.map_err(|error| unreachable(server, &error))?;
                    current = SqlResult { has_rows: true, ..SqlResult::default() };
                }
                Message::DataRow(body) => {
                    let mut row = Object::with_capacity(columns.len());
                    let mut ranges = body.ranges();
                    for (name, kind) in &columns {
                        let range =
                            ranges.next().map_err(|error| unreachable(server, &error))?.flatten();
                        let value = match range.and_then(|range| body.buffer().get(range)) {
                            None => Value::Null,
                            Some(text) => {
                                account.expect(text.len(), types::form(*kind))?;
                                types::read(*kind, &String::from_utf8_lossy(text), forms)
                            }
                        };
                        account.take(name, &value);
                        row.insert(name.clone(), value);
                    }
                    account.end_row()?;
                    account.reserve().await?;
                    current.rows.push(row);
                }
                // It has given as many rows as it may.
                Message::PortalSuspended => results.push(std::mem::take(&mut current)),
                Message::CommandComplete(body) => {
                    let tag = body.tag().unwrap_or_default();
                    current.affected =
                        tag.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0);
                    current.info = tag.split(' ').next().unwrap_or_default().into();
                    results.push(std::mem::take(&mut current));
                }
                Message::EmptyQueryResponse => results.push(SqlResult::default()),
                Message::ErrorResponse(body) => failure = Some(refused(&body)),
                Message::CopyInResponse(_) => {
                    let mut out = BytesMut::new();
                    frontend::copy_fail("COPY FROM STDIN is not supported", &mut out)
                        .map_err(|error| unreachable(server, &error))?;
                    self.write(server, &out).await?;
                }
                Message::ReadyForQuery(body) => {
                    self.is_ready(body.status());
                    return failure.map_or(Ok(results), Err);
                }
                _ => {}
            }
        }
    }

    async fn write(&mut self, server: &RemoteServer, out: &[u8]) -> Result<(), ConnectError> {
        let sent = async {
            self.stream.write_all(out).await?;
            self.stream.flush().await
        };
        sent.await.map_err(|error| unreachable(server, &error))
    }

    async fn read(&mut self, server: &RemoteServer) -> Result<Message, ConnectError> {
        loop {
            if let Some(length) = self
                .incoming
                .get(1..5)
                .and_then(|bytes| bytes.try_into().ok())
                .map(u32::from_be_bytes)
                && length as usize > self.limit
            {
                return Err(ConnectError::TooLarge { limit: self.limit });
            }
            if let Some(message) =
                Message::parse(&mut self.incoming).map_err(|error| unreachable(server, &error))?
            {
                return Ok(message);
            }
            let n_read = self
                .stream
                .read_buf(&mut self.incoming)
                .await
                .map_err(|error| unreachable(server, &error))?;
            if n_read == 0 {
                return Err(unreachable(server, &io::Error::from(io::ErrorKind::UnexpectedEof)));
            }
        }
    }
}

/// Values in text form, each with the number of its type.
fn bound(values: &[Value]) -> Result<Vec<(u32, Option<String>)>, ConnectError> {
    if values.len() > usize::from(u16::MAX) {
        return Err(ConnectError::Unsendable {
            message: format!("A statement can have at most {} values", u16::MAX),
        });
    }
    Ok(values.iter().map(parameters::bind).collect())
}

/// Binds the values to the unnamed statement and runs it.
fn push_execution(
    server: &RemoteServer,
    bound: &[(u32, Option<String>)],
    most_rows: i32,
    out: &mut BytesMut,
) -> Result<(), ConnectError> {
    let text_format = [0_i16];
    let write = |(_, text): &(u32, Option<String>), buffer: &mut BytesMut| {
        Ok(match text {
            None => IsNull::Yes,
            Some(text) => {
                buffer.extend_from_slice(text.as_bytes());
                IsNull::No
            }
        })
    };
    frontend::bind("", "", text_format, bound.iter(), write, text_format, out)
        .map_err(|_| holds_nul())?;
    let ending =
        frontend::describe(b'P', "", out).and_then(|()| frontend::execute("", most_rows, out));
    ending.map_err(|error| unreachable(server, &error))?;
    frontend::sync(out);
    Ok(())
}

async fn start_encryption(
    server: &RemoteServer,
    mut stream: TcpStream,
) -> Result<BoxStream, ConnectError> {
    if server.security == Security::Plain {
        return Ok(Box::new(stream));
    }
    let mut out = BytesMut::new();
    frontend::ssl_request(&mut out);
    let answer = within(server, async {
        stream.write_all(&out).await.map_err(|error| unreachable(server, &error))?;
        stream.read_u8().await.map_err(|error| unreachable(server, &error))
    });
    match (answer.await?, server.security) {
        (b'S', _) => encrypt(server, stream).await,
        (_, Security::IfOffered) => Ok(Box::new(stream)),
        _ => Err(ConnectError::Unreachable {
            place: server.authority(),
            reason: "the server does not offer encryption (SSL)".into(),
        }),
    }
}

fn refused(body: &ErrorResponseBody) -> ConnectError {
    let mut message = String::new();
    let mut detail: Option<String> = None;
    let mut state = String::new();
    let mut fields = body.fields();
    while let Ok(Some(field)) = fields.next() {
        let text = || String::from_utf8_lossy(field.value_bytes()).into_owned();
        match field.type_() {
            b'M' => message = text(),
            b'D' | b'H' if detail.is_none() => detail = Some(text()),
            b'C' => state = text(),
            _ => {}
        }
    }
    ConnectError::Refused { message, detail, state }
}

fn sign_in_error(server: &RemoteServer, reason: &str) -> ConnectError {
    ConnectError::SignIn { place: server.authority(), reason: reason.to_owned() }
}

fn unexpected_message(server: &RemoteServer) -> ConnectError {
    ConnectError::Unreachable {
        place: server.authority(),
        reason: "the server does not speak PostgreSQL's protocol".into(),
    }
}

fn holds_nul() -> ConnectError {
    ConnectError::Unsendable {
        message:
            "The statement contains a NUL character, which PostgreSQL does not accept, or a value \
             is too large"
                .into(),
    }
}
