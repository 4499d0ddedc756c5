//! MySQL and MariaDB: statements with bound values, answers as JSON by the type of each column.

mod read;

pub(super) use read::read;

use super::MAX_ANSWER_BYTES;
use super::dates;
use super::dial::{Dialer, within};
use super::pool::Pool;
use super::result_budget::{ResultBudget, TextForm};
use model::{Object, Str, Value};
use mysql_async::consts::{ColumnFlags, ColumnType};
use mysql_async::prelude::Queryable as _;
use mysql_async::{Column, Conn, Opts, OptsBuilder, Params, SslOpts};
use node_api::connect::{
    ConnectError, DateForm, NumberForm, RemoteServer, Security, SqlResult, SqlServer, SqlSession,
    ValueForms,
};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The character set of columns that hold bytes and no text.
const BINARY: u16 = 63;
/// What closing a connection may take.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(100);

struct MysqlSession {
    /// None once an answer was not read to its end.
    connection: Option<Conn>,
    address: SocketAddr,
    server: SqlServer,
    pool: Arc<Pool<Conn>>,
}

pub(super) async fn session(
    dialler: &Dialer,
    pool: &Arc<Pool<Conn>>,
    server: &SqlServer,
) -> Result<Box<dyn SqlSession>, ConnectError> {
    let addresses = dialler.addresses(&server.server).await?;
    let kept = async {
        let (mut connection, address) = pool.take(&server.server, &server.database, &addresses)?;
        // What one run has set or locked must not reach the next.
        let is_reset = within(&server.server, async {
            connection.reset().await.map_err(|error| connect_error(&server.server, error))
        })
        .await;
        matches!(is_reset, Ok(true)).then_some((connection, address))
    };
    let (connection, address) = match kept.await {
        Some(found) => found,
        None => connect(server, &addresses, MAX_ANSWER_BYTES).await?,
    };
    Ok(Box::new(MysqlSession {
        connection: Some(connection),
        address,
        server: server.clone(),
        pool: pool.clone(),
    }))
}

/// Closes a connection. Dropping it would read what is still under way, however much that is.
async fn close(connection: Conn) {
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, connection.disconnect()).await;
}

/// A connection on which no row has more than so many bytes.
#[expect(clippy::disallowed_methods, reason = "to checked addresses")]
async fn connect(
    to: &SqlServer,
    addresses: &[SocketAddr],
    most_bytes: usize,
) -> Result<(Conn, SocketAddr), ConnectError> {
    let server = &to.server;
    let mut last =
        ConnectError::Unreachable { place: server.authority(), reason: "it has no address".into() };
    for address in addresses {
        let connected = within(server, async {
            Conn::new(options(to, *address, most_bytes))
                .await
                .map_err(|error| connect_error(server, error))
        });
        match connected.await {
            Ok(connection) => return Ok((connection, *address)),
            Err(error @ (ConnectError::Unreachable { .. } | ConnectError::Timeout { .. })) => {
                last = error
            }
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// The connection goes to the checked address; the name is only what the certificate must be for.
fn options(to: &SqlServer, address: SocketAddr, most_bytes: usize) -> Opts {
    let server = &to.server;
    let ssl = (server.security != Security::Plain).then(|| {
        let name = server.host.trim().trim_matches(['[', ']']).to_owned();
        let mut ssl = SslOpts::default().with_danger_tls_hostname_override(Some(name));
        if server.allow_invalid_certificates {
            ssl =
                ssl.with_danger_accept_invalid_certs(true).with_danger_skip_domain_validation(true);
        }
        if let Some(own) = &server.certificates {
            if !own.authorities.trim().is_empty() {
                ssl = ssl
                    .with_root_certs(vec![own.authorities.clone().into_bytes().into()])
                    .with_disable_built_in_roots(true);
            }
            if !own.identity.trim().is_empty() {
                let pem = || own.identity.clone().into_bytes().into();
                ssl =
                    ssl.with_client_identity(Some(mysql_async::ClientIdentity::new(pem(), pem())));
            }
        }
        ssl
    });
    OptsBuilder::default()
        .ip_or_hostname(address.ip().to_string())
        .tcp_port(address.port())
        .user(Some(server.user.clone()))
        .pass(Some(server.password.clone()))
        .db_name(Some(to.database.clone()).filter(|name| !name.is_empty()))
        .prefer_socket(false)
        .max_allowed_packet(Some(most_bytes))
        .ssl_opts(ssl)
        .into()
}

#[async_trait::async_trait]
impl SqlSession for MysqlSession {
    async fn run(
        &mut self,
        statement: &str,
        values: &[Value],
    ) -> Result<Vec<SqlResult>, ConnectError> {
        let forms = self.server.values;
        let Some(mut connection) = self.connection.take() else {
            let place = self.server.server.authority();
            return Err(ConnectError::Unreachable {
                place,
                reason: "the connection is closed".into(),
            });
        };
        let answer = match values {
            [] => match connection.query_iter(statement).await {
                Ok(mut result) => collect(&mut result, forms, MAX_ANSWER_BYTES, usize::MAX).await,
                Err(error) => Err(MysqlFailure::Server(error)),
            },
            values => {
                let bound: Vec<mysql_async::Value> = values.iter().map(bind).collect();
                match connection.exec_iter(statement, Params::Positional(bound)).await {
                    Ok(mut result) => {
                        collect(&mut result, forms, MAX_ANSWER_BYTES, usize::MAX).await
                    }
                    Err(error) => Err(MysqlFailure::Server(error)),
                }
            }
        };
        match answer {
            Ok(results) => {
                self.connection = Some(connection);
                Ok(results)
            }
            Err(MysqlFailure::TooLarge(error)) => {
                close(connection).await;
                Err(error)
            }
            Err(MysqlFailure::Server(error)) => {
                // A statement that the server refused leaves the connection as it was.
                match error {
                    mysql_async::Error::Server(_) => self.connection = Some(connection),
                    _ => close(connection).await,
                }
                Err(connect_error(&self.server.server, error))
            }
        }
    }

    async fn finish(self: Box<Self>) {
        let Self { connection, address, server, pool } = *self;
        if let Some(connection) = connection {
            pool.put(server.server, server.database, address, connection);
        }
    }
}

enum MysqlFailure {
    Server(mysql_async::Error),
    TooLarge(ConnectError),
}

/// All results of a statement, or so many rows of the first.
async fn collect<P: mysql_async::prelude::Protocol>(
    result: &mut mysql_async::QueryResult<'_, '_, P>,
    forms: ValueForms,
    most_bytes: usize,
    most_rows: usize,
) -> Result<Vec<SqlResult>, MysqlFailure> {
    let mut results = Vec::new();
    let mut account = ResultBudget::new(most_bytes);
    while let Some(columns) = result.columns() {
        let names: Vec<Str> =
            columns.iter().map(|column| Str::from(column.name_str().as_ref())).collect();
        let mut current = SqlResult {
            has_rows: !columns.is_empty(),
            rows: Vec::new(),
            has_more: false,
            affected: result.affected_rows(),
            last_insert_id: result.last_insert_id().unwrap_or(0),
            info: Str::from(result.info().as_ref()),
        };
        while let Some(row) = result.next().await.map_err(MysqlFailure::Server)? {
            let mut object = Object::with_capacity(columns.len());
            for ((column, name), value) in columns.iter().zip(&names).zip(row.unwrap_raw()) {
                let value = value.unwrap_or(mysql_async::Value::NULL);
                if let mysql_async::Value::Bytes(bytes) = &value {
                    account.expect(bytes.len(), form(column)).map_err(MysqlFailure::TooLarge)?;
                }
                let value = json_of(column, value, forms);
                account.take(name, &value);
                object.insert(name.clone(), value);
            }
            account.end_row().map_err(MysqlFailure::TooLarge)?;
            account.reserve().await.map_err(MysqlFailure::TooLarge)?;
            current.rows.push(object);
            if current.rows.len() >= most_rows {
                results.push(current);
                return Ok(results);
            }
        }
        results.push(current);
    }
    Ok(results)
}

fn bind(value: &Value) -> mysql_async::Value {
    match value {
        Value::Undefined | Value::Null => mysql_async::Value::NULL,
        Value::Bool(flag) => mysql_async::Value::Int(i64::from(*flag)),
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e18 => {
            mysql_async::Value::Int(*number as i64)
        }
        Value::Number(number) => mysql_async::Value::Double(*number),
        Value::Object(_) | Value::Array(_) => {
            mysql_async::Value::Bytes(model::json::to_string(value).into_bytes())
        }
        value => mysql_async::Value::Bytes(value.to_js_string().as_bytes().to_vec()),
    }
}

/// What a value of a column becomes.
fn form(column: &Column) -> TextForm {
    match column.column_type() {
        ColumnType::MYSQL_TYPE_JSON
        | ColumnType::MYSQL_TYPE_BIT
        | ColumnType::MYSQL_TYPE_GEOMETRY => TextForm::Nested,
        _ if is_binary(column) => TextForm::Nested,
        _ => TextForm::Plain,
    }
}

fn is_binary(column: &Column) -> bool {
    column.character_set() == BINARY && column.flags().contains(ColumnFlags::BINARY_FLAG)
}

fn json_of(column: &Column, value: mysql_async::Value, forms: ValueForms) -> Value {
    use ColumnType as C;
    match value {
        mysql_async::Value::NULL => Value::Null,
        mysql_async::Value::Int(number) => whole(number.to_string(), forms),
        mysql_async::Value::UInt(number) => whole(number.to_string(), forms),
        mysql_async::Value::Float(number) => {
            number.to_string().parse::<f64>().map_or(Value::Null, Value::Number)
        }
        mysql_async::Value::Double(number) => Value::Number(number),
        mysql_async::Value::Date(year, month, day, hour, minute, second, micros) => {
            let date = format!("{year:04}-{month:02}-{day:02}");
            let has_time = column.column_type() != C::MYSQL_TYPE_DATE;
            let clock = if has_time {
                format!(" {hour:02}:{minute:02}:{second:02}{}", fraction(micros))
            } else {
                String::new()
            };
            moment(date + &clock, forms)
        }
        mysql_async::Value::Time(is_negative, days, hours, minutes, seconds, micros) => {
            let sign = if is_negative { "-" } else { "" };
            let hours = days * 24 + u32::from(hours);
            format!("{sign}{hours:02}:{minutes:02}:{seconds:02}{}", fraction(micros)).into()
        }
        mysql_async::Value::Bytes(bytes) => match column.column_type() {
            C::MYSQL_TYPE_TINY
            | C::MYSQL_TYPE_SHORT
            | C::MYSQL_TYPE_LONG
            | C::MYSQL_TYPE_INT24
            | C::MYSQL_TYPE_LONGLONG
            | C::MYSQL_TYPE_YEAR => whole(text(bytes), forms),
            C::MYSQL_TYPE_FLOAT | C::MYSQL_TYPE_DOUBLE => {
                text(bytes).parse::<f64>().map_or(Value::Null, Value::Number)
            }
            C::MYSQL_TYPE_DECIMAL | C::MYSQL_TYPE_NEWDECIMAL => decimal(text(bytes), forms),
            C::MYSQL_TYPE_DATE
            | C::MYSQL_TYPE_NEWDATE
            | C::MYSQL_TYPE_DATETIME
            | C::MYSQL_TYPE_TIMESTAMP => moment(text(bytes), forms),
            C::MYSQL_TYPE_JSON => {
                let text = text(bytes);
                model::json::parse(&text).unwrap_or_else(|_| text.into())
            }
            C::MYSQL_TYPE_TIME => text(bytes).into(),
            C::MYSQL_TYPE_BIT | C::MYSQL_TYPE_GEOMETRY => buffer(&bytes),
            _ if is_binary(column) => buffer(&bytes),
            _ => text(bytes).into(),
        },
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Bytes as Node.js shows a buffer in JSON.
fn buffer(bytes: &[u8]) -> Value {
    let data: Vec<Value> = bytes.iter().map(|byte| Value::from(*byte)).collect();
    Object::from_iter([("type", Value::from("Buffer")), ("data", data.into())]).into()
}

fn whole(text: String, forms: ValueForms) -> Value {
    let Ok(number) = text.parse::<f64>() else { return text.into() };
    let is_exact = number.abs() <= 9_007_199_254_740_991.0;
    match forms.big_integers {
        NumberForm::Number => Value::Number(number),
        _ if is_exact => Value::Number(number),
        _ => text.into(),
    }
}

fn decimal(text: String, forms: ValueForms) -> Value {
    match (forms.decimals, text.parse::<f64>()) {
        (NumberForm::Number | NumberForm::NumberIfExact, Ok(number)) => Value::Number(number),
        _ => text.into(),
    }
}

fn moment(text: String, forms: ValueForms) -> Value {
    match forms.dates {
        DateForm::AsWritten => text.into(),
        DateForm::Iso => dates::iso(&text).unwrap_or(text).into(),
    }
}

fn fraction(micros: u32) -> String {
    if micros == 0 {
        String::new()
    } else {
        format!(".{micros:06}").trim_end_matches('0').to_owned()
    }
}

fn connect_error(server: &RemoteServer, error: mysql_async::Error) -> ConnectError {
    if let Some(untrusted) = super::tls::untrusted(server, &error) {
        return untrusted;
    }
    let place = server.authority();
    match error {
        // 1044, 1045, 1049, 1698: no such user, password or database.
        mysql_async::Error::Server(refused)
            if matches!(refused.code, 1044 | 1045 | 1049 | 1698) =>
        {
            ConnectError::SignIn { place, reason: refused.message }
        }
        mysql_async::Error::Server(refused) => ConnectError::Refused {
            message: refused.message,
            detail: Some(format!("Error {} ({})", refused.code, refused.state)),
            state: refused.state,
        },
        mysql_async::Error::Io(mysql_async::IoError::Io(error)) if is_too_large(&error) => {
            ConnectError::TooLarge { limit: MAX_ANSWER_BYTES }
        }
        mysql_async::Error::Io(mysql_async::IoError::Io(error)) => {
            super::dial::unreachable(server, &error)
        }
        mysql_async::Error::Driver(error) => match error {
            mysql_async::DriverError::StmtParamsMismatch { required, supplied } => {
                ConnectError::Refused {
                    message: format!(
                        "The statement has {required} placeholders, but {supplied} values were given"
                    ),
                    detail: None,
                    state: String::new(),
                }
            }
            error => ConnectError::Unreachable { place, reason: error.to_string() },
        },
        error => ConnectError::Unreachable { place, reason: error.to_string() },
    }
}

/// Whether a row has more bytes than the connection takes. The type of the error is not open to us.
fn is_too_large(error: &std::io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.to_string().contains("max_allowed_packet"))
}
