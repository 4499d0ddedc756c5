//! Collections of knowledge in SQLite: texts and their words in tables, vectors searched one by one
//! in memory.

mod chunks;
mod meta;
mod search;
#[cfg(test)]
mod tests;
mod vectors;

pub(super) use vectors::{VectorCache, product, to_bytes, unit};

use super::{Sqlite, new_id, now_ms};
use crate::Error;
use crate::projects::PERSONAL;
use meta::{CollectionMeta, CollectionRef};
use model::Str;
use node_api::ai::ScoredDocument;
use node_api::collections::{
    ChunkQuery, ChunkSearch, ChunkSelection, ChunkSource, Collection, CollectionChange,
    CollectionError, CollectionLimits, CollectionName, Collections, DocumentChunk, NewChunks,
    NewCollection,
};
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;

/// Chunks that are removed in one go, so that writers do not wait long.
const STEP: usize = 2000;

#[async_trait::async_trait]
impl Collections for Sqlite {
    fn limits(&self) -> CollectionLimits {
        self.collection_limits
    }

    fn scoped_to(&self, workflow_id: &str) -> Option<Arc<dyn Collections>> {
        Some(Arc::new(Self { seen_by_workflow: Some(workflow_id.into()), ..self.clone() }))
    }

    async fn scoped_project(&self) -> Result<Str, CollectionError> {
        let Some(workflow) = self.seen_by_workflow.clone() else { return Ok(Str::new()) };
        Ok(self
            .read(move |connection| project_of(connection, &workflow))
            .await?
            .unwrap_or_default())
    }

    async fn collections(&self) -> Result<Vec<Collection>, CollectionError> {
        let seen_by = self.seen_by_workflow.clone();
        let found = self
            .read(move |connection| CollectionMeta::all(connection, seen_by.as_deref()))
            .await?;
        Ok(found.into_iter().map(|meta| meta.collection).collect())
    }

    async fn collection(&self, which: &CollectionName) -> Result<Collection, CollectionError> {
        let which = CollectionRef { name: which.clone(), seen_by: self.seen_by_workflow.clone() };
        Ok(self
            .read(move |connection| Ok(CollectionMeta::find(connection, &which)?.collection))
            .await?)
    }

    async fn create_collection(&self, new: NewCollection) -> Result<Collection, CollectionError> {
        let (limits, seen_by) = (self.collection_limits, self.seen_by_workflow.clone());
        Ok(self
            .write(move |connection| create(connection, new, seen_by.as_deref(), &limits))
            .await?)
    }

    async fn change_collection(
        &self,
        id: &str,
        change: CollectionChange,
    ) -> Result<Collection, CollectionError> {
        let which = self.which_collection(id);
        Ok(self.write(move |connection| changed(connection, &which, change)).await?)
    }

    async fn delete_collection(&self, id: &str) -> Result<(), CollectionError> {
        let which = self.which_collection(id);
        self.delete_chunks(id, ChunkSelection::All).await?;
        let deleted = self.write(move |connection| {
            let meta = CollectionMeta::find(connection, &which)?;
            // Somebody may have added something meanwhile.
            chunks::delete(connection, &meta, &ChunkSelection::All, usize::MAX)?;
            connection.execute("DELETE FROM collections WHERE number = ?", [meta.number])?;
            Ok(meta.number)
        });
        self.shared.vectors.forget(deleted.await?);
        Ok(())
    }

    async fn insert_chunks(&self, id: &str, new: NewChunks) -> Result<Vec<Str>, CollectionError> {
        let (which, limits) = (self.which_collection(id), self.collection_limits);
        let inserted = self.write(move |connection| {
            chunks::insert(connection, &CollectionMeta::find(connection, &which)?, &new, &limits)
        });
        Ok(inserted.await?)
    }

    async fn chunks(
        &self,
        id: &str,
        query: ChunkQuery,
    ) -> Result<Vec<DocumentChunk>, CollectionError> {
        let which = self.which_collection(id);
        Ok(self
            .read(move |connection| {
                chunks::select(connection, &CollectionMeta::find(connection, &which)?, &query)
            })
            .await?)
    }

    async fn sources(&self, id: &str) -> Result<Vec<ChunkSource>, CollectionError> {
        let which = self.which_collection(id);
        Ok(self
            .read(move |connection| {
                chunks::sources(connection, &CollectionMeta::find(connection, &which)?)
            })
            .await?)
    }

    async fn search_chunks(
        &self,
        id: &str,
        question: ChunkSearch,
    ) -> Result<Vec<ScoredDocument>, CollectionError> {
        let (which, limits, shared) =
            (self.which_collection(id), self.collection_limits, self.shared.clone());
        let found = self.read(move |connection| {
            // What is read is of one moment, although it takes several statements.
            let moment = connection.unchecked_transaction()?;
            search::search(
                &moment,
                &CollectionMeta::find(&moment, &which)?,
                &question,
                &shared.vectors,
                &limits,
            )
        });
        Ok(found.await?)
    }

    async fn delete_chunks(
        &self,
        id: &str,
        which: ChunkSelection,
    ) -> Result<usize, CollectionError> {
        let which = Arc::new(which);
        let mut n_deleted = 0;
        loop {
            let (collection, which) = (self.which_collection(id), which.clone());
            let step = self.write(move |connection| {
                chunks::delete(
                    connection,
                    &CollectionMeta::find(connection, &collection)?,
                    &which,
                    STEP,
                )
            });
            let n_gone = step.await?;
            n_deleted += n_gone;
            if n_gone < STEP {
                return Ok(n_deleted);
            }
        }
    }
}

impl Sqlite {
    fn which_collection(&self, id: &str) -> CollectionRef {
        CollectionRef {
            name: CollectionName::Id(id.into()),
            seen_by: self.seen_by_workflow.clone(),
        }
    }
}

fn create(
    connection: &Connection,
    new: NewCollection,
    seen_by: Option<&str>,
    limits: &CollectionLimits,
) -> Result<Collection, Error> {
    check_name(&new.name)?;
    let project_id = match (new.project_id, seen_by) {
        (Some(named), _) => named,
        (None, Some(workflow)) => project_of(connection, workflow)?.ok_or_else(|| {
            CollectionError::request(
                "The workflow is not kept here, and has no project to put a collection into",
            )
        })?,
        (None, None) => PERSONAL.into(),
    };
    is_free(connection, &project_id, &new.name)?;
    let there: i64 =
        connection.query_row("SELECT count(*) FROM collections", [], |row| row.get(0))?;
    if there as usize >= limits.collections {
        return Err(CollectionError::Limit {
            what: "There are too many collections",
            limit: limits.collections,
        }
        .into());
    }
    let now = now_ms();
    let collection = Collection {
        id: new_id(),
        name: new.name,
        description: new.description,
        project_id,
        model: new.model,
        dimensions: None,
        credential_id: new.credential_id,
        n_chunks: 0,
        bytes: 0,
        created_ms: now,
        updated_ms: now,
    };
    let sql = "INSERT INTO collections (id, name, description, project_id, model, credential_id, created_ms, updated_ms)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)";
    let Collection { id, name, description, project_id, model, credential_id, .. } = &collection;
    let (model, credential_id) = (model.as_deref(), credential_id.as_deref());
    connection.prepare_cached(sql)?.execute(params![
        id.as_str(),
        name.as_str(),
        description.as_str(),
        project_id.as_str(),
        model,
        credential_id,
        now
    ])?;
    Ok(collection)
}

fn changed(
    connection: &Connection,
    which: &CollectionRef,
    change: CollectionChange,
) -> Result<Collection, Error> {
    let CollectionMeta { number, mut collection, .. } = CollectionMeta::find(connection, which)?;
    if let Some(name) = change.name.filter(|name| *name != collection.name) {
        check_name(&name)?;
        is_free(connection, &collection.project_id, &name)?;
        collection.name = name;
    }
    collection.description = change.description.unwrap_or(collection.description);
    collection.credential_id = change.credential_id.or(collection.credential_id);
    collection.updated_ms = now_ms();
    let sql = "UPDATE collections SET name = ?2, description = ?3, credential_id = ?4, updated_ms = ?5 WHERE number = ?1";
    let Collection { name, description, credential_id, updated_ms, .. } = &collection;
    connection.prepare_cached(sql)?.execute(params![
        number,
        name.as_str(),
        description.as_str(),
        credential_id.as_deref(),
        updated_ms
    ])?;
    Ok(collection)
}

fn is_free(connection: &Connection, project_id: &Str, name: &Str) -> Result<(), Error> {
    let sql = "SELECT 1 FROM collections WHERE project_id = ?1 AND name = ?2";
    match connection.prepare_cached(sql)?.exists([project_id.as_str(), name.as_str()])? {
        true => Err(CollectionError::Taken { name: name.clone() }.into()),
        false => Ok(()),
    }
}

/// `None` for a workflow that is not kept here.
pub(super) fn project_of(connection: &Connection, workflow_id: &str) -> Result<Option<Str>, Error> {
    let sql = "SELECT project_id FROM workflows WHERE id = ?";
    let found: Option<String> =
        connection.prepare_cached(sql)?.query_row([workflow_id], |row| row.get(0)).optional()?;
    Ok(found.map(Into::into))
}

fn check_name(name: &Str) -> Result<(), CollectionError> {
    let refuse = |rule| {
        Err(CollectionError::Name { name: name.chars().take(100).collect::<String>().into(), rule })
    };
    if name.trim().is_empty() {
        return refuse("it is empty");
    }
    if name.chars().count() > 128 {
        return refuse("it has more than 128 characters");
    }
    if name.chars().any(char::is_control) {
        return refuse("it contains an invisible character");
    }
    Ok(())
}
