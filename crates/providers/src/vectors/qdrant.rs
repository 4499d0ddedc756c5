//! Vectors in a collection of Qdrant, with the payload that LangChain gives its points.

use super::json_service::JsonService;
use super::{document, new_id, numbers, part};
use crate::models::secret::Secret;
use model::{Object, Str, Value, json};
use node_api::NodeError;
use node_api::ai::{Document, ScoredDocument, VectorQuery, VectorStore};
use node_api::http::Http;
use std::sync::Arc;

/// Points that go into one request.
const BATCH: usize = 200;

pub struct Qdrant {
    service: JsonService,
    collection: Str,
    /// Settings of a collection that is made; the size of the vectors and their cosine if there are
    /// none.
    pub collection_config: Option<Value>,
    /// Qdrant's own filter, which n8n's option is.
    pub filter: Option<Value>,
    pub content_key: Str,
    pub metadata_key: Str,
}

impl Qdrant {
    pub fn new(http: Arc<dyn Http>, url: &str, key: &Secret, collection: Str) -> Self {
        let secret_headers =
            if key.is_empty() { Vec::new() } else { vec![("api-key", key.clone())] };
        let service = JsonService {
            http,
            name: "Qdrant",
            base_url: url.trim().to_owned(),
            secret_headers,
            headers: Vec::new(),
        };
        Self {
            service,
            collection,
            collection_config: None,
            filter: None,
            content_key: "content".into(),
            metadata_key: "metadata".into(),
        }
    }

    fn path(&self, rest: &str) -> String {
        format!("/collections/{}{rest}", part(&self.collection))
    }

    async fn make_if_missing(&self, dimensions: usize) -> Result<(), NodeError> {
        let (status, answer) = self.service.try_ask("GET", &self.path(""), None).await?;
        match status {
            200 => return Ok(()),
            404 => {}
            other => return Err(self.service.refused(other, &answer)),
        }
        let usual = || json!({ "vectors": { "size": dimensions, "distance": "Cosine" } });
        let config = self.collection_config.clone().unwrap_or_else(usual);
        // Another run may have made it meanwhile.
        match self.service.try_ask("PUT", &self.path(""), Some(&config)).await? {
            (200..=299 | 409, _) => Ok(()),
            (status, answer) => Err(self.service.refused(status, &answer)),
        }
    }

    async fn upsert(&self, points: &[Value]) -> Result<(), NodeError> {
        for batch in points.chunks(BATCH) {
            let body = Object::from_iter([("points", Value::array(batch.to_vec()))]).into();
            self.service.ask("PUT", &self.path("/points?wait=true"), Some(&body)).await?;
        }
        Ok(())
    }

    fn point(&self, id: &Str, document: Document, vector: &[f32]) -> Value {
        let payload = Object::from_iter([
            (self.content_key.clone(), Value::from(document.content)),
            (self.metadata_key.clone(), document.metadata.into()),
        ]);
        Object::from_iter([
            ("id", Value::from(id.clone())),
            ("vector", numbers(vector)),
            ("payload", payload.into()),
        ])
        .into()
    }

    /// Both filters together: Qdrant's own, and fields of the metadata.
    fn filter(&self, metadata: &Object) -> Option<Value> {
        let condition = |(key, value): (&Str, &Value)| {
            let key = format!("{}.{key}", self.metadata_key);
            Value::from(Object::from_iter([
                ("key", Value::from(key)),
                ("match", Object::from_iter([("value", value.clone())]).into()),
            ]))
        };
        let mut must: Vec<Value> = metadata.iter().map(condition).collect();
        match (&self.filter, must.is_empty()) {
            (given, true) => given.clone(),
            (given, false) => {
                must.extend(given.clone());
                Some(Object::from_iter([("must", Value::array(must))]).into())
            }
        }
    }
}

#[async_trait::async_trait]
impl VectorStore for Qdrant {
    async fn insert(
        &self,
        documents: Vec<Document>,
        vectors: Vec<Vec<f32>>,
    ) -> Result<Vec<Str>, NodeError> {
        let Some(first) = vectors.first() else { return Ok(Vec::new()) };
        self.make_if_missing(first.len()).await?;
        let ids =
            (0..documents.len()).map(|_| new_id()).collect::<Result<Vec<Str>, NodeError>>()?;
        let given = ids.iter().zip(documents).zip(&vectors);
        let points: Vec<Value> =
            given.map(|((id, document), vector)| self.point(id, document, vector)).collect();
        self.upsert(&points).await?;
        Ok(ids)
    }

    async fn search(
        &self,
        vector: &[f32],
        wanted: &VectorQuery,
    ) -> Result<Vec<ScoredDocument>, NodeError> {
        let mut body = Object::from_iter([
            ("vector", numbers(vector)),
            ("limit", wanted.limit.into()),
            ("with_payload", true.into()),
            ("with_vector", false.into()),
        ]);
        if let Some(filter) = self.filter(&wanted.metadata) {
            body.insert("filter", filter);
        }
        if let Some(least) = wanted.min_score {
            body.insert("score_threshold", least);
        }
        let answer =
            self.service.ask("POST", &self.path("/points/search"), Some(&body.into())).await?;
        let found = answer.get("result").and_then(Value::as_array).unwrap_or_default().iter().map(
            |point| {
                let payload = |key: &Str| point.get("payload").and_then(|payload| payload.get(key));
                ScoredDocument {
                    id: point.get("id").map(Value::to_js_string).unwrap_or_default(),
                    document: document(payload(&self.content_key), payload(&self.metadata_key)),
                    score: point.get("score").and_then(Value::as_f64).unwrap_or_default(),
                }
            },
        );
        Ok(found.collect())
    }

    async fn delete(&self, ids: &[Str]) -> Result<(), NodeError> {
        let ids = Value::array(ids.iter().map(|id| id.clone().into()).collect());
        let body = Object::from_iter([("points", ids)]).into();
        self.service
            .ask("POST", &self.path("/points/delete?wait=true"), Some(&body))
            .await
            .map(drop)
    }

    async fn update(
        &self,
        id: &str,
        document: Document,
        vector: Vec<f32>,
    ) -> Result<(), NodeError> {
        self.upsert(&[self.point(&id.into(), document, &vector)]).await
    }
}
