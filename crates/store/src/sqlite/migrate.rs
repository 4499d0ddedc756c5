//! Brings a database to the form that this version knows.

use crate::Error;
use rusqlite::{Connection, TransactionBehavior};

/// In order; a database's `user_version` says how many of them it has had.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_start.sql"),
    include_str!("migrations/0002_folders.sql"),
    include_str!("migrations/0003_approvals.sql"),
];

/// The newest form of a database that this version knows.
pub(crate) const KNOWN_SCHEMA: i64 = MIGRATIONS.len() as i64;

pub(super) fn migrate(connection: &mut Connection) -> Result<(), Error> {
    let known = KNOWN_SCHEMA;
    // A folder that needs nothing is not written to: it opens on a full disk too.
    if connection.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))? == known {
        return Ok(());
    }
    // Another process may be at the same work; whoever comes second finds it done.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > known {
        return Err(Error::Newer { found, known });
    }
    for migration in &MIGRATIONS[found.max(0) as usize..] {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    Ok(transaction.commit()?)
}
