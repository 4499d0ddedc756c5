//! What is known of a collection: its row in `collections`.

use crate::Error;
use model::Str;
use node_api::collections::{Collection, CollectionError, CollectionName};
use rusqlite::{Connection, OptionalExtension, Row, params};

const FIELDS: &str = "number, id, name, description, project_id, model, dimensions, credential_id, removals, n_chunks, bytes, created_ms, updated_ms";

/// Holds for the collections of the project of the workflow `?1`, and for all of them without one.
const IS_SEEN: &str =
    "(?1 IS NULL OR project_id = (SELECT project_id FROM workflows WHERE id = ?1))";

pub(super) struct CollectionMeta {
    pub(super) number: i64,
    pub(super) collection: Collection,
    /// How often something was taken away.
    pub(super) removals: i64,
}

/// A collection that is asked for, and the workflow that asks if one does: it finds those of its
/// project.
pub(super) struct CollectionRef {
    pub(super) name: CollectionName,
    pub(super) seen_by: Option<Str>,
}

impl CollectionMeta {
    pub(super) fn find(connection: &Connection, which: &CollectionRef) -> Result<Self, Error> {
        let (key, text) = match &which.name {
            CollectionName::Id(id) => ("id", id),
            CollectionName::Name(name) => ("name", name),
        };
        let sql = format!("SELECT {FIELDS} FROM collections WHERE {key} = ?2 AND {IS_SEEN}");
        let found = connection
            .prepare_cached(&sql)?
            .query_row(params![which.seen_by.as_deref(), text.as_str()], Self::read)
            .optional()?;
        found.ok_or_else(|| no_collection(&which.name).into())
    }

    pub(super) fn all(connection: &Connection, seen_by: Option<&str>) -> Result<Vec<Self>, Error> {
        let sql = format!("SELECT {FIELDS} FROM collections WHERE {IS_SEEN} ORDER BY name");
        let mut statement = connection.prepare_cached(&sql)?;
        let found =
            statement.query_map([seen_by], Self::read)?.collect::<rusqlite::Result<Vec<_>>>()?;
        Ok(found)
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let text = |at: usize| row.get::<_, String>(at).map(Str::from);
        let optional =
            |at: usize| row.get::<_, Option<String>>(at).map(|found| found.map(Str::from));
        let collection = Collection {
            id: text(1)?,
            name: text(2)?,
            description: text(3)?,
            project_id: text(4)?,
            model: optional(5)?,
            dimensions: row.get::<_, Option<i64>>(6)?.map(|count| count.max(0) as usize),
            credential_id: optional(7)?,
            n_chunks: row.get::<_, i64>(9)?.max(0) as usize,
            bytes: row.get::<_, i64>(10)?.max(0) as usize,
            created_ms: row.get(11)?,
            updated_ms: row.get(12)?,
        };
        Ok(Self { number: row.get(0)?, collection, removals: row.get(8)? })
    }

    /// Whether vectors of a model and a length belong here.
    pub(super) fn admits(&self, model: &str, dimensions: usize) -> Result<(), CollectionError> {
        let collection = self.collection.name.clone();
        if let Some(kept) = self.collection.model.as_ref().filter(|kept| kept.as_str() != model) {
            return Err(CollectionError::Model {
                collection,
                kept: kept.clone(),
                given: model.into(),
            });
        }
        match self.collection.dimensions {
            Some(kept) if kept != dimensions => {
                Err(CollectionError::Dimensions { collection, kept, given: dimensions })
            }
            _ => Ok(()),
        }
    }

    /// The word that stands for the collection in the index of words.
    pub(super) fn word(&self) -> String {
        format!("c{}", self.number)
    }
}

fn no_collection(which: &CollectionName) -> CollectionError {
    let shortened = |text: &str| {
        text.chars().filter(|letter| !letter.is_control()).take(100).collect::<String>()
    };
    let name = match which {
        CollectionName::Id(id) => format!("with the ID '{}'", shortened(id)),
        CollectionName::Name(name) => format!("named '{}'", shortened(name)),
    };
    CollectionError::NoCollection { name: name.into() }
}
