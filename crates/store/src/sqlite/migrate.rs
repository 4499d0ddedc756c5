//! Brings a database to the form that this version knows.

use crate::Error;
use model::Str;
use rusqlite::{Connection, TransactionBehavior};

/// In order; a database's `user_version` says how many of them it has had.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_start.sql"),
    include_str!("migrations/0002_folders.sql"),
    include_str!("migrations/0003_approvals.sql"),
    include_str!("migrations/0004_addresses.sql"),
    include_str!("migrations/0005_tags.sql"),
    include_str!("migrations/0006_links.sql"),
    include_str!("migrations/0007_recovery.sql"),
    include_str!("migrations/0008_generations.sql"),
    include_str!("migrations/0009_attempts.sql"),
    include_str!("migrations/0010_durability.sql"),
    include_str!("migrations/0011_scale.sql"),
    include_str!("migrations/0012_runs.sql"),
    include_str!("migrations/0013_unfinished.sql"),
    include_str!("migrations/0014_changes.sql"),
    include_str!("migrations/0015_counted.sql"),
    include_str!("migrations/0016_held_decisions.sql"),
    include_str!("migrations/0017_sign_in.sql"),
    include_str!("migrations/0018_policies.sql"),
    include_str!("migrations/0019_mcp_tools.sql"),
    include_str!("migrations/0020_long_term_memory.sql"),
    include_str!("migrations/0021_tool_manifests.sql"),
];

/// The newest form of a database that this version knows.
pub(crate) const KNOWN_SCHEMA: i64 = MIGRATIONS.len() as i64;

/// Who may bring a database up to date.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MigratePolicy {
    /// Whoever has the folder to itself.
    Migrate,
    /// Whoever comes beside others only makes a new one.
    Begin,
}

fn found_in(connection: &Connection) -> Result<i64, Error> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Gives back the form that the database had before.
pub(super) fn migrate(connection: &mut Connection, may: MigratePolicy) -> Result<i64, Error> {
    let known = KNOWN_SCHEMA;
    // A folder that needs nothing is not written to: it opens on a full disk too.
    if found_in(connection)? == known {
        return Ok(known);
    }
    // Another process may be at the same work; whoever comes second finds it done.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = found_in(&transaction)?;
    if found > known {
        let (what, version) = ("the data folder", version_in(&transaction));
        return Err(Error::Newer { what, version, found, known });
    }
    if may == MigratePolicy::Begin && (1..known).contains(&found) {
        return Err(Error::Older { found, known });
    }
    for migration in &MIGRATIONS[found.max(0) as usize..] {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.execute(SET_VERSION, [OWN_VERSION])?;
    transaction.commit()?;
    Ok(found)
}

/// Whether the database is there and older than this version.
pub(super) fn needs_migration(connection: &Connection) -> Result<bool, Error> {
    Ok((1..KNOWN_SCHEMA).contains(&found_in(connection)?))
}

const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");
const SET_VERSION: &str = "INSERT INTO facts (key, value) VALUES ('heddle_version', ?1)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value";

/// Which Heddle the database was last served by; a newer one may keep it elsewhere.
fn version_in(connection: &Connection) -> Option<Str> {
    let sql = "SELECT value FROM facts WHERE key = 'heddle_version'";
    connection.query_row(sql, [], |row| row.get::<_, String>(0)).ok().map(Into::into)
}

/// Notes that this version serves the folder, for the message of an older one. A full disk is no
/// reason not to start.
pub(super) fn note_version(connection: &Connection) -> Result<(), Error> {
    if version_in(connection).as_deref() == Some(OWN_VERSION) {
        return Ok(());
    }
    match connection.execute(SET_VERSION, [OWN_VERSION]).map_err(Error::from) {
        Err(error) if !error.may_pass() => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_15_04_pieces_of_runs_that_are_gone_are_removed_once() {
        #[expect(clippy::disallowed_methods, reason = "a database of its own")]
        let mut connection = Connection::open_in_memory().unwrap();
        for migration in &MIGRATIONS[..9] {
            connection.execute_batch(migration).unwrap();
        }
        connection.pragma_update(None, "user_version", 9).unwrap();
        connection
            .execute_batch(
                "INSERT INTO executions (id, workflow_id, version_id, mode, status, started_ms, bytes) VALUES (2, 'w', 'v', 'manual', 'running', 1, 1);
                 INSERT INTO journal (place, sum, events) VALUES (1 << 24, 0, x'00'), ((1 << 24) + 1, 0, x'00'), (2 << 24, 0, x'00'),
                   ((2 << 24) + 1, 0, x'00'), (7 << 24, 0, x'00');
                 INSERT INTO schedules (workflow_id, node) VALUES ('gone', 'Clock');",
            )
            .unwrap();
        migrate(&mut connection, MigratePolicy::Migrate).unwrap();
        let left: Vec<i64> = {
            let mut found = connection.prepare("SELECT place FROM journal ORDER BY place").unwrap();
            found.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(left, [2 << 24, (2 << 24) + 1]);
        let schedules: i64 =
            connection.query_row("SELECT count(*) FROM schedules", [], |row| row.get(0)).unwrap();
        assert_eq!(schedules, 0);
    }

    #[test]
    fn issue_15_09_only_whoever_has_the_folder_to_itself_migrates_it() {
        #[expect(clippy::disallowed_methods, reason = "a database of its own")]
        let mut connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(MIGRATIONS[0]).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        let refused = migrate(&mut connection, MigratePolicy::Begin).unwrap_err();
        assert!(matches!(refused, Error::Older { found: 1, known: KNOWN_SCHEMA }), "{refused}");
        assert_eq!(migrate(&mut connection, MigratePolicy::Migrate).unwrap(), 1);
        assert_eq!(migrate(&mut connection, MigratePolicy::Begin).unwrap(), KNOWN_SCHEMA);
        connection.pragma_update(None, "user_version", KNOWN_SCHEMA + 1).unwrap();
        for may in [MigratePolicy::Begin, MigratePolicy::Migrate] {
            assert!(matches!(migrate(&mut connection, may), Err(Error::Newer { .. })));
        }
    }

    #[test]
    fn issue_15_runs_that_ended_before_they_were_counted_are_counted_once() {
        #[expect(clippy::disallowed_methods, reason = "a database of its own")]
        let mut connection = Connection::open_in_memory().unwrap();
        for migration in &MIGRATIONS[..10] {
            connection.execute_batch(migration).unwrap();
        }
        connection.pragma_update(None, "user_version", 10).unwrap();
        connection
            .execute_batch(
                "INSERT INTO executions (id, workflow_id, version_id, mode, status, started_ms, stopped_ms) VALUES
                   (1, 'w', 'v', 'manual', 'success', 86400000, 86400099), (2, 'w', 'v', 'manual', 'success', 86400000, 86401234),
                   (3, 'w', 'v', 'manual', 'success', 86400001, 86401229), (4, 'w', 'v', 'manual', 'error', 200000000, 199999999),
                   (6, 'w', 'v', 'manual', 'error', 200000000, 200000053), (7, 'w', 'v', 'manual', 'error', 200000000, 286400000),
                   (8, 'w', 'v', 'manual', 'error', 200000000, 200000019), (9, 'w', 'v', 'manual', 'error', 200000000, 200000210),
                   (5, 'w', 'v', 'manual', 'running', 86400000, NULL);",
            )
            .unwrap();
        migrate(&mut connection, MigratePolicy::Migrate).unwrap();
        let sql = "SELECT day, status, took_ms, runs FROM run_days ORDER BY day, status, took_ms";
        let mut found = connection.prepare(sql).unwrap();
        let rows = found
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .unwrap();
        let rows: Vec<(i64, String, i64, i64)> = rows.map(Result::unwrap).collect();
        let row = |day, status: &str, took, runs| (day, status.to_owned(), took, runs);
        let failed = [0, 19, 55, 220, 85_000_000].map(|took| row(2, "error", took, 1));
        assert_eq!(
            rows,
            [&[row(1, "success", 100, 1), row(1, "success", 1200, 2)][..], &failed].concat()
        );
        let counted_to =
            connection.query_row("SELECT value FROM facts WHERE key = 'counted_to'", [], |row| {
                row.get::<_, String>(0)
            });
        assert_eq!(counted_to.unwrap(), "9");
    }
}
