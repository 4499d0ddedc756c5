//! PostgreSQL: values are bound in text form and answers read in text form, so that every type of the server has a way through.

mod parameters;
mod types;
mod wire;

pub(super) use wire::Connection;

use super::dial::{Dialler, connect_to};
use super::pool::Pool;
use model::Value;
use node_api::connect::{ConnectError, SqlResult, SqlServer, SqlSession};
use std::net::SocketAddr;
use std::sync::Arc;

struct Session {
    connection: Connection,
    address: SocketAddr,
    server: SqlServer,
    pool: Arc<Pool<Connection>>,
}

pub(super) async fn session(
    dialler: &Dialler,
    pool: &Arc<Pool<Connection>>,
    server: &SqlServer,
) -> Result<Box<dyn SqlSession>, ConnectError> {
    let addresses = dialler.addresses(&server.server).await?;
    let kept = async {
        let (mut connection, address) = pool.take(server, &addresses)?;
        // What one run has set, locked or prepared must not reach the next; a connection that cannot forget is not used again.
        connection.simple(&server.server, "DISCARD ALL", server.values).await.ok().map(|_| (connection, address))
    };
    let (connection, address) = match kept.await {
        Some(found) => found,
        None => {
            let (stream, address) = connect_to(&server.server, &addresses).await?;
            (Connection::open(server, stream).await?, address)
        }
    };
    Ok(Box::new(Session { connection, address, server: server.clone(), pool: pool.clone() }))
}

#[async_trait::async_trait]
impl SqlSession for Session {
    async fn run(&mut self, statement: &str, values: &[Value]) -> Result<Vec<SqlResult>, ConnectError> {
        match values {
            [] => self.connection.simple(&self.server.server, statement, self.server.values).await,
            values => self.connection.extended(&self.server.server, statement, values, self.server.values).await.map(|result| vec![result]),
        }
    }

    async fn finish(self: Box<Self>) {
        if self.connection.is_idle() {
            let Self { connection, address, server, pool } = *self;
            pool.keep(server, address, connection);
        }
    }
}
