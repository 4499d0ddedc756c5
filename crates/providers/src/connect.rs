//! Databases, Redis and mail servers behind the egress policy: looked up once, checked, and
//! connected to what was checked.

mod dates;
mod dial;
mod imap;
mod mysql;
mod pool;
mod postgres;
mod redis;
mod result_budget;
mod smtp;
mod tls;

use crate::http::{EgressPolicy, NameResolver, SystemResolver};
use dial::Dialer;
use model::Value;
use node_api::connect::{
    ConnectError, Connections, Dialect, Mail, MailReceipt, MailboxSession, ReadLimits, RedisServer,
    RedisSession, RemoteServer, SqlResult, SqlServer, SqlSession,
};
use pool::Pool;
use std::sync::Arc;

/// What one answer of a database may hold.
const MAX_ANSWER_BYTES: usize = 256 << 20;

/// Connections behind the egress policy.
pub struct GuardedConnections {
    dialler: Dialer,
    postgres: Arc<Pool<postgres::Connection>>,
    mysql: Arc<Pool<mysql_async::Conn>>,
    redis: Arc<Pool<redis::Connection>>,
}

impl GuardedConnections {
    pub fn new(policy: EgressPolicy) -> Self {
        Self::with_resolver(policy, Arc::new(SystemResolver))
    }

    pub fn with_resolver(policy: EgressPolicy, resolver: Arc<dyn NameResolver>) -> Self {
        Self {
            dialler: Dialer::new(policy, resolver),
            postgres: Arc::default(),
            mysql: Arc::default(),
            redis: Arc::default(),
        }
    }
}

#[async_trait::async_trait]
impl Connections for GuardedConnections {
    async fn sql(&self, server: &SqlServer) -> Result<Box<dyn SqlSession>, ConnectError> {
        match server.dialect {
            Dialect::Postgres => postgres::session(&self.dialler, &self.postgres, server).await,
            Dialect::MySql => mysql::session(&self.dialler, &self.mysql, server).await,
        }
    }

    async fn read_sql(
        &self,
        server: &SqlServer,
        statement: &str,
        values: &[Value],
        limits: ReadLimits,
    ) -> Result<SqlResult, ConnectError> {
        let limits = ReadLimits { bytes: limits.bytes.min(MAX_ANSWER_BYTES), ..limits };
        let mut result = match server.dialect {
            Dialect::Postgres => {
                postgres::read(&self.dialler, server, statement, values, limits).await?
            }
            Dialect::MySql => mysql::read(&self.dialler, server, statement, values, limits).await?,
        };
        // One more than was asked for is read, to tell whether there are more.
        result.has_more = result.rows.len() > limits.rows;
        result.rows.truncate(limits.rows);
        Ok(result)
    }

    async fn redis(&self, server: &RedisServer) -> Result<Box<dyn RedisSession>, ConnectError> {
        redis::session(&self.dialler, &self.redis, server).await
    }

    async fn send_mail(
        &self,
        server: &RemoteServer,
        mail: Mail,
    ) -> Result<MailReceipt, ConnectError> {
        smtp::send(&self.dialler, server, mail).await
    }

    async fn check_mail_server(&self, server: &RemoteServer) -> Result<(), ConnectError> {
        smtp::check_login(&self.dialler, server).await
    }

    async fn mailbox(
        &self,
        server: &RemoteServer,
    ) -> Result<Box<dyn MailboxSession>, ConnectError> {
        imap::session(&self.dialler, server).await
    }
}
