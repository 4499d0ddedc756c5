//! Counts runs that have ended, in SQLite. Nobody who asks for figures reads the runs themselves.
//!
//! Invariant: every run that ended and was kept is counted once. Those up to the fact `counted_to`
//! are counted, or will be in the transaction that ends them; newer ones are counted together, some
//! hundred at a time and before any of them is removed, so that it costs a run next to nothing.

use super::Sqlite;
use crate::Error;
use crate::executions::JournalSegment;
use crate::insights::{DAYS_COUNTED, InsightStore, RunCount, RunCountFilter};
use model::{RunStatus, Str};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use std::cell::Cell;
use std::collections::HashMap;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// So many runs are counted together.
const COUNT_EVERY: i64 = 256;

/// Runs that have ended and were kept.
const HAS_ENDED: &str = "stopped_ms IS NOT NULL AND passing = 0";

/// Runs that are counted together.
#[derive(PartialEq, Eq, Hash)]
struct CountKey {
    day: i64,
    workflow_id: Str,
    status: RunStatus,
    took_ms: i64,
}

impl CountKey {
    fn new(workflow_id: Str, status: RunStatus, started_ms: i64, stopped_ms: i64) -> Self {
        let took_ms = rounded((stopped_ms - started_ms).max(0));
        Self { day: started_ms.div_euclid(DAY_MS), workflow_id, status, took_ms }
    }

    fn count(&self, connection: &Connection, runs: i64) -> Result<(), Error> {
        let sql = "INSERT INTO run_days (day, workflow_id, status, took_ms, runs) VALUES (?1, ?2, ?3, ?4, ?5)
                   ON CONFLICT DO UPDATE SET runs = runs + excluded.runs";
        let values =
            params![self.day, self.workflow_id.as_str(), self.status.name(), self.took_ms, runs];
        connection.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }
}

thread_local! {
    /// Up to which run they are counted, on the writer's thread.
    static COUNTED_TO: Cell<Option<i64>> = const { Cell::new(None) };
}

/// From here on it may be different: somebody else has written, or what was written here is undone.
pub(super) fn forget() {
    COUNTED_TO.set(None);
}

fn counted_to(connection: &Connection) -> Result<i64, Error> {
    if let Some(known) = COUNTED_TO.get() {
        return Ok(known);
    }
    let found = read_counted_to(connection)?;
    COUNTED_TO.set(Some(found));
    Ok(found)
}

fn read_counted_to(connection: &Connection) -> Result<i64, Error> {
    let sql = "SELECT CAST(value AS INTEGER) FROM facts WHERE key = 'counted_to'";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// Sees to it that the run of a piece that was written is counted, if the piece ends it and it is
/// kept.
pub(super) fn note_end(connection: &Connection, piece: &JournalSegment) -> Result<(), Error> {
    let Some((status, stopped_ms)) =
        piece.state.as_ref().and_then(|state| Some((state.status, state.stopped_ms?)))
    else {
        return Ok(());
    };
    if piece.discard {
        return Ok(());
    }
    match piece.execution - counted_to(connection)? {
        ..=0 => count_end(connection, piece.execution, status, stopped_ms),
        1..COUNT_EVERY => Ok(()),
        _ => count_new(connection),
    }
}

/// Counts a run that ends, if it will not be counted with others.
pub(super) fn count_end(
    connection: &Connection,
    id: i64,
    status: RunStatus,
    stopped_ms: i64,
) -> Result<(), Error> {
    if id > counted_to(connection)? {
        return Ok(());
    }
    let mut found = connection
        .prepare_cached("SELECT workflow_id, started_ms FROM executions WHERE id = ?1")?;
    let began = found
        .query_row([id], |row| Ok((row.get_ref(0)?.as_str()?.into(), row.get(1)?)))
        .optional()?;
    let Some((workflow_id, started_ms)) = began else { return Ok(()) };
    CountKey::new(workflow_id, status, started_ms, stopped_ms).count(connection, 1)
}

/// Counts a run that is about to be removed, if it has ended and was kept.
pub(super) fn count_before_removal(connection: &Connection, id: i64) -> Result<(), Error> {
    if id <= counted_to(connection)? {
        return Ok(());
    }
    let mut ended = connection
        .prepare_cached(&format!("SELECT 1 FROM executions WHERE id = ?1 AND {HAS_ENDED}"))?;
    if ended.exists([id])? { count_new(connection) } else { Ok(()) }
}

/// Counts all that ended since runs were counted last.
fn count_new(connection: &Connection) -> Result<(), Error> {
    let sql = format!(
        "SELECT workflow_id, status, started_ms, stopped_ms FROM executions WHERE id > ?1 AND {HAS_ENDED}"
    );
    let mut found = connection.prepare_cached(&sql)?;
    let rows = found.query_map([counted_to(connection)?], |row| {
        let status = status_in(row, 1)?;
        Ok(CountKey::new(row.get_ref(0)?.as_str()?.into(), status, row.get(2)?, row.get(3)?))
    })?;
    let mut ended: HashMap<CountKey, i64> = HashMap::new();
    for alike in rows {
        *ended.entry(alike?).or_default() += 1;
    }
    ended.iter().try_for_each(|(alike, runs)| alike.count(connection, *runs))?;
    let sql = "INSERT INTO facts (key, value) SELECT 'counted_to', coalesce(max(id), 0) FROM executions WHERE true
               ON CONFLICT (key) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))";
    connection.prepare_cached(sql)?.execute([])?;
    forget();
    Ok(())
}

/// Whether runs have ended that are not counted yet.
fn has_uncounted(connection: &Connection) -> Result<bool, Error> {
    let sql = format!("SELECT 1 FROM executions WHERE id > ?1 AND {HAS_ENDED}");
    Ok(connection.prepare_cached(&sql)?.exists([read_counted_to(connection)?])?)
}

/// Forgets some of the days that are too long ago; whether there is more to forget.
pub(super) fn forget_days(
    connection: &Connection,
    now_ms: i64,
    at_most: usize,
) -> Result<bool, Error> {
    let sql = "DELETE FROM run_days WHERE (day, workflow_id, status, took_ms) IN (
                 SELECT day, workflow_id, status, took_ms FROM run_days WHERE day < ?1 ORDER BY day LIMIT ?2)";
    let first_day = now_ms.div_euclid(DAY_MS) - DAYS_COUNTED;
    Ok(connection.prepare_cached(sql)?.execute(params![first_day, at_most as i64])? == at_most)
}

/// A time to within 5 %: by ones up to twenty, by twos up to fifty, by fives up to a hundred, and
/// so on with every power of ten.
fn rounded(ms: i64) -> i64 {
    let mut unit = 1;
    while ms / unit >= 100 {
        unit *= 10;
    }
    let step = match ms / unit {
        ..20 => unit,
        20..50 => 2 * unit,
        50.. => 5 * unit,
    };
    (ms + step / 2) / step * step
}

#[async_trait::async_trait]
impl InsightStore for Sqlite {
    async fn run_counts(&self, filter: RunCountFilter) -> Result<Vec<RunCount>, Error> {
        // Figures that are a little behind are better than none.
        if self.read(has_uncounted).await?
            && let Err(error) = self.write(count_new).await
        {
            tracing::warn!(%error, "Could not count the latest runs.");
        }
        self.read(move |connection| {
            let within = filter.within.map(super::json_list);
            let mut sql = "SELECT workflow_id, status, took_ms, runs FROM run_days WHERE day = ?".to_owned();
            if filter.workflow_id.is_some() {
                sql.push_str(" AND workflow_id = ?");
            }
            if within.is_some() {
                sql.push_str(" AND workflow_id IN (SELECT w.id FROM workflows w WHERE w.project_id IN (SELECT value FROM json_each(?)))");
            }
            let chosen = filter.workflow_id.as_deref();
            let mut found = connection.prepare_cached(&sql)?;
            let mut counts: Vec<RunCount> = Vec::new();
            // Day by day, so that those of one workflow are found without a look at the others.
            for day in filter.first_day..=filter.last_day {
                let mut values: Vec<&dyn ToSql> = vec![&day];
                values.extend(chosen.as_ref().map(|id| id as &dyn ToSql));
                values.extend(within.as_ref().map(|projects| projects as &dyn ToSql));
                let mut rows = found.query(&values[..])?;
                while let Some(row) = rows.next()? {
                    counts.push(count(row, day, counts.last())?);
                }
            }
            Ok(counts)
        })
        .await
    }
}

/// A row; those of one workflow follow one another, and share its id.
fn count(row: &Row<'_>, day: i64, last: Option<&RunCount>) -> rusqlite::Result<RunCount> {
    let workflow = row.get_ref(0)?.as_str()?;
    let known =
        last.filter(|last| last.workflow_id == workflow).map(|last| last.workflow_id.clone());
    let workflow_id = known.unwrap_or_else(|| workflow.into());
    Ok(RunCount {
        day,
        workflow_id,
        status: status_in(row, 1)?,
        took_ms: row.get(2)?,
        runs: row.get::<_, i64>(3)?.max(0) as usize,
    })
}

fn status_in(row: &Row<'_>, column: usize) -> rusqlite::Result<RunStatus> {
    Ok(RunStatus::from_name(row.get_ref(column)?.as_str()?).unwrap_or(RunStatus::Error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_kept_to_within_a_twentieth() {
        for (exact, kept) in [
            (0, 0),
            (7, 7),
            (19, 19),
            (21, 22),
            (52, 50),
            (53, 55),
            (104, 100),
            (1234, 1200),
            (86_400_000, 85_000_000),
        ] {
            assert_eq!(rounded(exact), kept, "{exact}");
        }
        let mut kinds = std::collections::BTreeSet::new();
        for exact in (0..100_000).map(|number| number * 37 % 1_000_000) {
            let kept = rounded(exact);
            assert!((kept - exact).abs() * 20 <= exact, "{exact} became {kept}");
            assert_eq!(rounded(kept), kept, "{exact}");
            kinds.insert(kept);
        }
        assert!(kinds.len() < 200, "{}", kinds.len());
    }
}
