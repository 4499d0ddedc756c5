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

use node_api::{Entry, run, supply, trigger};

pub use email::{EmailReadImap, EmailSend};
pub use mysql::{MySql, MySqlV1};
pub use postgres::{Postgres, PostgresV1};
pub use redis::Redis;
pub use rss::{RssFeedRead, RssFeedReadTrigger};
pub use tools::database::DatabaseTool;
pub use tools::email::EmailTool;

pub static NODES: &[Entry] = &[
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
