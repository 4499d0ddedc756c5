//! Nodes for services that come with a server: databases, mail, feeds.

mod credential;
mod email;
mod mysql;
mod poll;
mod postgres;
mod redis;
mod rss;
mod sql;
mod tools;

use node_api::connect::SqlServer;
use node_api::{Ctx, NodeEntry, NodeError, run, supply, trigger};

pub use email::{EmailReadImap, EmailSend};
pub use mysql::{MySql, MySqlV1};
pub use postgres::{Postgres, PostgresV1};
pub use redis::Redis;
pub(crate) use redis::server as redis_server;
pub use rss::{RssFeedRead, RssFeedReadTrigger};
pub use tools::database::DatabaseTool;
pub use tools::email::EmailTool;

pub static NODES: &[NodeEntry] = &[
    run::<Postgres>(),
    run::<PostgresV1>(),
    run::<MySql>(),
    run::<MySqlV1>(),
    run::<Redis>(),
    run::<EmailSend>(),
    trigger::<EmailReadImap>(),
    run::<RssFeedRead>(),
    trigger::<RssFeedReadTrigger>(),
    supply::<DatabaseTool>(),
    supply::<EmailTool>(),
];

/// The database that the node's credential is for.
pub(crate) fn postgres_server(ctx: &Ctx<'_>) -> Result<SqlServer, NodeError> {
    sql::credential::postgres(ctx, "options.largeNumbersOutput")
}
