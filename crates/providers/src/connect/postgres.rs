//! PostgreSQL: values are bound in text form and answers read in text form, so that every type of
//! the server has a way through.

mod parameters;
mod types;
mod wire;

pub(super) use wire::Connection;
use wire::TransactionMode;

use super::dial::{Dialer, connect_to, within_ms};
use super::pool::Pool;
use model::Value;
use node_api::connect::{ConnectError, ReadLimits, SqlResult, SqlServer, SqlSession};
use std::net::SocketAddr;
use std::sync::Arc;

struct PostgresSession {
    connection: Connection,
    address: SocketAddr,
    server: SqlServer,
    pool: Arc<Pool<Connection>>,
}

pub(super) async fn session(
    dialler: &Dialer,
    pool: &Arc<Pool<Connection>>,
    server: &SqlServer,
) -> Result<Box<dyn SqlSession>, ConnectError> {
    let addresses = dialler.addresses(&server.server).await?;
    let kept = async {
        let (mut connection, address) = pool.take(&server.server, &server.database, &addresses)?;
        // What one run has set, locked or prepared must not reach the next; a connection that
        // cannot forget is not used again.
        connection
            .simple(&server.server, "DISCARD ALL", server.values)
            .await
            .ok()
            .map(|_| (connection, address))
    };
    let (connection, address) = match kept.await {
        Some(found) => found,
        None => {
            let (stream, address) = connect_to(&server.server, &addresses).await?;
            (Connection::open(server, stream, TransactionMode::ReadWrite).await?, address)
        }
    };
    Ok(Box::new(PostgresSession {
        connection,
        address,
        server: server.clone(),
        pool: pool.clone(),
    }))
}

/// One prepared statement that has columns, in a session and a transaction that are read-only.
/// Neither is used again: the connection is closed when it is dropped.
pub(super) async fn read(
    dialler: &Dialer,
    to: &SqlServer,
    statement: &str,
    values: &[Value],
    limits: ReadLimits,
) -> Result<SqlResult, ConnectError> {
    let mut connection = read_only_connection(dialler, to).await?;
    connection.limit(limits.bytes);
    let server = &to.server;
    let reading = async {
        // Inside of a block nothing can commit but a statement of its own, and there is only one.
        // Its time begins before it could change the setting.
        let begin = format!("BEGIN READ ONLY; SET LOCAL statement_timeout = {}", limits.time_ms);
        connection.simple(server, &begin, to.values).await?;
        // Preparing takes one statement and runs nothing. Only what returns rows has columns: no
        // COPY, no DO, no SET, no COMMIT.
        if !connection.prepare(server, statement, values).await? {
            return Err(ConnectError::NoRows);
        }
        let result =
            connection.execute(server, values, to.values, limits.rows.saturating_add(1)).await?;
        // What it would have left behind goes with the connection; this only makes the end a clean
        // one.
        let _ = connection.simple(server, "ROLLBACK", to.values).await;
        Ok(result)
    };
    within_ms(server, limits.time_ms + server.timeout_ms, reading).await
}

/// A connection whose session is read-only from its first moment.
async fn read_only_connection(
    dialler: &Dialer,
    to: &SqlServer,
) -> Result<Connection, ConnectError> {
    let (stream, _) = dialler.connect(&to.server).await?;
    match Connection::open(to, stream, TransactionMode::ReadOnly).await {
        // 08P01: poolers such as PgBouncer take no settings when a session starts. The transaction
        // is read-only all the same.
        Err(ConnectError::Refused { state, .. }) if state == "08P01" => {
            let (stream, _) = dialler.connect(&to.server).await?;
            Connection::open(to, stream, TransactionMode::ReadWrite).await
        }
        opened => opened,
    }
}

#[async_trait::async_trait]
impl SqlSession for PostgresSession {
    async fn run(
        &mut self,
        statement: &str,
        values: &[Value],
    ) -> Result<Vec<SqlResult>, ConnectError> {
        match values {
            [] => self.connection.simple(&self.server.server, statement, self.server.values).await,
            values => self
                .connection
                .extended(&self.server.server, statement, values, self.server.values)
                .await
                .map(|result| vec![result]),
        }
    }

    async fn finish(self: Box<Self>) {
        if self.connection.is_idle() {
            let Self { connection, address, server, pool } = *self;
            pool.put(server.server, server.database, address, connection);
        }
    }
}
