//! Vectors in a table of Supabase, found by the function that its guide has people make.

use super::json_service::JsonService;
use super::{document, numbers, part};
use crate::models::secret::Secret;
use model::{Object, Str, Value};
use node_api::NodeError;
use node_api::ai::{Document, ScoredDocument, VectorQuery, VectorStore};
use node_api::http::Http;
use std::sync::Arc;

/// Rows that go into one request; with many more the service fails.
const BATCH: usize = 500;

pub struct Supabase {
    service: JsonService,
    table: Str,
    query_name: Str,
}

impl Supabase {
    pub fn new(
        http: Arc<dyn Http>,
        host: &str,
        service_role: &Secret,
        table: Str,
        query_name: Str,
    ) -> Self {
        let secret_headers = vec![
            ("apikey", service_role.clone()),
            ("authorization", service_role.map(|role| format!("Bearer {role}"))),
        ];
        let headers =
            vec![("prefer", "resolution=merge-duplicates,return=representation".to_owned())];
        let base_url = format!("{}/rest/v1", host.trim().trim_end_matches('/'));
        Self {
            service: JsonService { http, name: "Supabase", base_url, secret_headers, headers },
            table,
            query_name,
        }
    }

    async fn upsert(&self, rows: &[Value]) -> Result<Vec<Str>, NodeError> {
        let path = format!("/{}", part(&self.table));
        let mut ids = Vec::new();
        for batch in rows.chunks(BATCH) {
            let (status, answer) =
                self.service.try_ask("POST", &path, Some(&Value::array(batch.to_vec()))).await?;
            match status {
                200..=299 => {}
                404 => {
                    return Err(NodeError::failed(format!("Table {} not found", self.table))
                        .describe("Please check that the table exists in your vector store"));
                }
                other => return Err(self.service.refused(other, &answer)),
            }
            let rows = answer.as_array().unwrap_or_default().iter();
            ids.extend(rows.map(|row| row.get("id").map(Value::to_js_string).unwrap_or_default()));
        }
        Ok(ids)
    }
}

fn row(document: Document, vector: &[f32]) -> Object {
    Object::from_iter([
        ("content", Value::from(document.content)),
        ("embedding", numbers(vector)),
        ("metadata", document.metadata.into()),
    ])
}

#[async_trait::async_trait]
impl VectorStore for Supabase {
    async fn insert(
        &self,
        documents: Vec<Document>,
        vectors: Vec<Vec<f32>>,
    ) -> Result<Vec<Str>, NodeError> {
        let rows: Vec<Value> = documents
            .into_iter()
            .zip(&vectors)
            .map(|(document, vector)| row(document, vector).into())
            .collect();
        self.upsert(&rows).await
    }

    async fn search(
        &self,
        vector: &[f32],
        wanted: &VectorQuery,
    ) -> Result<Vec<ScoredDocument>, NodeError> {
        let body = Object::from_iter([
            ("query_embedding", numbers(vector)),
            ("filter", wanted.metadata.clone().into()),
            ("match_count", wanted.limit.into()),
        ]);
        let answer = self
            .service
            .ask("POST", &format!("/rpc/{}", part(&self.query_name)), Some(&body.into()))
            .await?;
        let found = answer.as_array().unwrap_or_default().iter().map(|row| ScoredDocument {
            id: row.get("id").map(Value::to_js_string).unwrap_or_default(),
            document: document(row.get("content"), row.get("metadata")),
            score: row.get("similarity").and_then(Value::as_f64).unwrap_or_default(),
        });
        Ok(found
            .filter(|found| wanted.min_score.is_none_or(|least| found.score >= least))
            .collect())
    }

    async fn delete(&self, ids: &[Str]) -> Result<(), NodeError> {
        for id in ids {
            self.service
                .ask("DELETE", &format!("/{}?id=eq.{}", part(&self.table), part(id)), None)
                .await?;
        }
        Ok(())
    }

    async fn update(
        &self,
        id: &str,
        document: Document,
        vector: Vec<f32>,
    ) -> Result<(), NodeError> {
        let mut row = row(document, &vector);
        row.insert("id", id);
        self.upsert(&[row.into()]).await.map(drop)
    }
}
