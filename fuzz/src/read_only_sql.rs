//! Any text as the statement of a tool that may only read: whatever the server makes of it, a
//! ledger stays as it is.
//!
//! It needs a real server, whose parser is the one that counts. The fuzz target takes its address
//! from the environment (`HEDDLE_FUZZ_POSTGRES` or `HEDDLE_FUZZ_MYSQL`, as
//! `host:port:user:password:database`), which `cargo xtask fuzz` sets to servers that it starts.
//! Without any it fails: a target that tries nothing finds nothing.

use model::Value;
use node_api::connect::{
    Connections, DateForm, Dialect, NumberForm, ReadLimits, RemoteServer, SqlServer, ValueForms,
};

/// A statement may be one that takes long or gives much.
const LIMITS: ReadLimits = ReadLimits { rows: 1000, bytes: 16 << 20, time_ms: 1_000 };

/// Runs a statement that must change nothing, alone and behind beginnings that hide it from those
/// who read it otherwise.
#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub async fn holds(connections: &dyn Connections, server: &SqlServer, text: &str) {
    let before = ledger(connections, server).await;
    let hidden = match server.dialect {
        Dialect::Postgres => {
            ["SELECT 1 --\r; ", "SELECT $$a$$; ", "SELECT 1 /* /* */ */; COMMIT; "]
        }
        Dialect::MySql => ["SELECT 5--1; ", "SELECT 1 /*!; */ ", "SELECT '\\''; COMMIT; "],
    };
    for statement in
        std::iter::once(text.to_owned()).chain(hidden.map(|begin| format!("{begin}{text}")))
    {
        // Most of it is no SQL at all.
        let _ = connections.read_sql(server, &statement, &[], LIMITS).await;
        let after = ledger(connections, server).await;
        assert_eq!(after, before, "{statement:?} changed something");
    }
}

/// What the ledger holds; a table `ledger` with the columns `id` and `amount` must be there.
#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub async fn ledger(connections: &dyn Connections, server: &SqlServer) -> Vec<(Value, Value)> {
    let read = connections
        .read_sql(server, "SELECT id, amount FROM ledger ORDER BY id", &[], LIMITS)
        .await;
    let rows = read.unwrap_or_else(|error| panic!("the ledger cannot be read: {error}")).rows;
    rows.iter()
        .map(|row| {
            (
                row.get("id").cloned().unwrap_or_default(),
                row.get("amount").cloned().unwrap_or_default(),
            )
        })
        .collect()
}

/// Makes a ledger where there is none.
#[allow(dead_code, unreachable_pub, reason = "tests have a ledger of their own")]
pub async fn prepare(connections: &dyn Connections, server: &SqlServer) {
    let session = connections.sql(server).await;
    let mut session =
        session.unwrap_or_else(|error| panic!("the server cannot be reached: {error}"));
    let mut run = async |statement: &str| {
        session.run(statement, &[]).await.unwrap_or_else(|error| panic!("{statement}: {error}"))
    };
    run("CREATE TABLE IF NOT EXISTS ledger (id int PRIMARY KEY, amount int)").await;
    if ledger(connections, server).await.is_empty() {
        run("INSERT INTO ledger VALUES (1, 10), (2, 20)").await;
    }
}

/// The servers that the environment names.
#[allow(dead_code, unreachable_pub, reason = "only the fuzz target looks there")]
pub fn servers() -> Vec<SqlServer> {
    let named = |variable: &str, dialect: Dialect| {
        let given = std::env::var(variable).ok()?;
        let [host, port, user, password, database] =
            given.split(':').collect::<Vec<_>>().try_into().ok()?;
        Some(server(dialect, host, port.parse().ok()?, user, password, database))
    };
    [named("HEDDLE_FUZZ_POSTGRES", Dialect::Postgres), named("HEDDLE_FUZZ_MYSQL", Dialect::MySql)]
        .into_iter()
        .flatten()
        .collect()
}

/// A server by its parts.
#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn server(
    dialect: Dialect,
    host: &str,
    port: u16,
    user: &str,
    password: &str,
    database: &str,
) -> SqlServer {
    let server = RemoteServer {
        user: user.to_owned(),
        password: password.to_owned(),
        ..RemoteServer::new(host, port)
    };
    let values = ValueForms {
        big_integers: NumberForm::Number,
        decimals: NumberForm::Number,
        dates: DateForm::AsWritten,
    };
    SqlServer { server, dialect, database: database.to_owned(), values }
}
