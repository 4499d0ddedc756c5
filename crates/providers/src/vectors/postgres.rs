//! Vectors in a table of Postgres with pgvector, in the form that n8n and LangChain keep them in.

use super::document;
use model::{Object, Str, Value};
use node_api::NodeError;
use node_api::ai::{Document, ScoredDocument, VectorQuery, VectorStore};
use node_api::connect::{ConnectError, Connections, SqlServer, SqlSession};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows that one statement inserts.
const BATCH: usize = 100;

pub struct PostgresVectors {
    connections: Arc<dyn Connections>,
    server: SqlServer,
    /// As it stands in statements.
    table: String,
    pub columns: Columns,
    pub distance: Distance,
    pub collection: Option<UsedCollection>,
    /// Whether the extension is made where it is missing, which takes a role that may.
    pub makes_extension: bool,
    is_there: AtomicBool,
}

/// What the columns are called.
#[derive(Clone, Debug)]
pub struct Columns {
    pub id: Str,
    pub vector: Str,
    pub content: Str,
    pub metadata: Str,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            id: "id".into(),
            vector: "embedding".into(),
            content: "text".into(),
            metadata: "metadata".into(),
        }
    }
}

/// A part of the table, named in a table of its own.
#[derive(Clone, Debug)]
pub struct UsedCollection {
    pub name: Str,
    pub table: Str,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distance {
    #[default]
    Cosine,
    InnerProduct,
    Euclidean,
}

impl Distance {
    fn operator(self) -> &'static str {
        match self {
            Distance::Cosine => "<=>",
            Distance::InnerProduct => "<#>",
            Distance::Euclidean => "<->",
        }
    }

    /// How near something is that is so far.
    fn score(self, distance: f64) -> f64 {
        match self {
            Distance::Cosine => 1.0 - distance,
            Distance::InnerProduct => -distance,
            Distance::Euclidean => 1.0 / (1.0 + distance),
        }
    }

    fn of_score(self, score: f64) -> f64 {
        match self {
            Distance::Cosine => 1.0 - score,
            Distance::InnerProduct => -score,
            Distance::Euclidean => 1.0 / score - 1.0,
        }
    }
}

impl PostgresVectors {
    /// The name of the table may have its schema and a dot before it.
    pub fn new(connections: Arc<dyn Connections>, server: SqlServer, table: &str) -> Self {
        Self {
            connections,
            server,
            table: quoted_path(table),
            columns: Columns::default(),
            distance: Distance::default(),
            collection: None,
            makes_extension: false,
            is_there: AtomicBool::new(false),
        }
    }

    async fn session(&self) -> Result<Box<dyn SqlSession>, ConnectError> {
        let mut session = self.connections.sql(&self.server).await?;
        if !self.is_there.load(Ordering::Relaxed) {
            self.make_tables(session.as_mut()).await?;
            self.is_there.store(true, Ordering::Relaxed);
        }
        Ok(session)
    }

    /// Whoever has only been given the tables may not be allowed to make them.
    async fn make_tables(&self, session: &mut dyn SqlSession) -> Result<(), ConnectError> {
        let collections = self.collection.as_ref().map(|collection| quoted_path(&collection.table));
        let mut is_whole = is_there(session, "to_regclass", &self.table).await?;
        if let Some(collections) = &collections {
            is_whole = is_whole
                && is_there(session, "to_regclass", collections).await?
                && self.has_collection_column(session).await?;
        }
        if is_whole {
            return Ok(());
        }
        // Two that make the same thing at once would be in each other's way.
        session.run("BEGIN", &[]).await?;
        session.run("SELECT pg_advisory_xact_lock(hashtext('heddle vectors'))", &[]).await?;
        if self.makes_extension || !is_there(session, "to_regtype", "vector").await? {
            session.run("CREATE EXTENSION IF NOT EXISTS vector", &[]).await?;
        }
        let Columns { id, vector, content, metadata } = &self.columns;
        let fields = format!(
            "{} uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY, {} text, {} jsonb, {} vector",
            quoted(id),
            quoted(content),
            quoted(metadata),
            quoted(vector)
        );
        session.run(&format!("CREATE TABLE IF NOT EXISTS {} ({fields})", self.table), &[]).await?;
        if let Some(collections) = &collections {
            let fields = "uuid uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY, name character varying, cmetadata jsonb";
            session
                .run(&format!("CREATE TABLE IF NOT EXISTS {collections} ({fields})"), &[])
                .await?;
            session
                .run(
                    &format!(
                        "ALTER TABLE {} ADD COLUMN IF NOT EXISTS collection_id uuid",
                        self.table
                    ),
                    &[],
                )
                .await?;
        }
        session.run("COMMIT", &[]).await.map(drop)
    }

    async fn has_collection_column(
        &self,
        session: &mut dyn SqlSession,
    ) -> Result<bool, ConnectError> {
        let sql = "SELECT count(*) > 0 AS found FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'collection_id'";
        let found = session.run(sql, &[self.table.as_str().into()]).await?;
        Ok(is_found(&found))
    }

    /// The id of the collection, which is made if it is wanted and not there.
    async fn collection_id(
        &self,
        session: &mut dyn SqlSession,
        makes: bool,
    ) -> Result<Option<Value>, ConnectError> {
        let Some(collection) = &self.collection else { return Ok(None) };
        let table = quoted_path(&collection.table);
        let name = [Value::from(collection.name.clone())];
        let find =
            format!("SELECT uuid::text AS id FROM {table} WHERE name = $1 ORDER BY uuid LIMIT 1");
        let found = session.run(&find, &name).await?;
        let id = rows(&found).next().and_then(|row| row.get("id").cloned());
        if id.is_some() || !makes {
            return Ok(Some(id.unwrap_or(Value::Null)));
        }
        let made =
            session.run(&format!("INSERT INTO {table} (name, cmetadata) VALUES ($1, NULL) RETURNING uuid::text AS id"), &name).await?;
        Ok(rows(&made).next().and_then(|row| row.get("id").cloned()))
    }

    async fn try_insert(
        &self,
        documents: &[Document],
        vectors: &[Vec<f32>],
    ) -> Result<Vec<Str>, ConnectError> {
        let mut session = self.session().await?;
        let collection = self.collection_id(session.as_mut(), true).await?;
        let mut ids = Vec::new();
        session.run("BEGIN", &[]).await?;
        for (documents, vectors) in documents.chunks(BATCH).zip(vectors.chunks(BATCH)) {
            let row = |(document, vector): (&Document, &Vec<f32>)| {
                Object::from_iter([
                    ("content", Value::from(without_nul(&document.content))),
                    ("metadata", document.metadata.clone().into()),
                    ("vector", written(vector).into()),
                ])
                .into()
            };
            let given = model::json::to_string(&Value::array(
                documents.iter().zip(vectors).map(row).collect(),
            ))
            .replace("\\u0000", "");
            let Columns { id, vector, content, metadata } = &self.columns;
            let (extra, extra_value) =
                if collection.is_some() { (", collection_id", ", $2::uuid") } else { ("", "") };
            let sql = format!(
                "INSERT INTO {} ({}, {}, {}{extra}) SELECT given->>'content', given->'metadata', (given->>'vector')::vector{extra_value} \
                 FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS rows (given, place) ORDER BY place RETURNING {}::text AS id",
                self.table,
                quoted(content),
                quoted(metadata),
                quoted(vector),
                quoted(id)
            );
            let values: Vec<Value> =
                [Value::from(given)].into_iter().chain(collection.clone()).collect();
            let made = session.run(&sql, &values).await?;
            ids.extend(rows(&made).filter_map(|row| row.get("id").map(Value::to_js_string)));
        }
        session.run("COMMIT", &[]).await?;
        session.finish().await;
        Ok(ids)
    }

    async fn try_search(
        &self,
        vector: &[f32],
        wanted: &VectorQuery,
    ) -> Result<Vec<ScoredDocument>, ConnectError> {
        let mut session = self.session().await?;
        let mut values = vec![Value::from(written(vector))];
        let mut conditions = Vec::new();
        if let Some(id) = self.collection_id(session.as_mut(), false).await? {
            values.push(id);
            conditions.push(format!("collection_id = ${}::uuid", values.len()));
        }
        let Columns { id, vector, content, metadata } = &self.columns;
        for (key, value) in wanted.metadata.iter() {
            values.extend([Value::from(key.clone()), text(value).into()]);
            conditions.push(format!(
                "{}->>(${}::text) = ${}::text",
                quoted(metadata),
                values.len() - 1,
                values.len()
            ));
        }
        let filter = if conditions.is_empty() {
            String::new()
        } else {
            format!("WHERE {}", conditions.join(" AND "))
        };
        let sql = format!(
            "SELECT {}::text AS id, {} AS content, {} AS metadata, {} {} $1::vector AS distance FROM {} {filter} \
             ORDER BY distance ASC LIMIT {}",
            quoted(id),
            quoted(content),
            quoted(metadata),
            quoted(vector),
            self.distance.operator(),
            self.table,
            wanted.limit
        );
        let found = session.run(&sql, &values).await?;
        session.finish().await;
        let found = rows(&found).map(|row| ScoredDocument {
            id: row.get("id").map(Value::to_js_string).unwrap_or_default(),
            document: document(row.get("content"), row.get("metadata")),
            score: self
                .distance
                .score(row.get("distance").and_then(Value::as_f64).unwrap_or(f64::INFINITY)),
        });
        Ok(found
            .filter(|found| wanted.min_score.is_none_or(|least| found.score >= least))
            .collect())
    }

    async fn try_delete(&self, ids: &[Str]) -> Result<(), ConnectError> {
        let mut session = self.session().await?;
        let list =
            model::json::to_string(&Value::array(ids.iter().map(|id| id.clone().into()).collect()));
        let sql = format!(
            "DELETE FROM {} WHERE {}::text IN (SELECT jsonb_array_elements_text($1::jsonb))",
            self.table,
            quoted(&self.columns.id)
        );
        session.run(&sql, &[list.into()]).await?;
        session.finish().await;
        Ok(())
    }
}

#[async_trait::async_trait]
impl VectorStore for PostgresVectors {
    async fn insert(
        &self,
        documents: Vec<Document>,
        vectors: Vec<Vec<f32>>,
    ) -> Result<Vec<Str>, NodeError> {
        Ok(self.try_insert(&documents, &vectors).await?)
    }

    async fn search(
        &self,
        vector: &[f32],
        wanted: &VectorQuery,
    ) -> Result<Vec<ScoredDocument>, NodeError> {
        Ok(self.try_search(vector, wanted).await?)
    }

    async fn delete(&self, ids: &[Str]) -> Result<(), NodeError> {
        Ok(self.try_delete(ids).await?)
    }

    fn n8n_score(&self, score: f64) -> f64 {
        self.distance.of_score(score)
    }
}

/// Whether a table or a type is there, as the function `to_regclass` or `to_regtype` says.
async fn is_there(
    session: &mut dyn SqlSession,
    function: &str,
    name: &str,
) -> Result<bool, ConnectError> {
    let found =
        session.run(&format!("SELECT {function}($1) IS NOT NULL AS found"), &[name.into()]).await?;
    Ok(is_found(&found))
}

fn is_found(results: &[node_api::connect::SqlResult]) -> bool {
    rows(results).any(|row| row.get("found").is_some_and(Value::is_truthy))
}

fn rows(results: &[node_api::connect::SqlResult]) -> impl Iterator<Item = &Object> {
    results.iter().flat_map(|result| &result.rows)
}

/// A vector as pgvector reads it.
fn written(vector: &[f32]) -> String {
    let numbers: Vec<String> = vector.iter().map(f32::to_string).collect();
    format!("[{}]", numbers.join(","))
}

fn text(value: &Value) -> Str {
    match value {
        Value::Object(_) | Value::Array(_) => model::json::to_string(value).into(),
        other => other.to_js_string(),
    }
}

/// Postgres keeps no texts with this letter.
fn without_nul(text: &Str) -> Str {
    if text.contains('\0') { text.replace("\0", "") } else { text.clone() }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\0', "").replace('"', "\"\""))
}

fn quoted_path(path: &str) -> String {
    path.split('.').map(quoted).collect::<Vec<_>>().join(".")
}
