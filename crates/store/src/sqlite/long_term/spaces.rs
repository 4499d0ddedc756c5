//! What is known of a space: its row in `memory_spaces`.

use super::index::ReadCounts;
use crate::Error;
use crate::projects::PERSONAL;
use crate::sqlite::collections::project_of;
use crate::sqlite::{new_id, now_ms};
use model::Str;
use node_api::ai::{LongTermError, MemoryLimits, MemorySpace, MemoryStatistics, SpaceName};
use rusqlite::{Connection, OptionalExtension, Row, params};

const FIELDS: &str = "number, id, name, project_id, model, dimensions, changes, removals, n_entries, bytes, n_reads, n_hits, n_misses, n_writes, created_ms, updated_ms";

const PENDING: &str = "(SELECT count(*) FROM memory_turns t WHERE t.space = memory_spaces.number AND t.body IS NOT NULL)";

/// Holds for the spaces of the project of the workflow `?1`, and for all of them without one.
const IS_SEEN: &str =
    "(?1 IS NULL OR project_id = (SELECT project_id FROM workflows WHERE id = ?1))";

/// Longer names are refused.
const MAX_NAME_CHARS: usize = 128;

pub(super) struct SpaceRow {
    pub(super) number: i64,
    pub(super) space: MemorySpace,
    /// How often something was changed or taken away, and how often the latter.
    pub(super) changes: i64,
    pub(super) removals: i64,
}

/// A space that is asked for, and the workflow that asks if one does: it finds those of its
/// project.
#[derive(Clone)]
pub(super) struct SpaceRef {
    pub(super) name: SpaceName,
    pub(super) seen_by: Option<Str>,
}

impl SpaceRow {
    pub(super) fn find(connection: &Connection, which: &SpaceRef) -> Result<Self, Error> {
        Self::find_if_there(connection, which)?.ok_or_else(|| no_space(&which.name).into())
    }

    pub(super) fn find_if_there(
        connection: &Connection,
        which: &SpaceRef,
    ) -> Result<Option<Self>, Error> {
        let (key, text) = match &which.name {
            SpaceName::Id(id) => ("id", id),
            SpaceName::Name(name) => ("name", name),
        };
        let sql = format!("SELECT {FIELDS}, 0 FROM memory_spaces WHERE {key} = ?2 AND {IS_SEEN}");
        Ok(connection
            .prepare_cached(&sql)?
            .query_row(params![which.seen_by.as_deref(), text.as_str()], Self::read)
            .optional()?)
    }

    pub(super) fn all(connection: &Connection, seen_by: Option<&str>) -> Result<Vec<Self>, Error> {
        let sql =
            format!("SELECT {FIELDS}, {PENDING} FROM memory_spaces WHERE {IS_SEEN} ORDER BY name");
        let mut statement = connection.prepare_cached(&sql)?;
        Ok(statement.query_map([seen_by], Self::read)?.collect::<rusqlite::Result<Vec<_>>>()?)
    }

    pub(super) fn with_number(connection: &Connection, number: i64) -> Result<Option<Self>, Error> {
        let sql = format!("SELECT {FIELDS}, {PENDING} FROM memory_spaces WHERE number = ?1");
        Ok(connection.prepare_cached(&sql)?.query_row([number], Self::read).optional()?)
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let text = |at: usize| row.get::<_, String>(at).map(Str::from);
        let size = |at: usize| row.get::<_, i64>(at).map(|count| count.max(0) as usize);
        let count = |at: usize| row.get::<_, i64>(at).map(|count| count.max(0) as u64);
        let space = MemorySpace {
            id: text(1)?,
            name: text(2)?,
            project_id: text(3)?,
            model: row.get::<_, Option<String>>(4)?.map(Str::from),
            dimensions: row.get::<_, Option<i64>>(5)?.map(|count| count.max(0) as usize),
            statistics: MemoryStatistics {
                entries: size(8)?,
                bytes: size(9)?,
                reads: count(10)?,
                hits: count(11)?,
                misses: count(12)?,
                writes: count(13)?,
                pending_turns: size(16)?,
            },
            created_ms: row.get(14)?,
            updated_ms: row.get(15)?,
        };
        Ok(Self { number: row.get(0)?, space, changes: row.get(6)?, removals: row.get(7)? })
    }

    /// The same with how many turns wait.
    pub(super) fn with_pending(self, connection: &Connection) -> Result<Self, Error> {
        Ok(Self::with_number(connection, self.number)?.unwrap_or(self))
    }

    /// Whether vectors of a model and a length belong here.
    pub(super) fn admits(&self, model: &str, dimensions: usize) -> Result<(), LongTermError> {
        let (Some(kept), Some(kept_dimensions)) = (&self.space.model, self.space.dimensions) else {
            return Ok(());
        };
        if kept == model && kept_dimensions == dimensions {
            return Ok(());
        }
        Err(LongTermError::Model {
            space: self.space.name.clone(),
            kept: kept.clone(),
            kept_dimensions,
            given: model.into(),
            given_dimensions: dimensions,
        })
    }
}

pub(super) fn create(
    connection: &Connection,
    name: Str,
    seen_by: Option<&str>,
    limits: &MemoryLimits,
) -> Result<MemorySpace, Error> {
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || name.contains(['\n', '\t']) {
        let problem =
            format!("The name of a memory has 1 to {MAX_NAME_CHARS} characters on one line");
        return Err(LongTermError::value(problem).into());
    }
    let project_id = match seen_by {
        Some(workflow) => project_of(connection, workflow)?.ok_or_else(|| {
            LongTermError::value(
                "The workflow is not stored here, so it has no project to keep a memory in",
            )
        })?,
        None => PERSONAL.into(),
    };
    let there: i64 =
        connection.query_row("SELECT count(*) FROM memory_spaces", [], |row| row.get(0))?;
    if there as usize >= limits.spaces {
        return Err(LongTermError::Limit {
            what: "There are too many memories",
            limit: limits.spaces,
            name: "MemoryLimits::spaces",
        }
        .into());
    }
    let (id, now) = (new_id(), now_ms());
    let sql = "INSERT INTO memory_spaces (id, name, project_id, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?4, ?4)";
    connection.prepare_cached(sql)?.execute(params![
        id.as_str(),
        name.as_str(),
        project_id.as_str(),
        now
    ])?;
    Ok(MemorySpace {
        id,
        name,
        project_id,
        model: None,
        dimensions: None,
        statistics: MemoryStatistics::default(),
        created_ms: now,
        updated_ms: now,
    })
}

pub(super) fn add_counts(
    connection: &Connection,
    counts: &[(i64, ReadCounts)],
) -> Result<(), Error> {
    let sql = "UPDATE memory_spaces SET n_reads = n_reads + ?2, n_hits = n_hits + ?3, n_misses = n_misses + ?4 WHERE number = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    for (space, ReadCounts { hits, misses }) in counts {
        statement.execute(params![space, (hits + misses) as i64, *hits as i64, *misses as i64])?;
    }
    Ok(())
}

fn no_space(which: &SpaceName) -> LongTermError {
    let shortened = |text: &str| {
        text.chars().filter(|letter| !letter.is_control()).take(100).collect::<String>()
    };
    let name = match which {
        SpaceName::Id(id) => format!("with the ID '{}'", shortened(id)),
        SpaceName::Name(name) => format!("named '{}'", shortened(name)),
    };
    LongTermError::NoSpace { name: name.into() }
}
