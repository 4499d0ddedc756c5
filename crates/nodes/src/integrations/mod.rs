//! Nodes for services that come with a server: databases, mail, feeds.

mod credential;
mod mysql;
mod postgres;
mod redis;
mod sql;

use node_api::{Entry, run};

pub use mysql::{MySql, MySqlV1};
pub use postgres::{Postgres, PostgresV1};
pub use redis::Redis;

pub static NODES: &[Entry] = &[
    run::<Postgres>(),
    run::<PostgresV1>(),
    run::<MySql>(),
    run::<MySqlV1>(),
    run::<Redis>(),
];
