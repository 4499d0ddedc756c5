//! Vectors in an index of Pinecone. Its metadata are flat: texts stand among them, under a key of
//! their own.

use super::json_service::JsonService;
use super::{new_id, numbers, part};
use crate::models::secret::Secret;
use model::{Object, Str, Value};
use node_api::NodeError;
use node_api::ai::{Document, ScoredDocument, VectorQuery, VectorStore};
use node_api::http::Http;
use std::sync::Arc;
use tokio::sync::OnceCell;

pub const BASE_URL: &str = "https://api.pinecone.io";

/// The revision of the API whose shapes these are.
const API_VERSION: &str = "2025-01";

/// Vectors that go into one request.
const BATCH: usize = 100;

/// Where LangChain keeps the text.
const TEXT: &str = "text";

pub struct Pinecone {
    control: JsonService,
    index: Str,
    namespace: Str,
    /// Where the index is; asked for once.
    data: OnceCell<JsonService>,
}

impl Pinecone {
    pub fn new(
        http: Arc<dyn Http>,
        base_url: &str,
        key: &Secret,
        index: Str,
        namespace: Str,
    ) -> Self {
        let control = JsonService {
            http,
            name: "Pinecone",
            base_url: base_url.to_owned(),
            secret_headers: vec![("api-key", key.clone())],
            headers: vec![("x-pinecone-api-version", API_VERSION.to_owned())],
        };
        Self { control, index, namespace, data: OnceCell::new() }
    }

    async fn data(&self) -> Result<&JsonService, NodeError> {
        let find = || async {
            let (status, answer) = self
                .control
                .try_ask("GET", &format!("/indexes/{}", part(&self.index)), None)
                .await?;
            match (status, answer.get("host").and_then(Value::as_str)) {
                (200, Some(host)) => {
                    let base_url = if host.contains("://") {
                        host.to_owned()
                    } else {
                        format!("https://{host}")
                    };
                    Ok(JsonService { base_url, ..self.control.clone() })
                }
                (404, _) => Err(NodeError::failed(format!("Index {} not found", self.index))
                    .describe("Please check that the index exists in your vector store")),
                (status, _) => Err(self.control.refused(status, &answer)),
            }
        };
        self.data.get_or_try_init(find).await
    }

    /// Removes everything in the namespace. One that is not there yet is empty already.
    pub async fn clear_namespace(&self) -> Result<(), NodeError> {
        let body = self.in_namespace(Object::from_iter([("deleteAll", true)]));
        let service = self.data().await?;
        match service.try_ask("POST", "/vectors/delete", Some(&body)).await? {
            (200..=299 | 404, _) => Ok(()),
            (status, answer) => Err(service.refused(status, &answer)),
        }
    }

    fn in_namespace(&self, mut body: Object) -> Value {
        if !self.namespace.is_empty() {
            body.insert("namespace", self.namespace.clone());
        }
        body.into()
    }

    async fn upsert(&self, vectors: &[Value]) -> Result<(), NodeError> {
        for batch in vectors.chunks(BATCH) {
            let body =
                self.in_namespace(Object::from_iter([("vectors", Value::array(batch.to_vec()))]));
            self.data().await?.ask("POST", "/vectors/upsert", Some(&body)).await?;
        }
        Ok(())
    }
}

fn record(id: &Str, document: Document, vector: &[f32]) -> Value {
    let mut metadata = Object::new();
    flatten(&document.metadata, "", &mut metadata);
    metadata.insert(TEXT, document.content);
    Object::from_iter([
        ("id", Value::from(id.clone())),
        ("values", numbers(vector)),
        ("metadata", metadata.into()),
    ])
    .into()
}

/// What is nested gets a name with dots; lists of texts stay; what is nothing goes.
fn flatten(fields: &Object, path: &str, flat: &mut Object) {
    for (key, value) in fields.iter() {
        let key = if path.is_empty() { key.clone() } else { format!("{path}.{key}").into() };
        match value {
            Value::Object(inner) => flatten(inner, &key, flat),
            Value::Null | Value::Undefined => {}
            Value::Array(list) if !list.iter().all(Value::is_string) => {
                let numbered: Object = list
                    .iter()
                    .enumerate()
                    .map(|(at, value)| (Str::from(at.to_string()), value.clone()))
                    .collect();
                flatten(&numbered, &key, flat);
            }
            other => {
                flat.insert(key, other.clone());
            }
        }
    }
}

#[async_trait::async_trait]
impl VectorStore for Pinecone {
    async fn insert(
        &self,
        documents: Vec<Document>,
        vectors: Vec<Vec<f32>>,
    ) -> Result<Vec<Str>, NodeError> {
        let ids =
            (0..documents.len()).map(|_| new_id()).collect::<Result<Vec<Str>, NodeError>>()?;
        let given = ids.iter().zip(documents).zip(&vectors);
        let records: Vec<Value> =
            given.map(|((id, document), vector)| record(id, document, vector)).collect();
        self.upsert(&records).await?;
        Ok(ids)
    }

    async fn search(
        &self,
        vector: &[f32],
        wanted: &VectorQuery,
    ) -> Result<Vec<ScoredDocument>, NodeError> {
        let mut body = Object::from_iter([
            ("vector", numbers(vector)),
            ("topK", wanted.limit.into()),
            ("includeMetadata", true.into()),
        ]);
        if !wanted.metadata.is_empty() {
            body.insert("filter", wanted.metadata.clone());
        }
        let answer =
            self.data().await?.ask("POST", "/query", Some(&self.in_namespace(body))).await?;
        let found = answer.get("matches").and_then(Value::as_array).unwrap_or_default().iter().map(
            |entry| {
                let mut metadata =
                    entry.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
                let content =
                    metadata.remove(TEXT).map(|text| text.to_js_string()).unwrap_or_default();
                ScoredDocument {
                    id: entry.get("id").map(Value::to_js_string).unwrap_or_default(),
                    document: Document { content, metadata },
                    score: entry.get("score").and_then(Value::as_f64).unwrap_or_default(),
                }
            },
        );
        Ok(found
            .filter(|found| wanted.min_score.is_none_or(|least| found.score >= least))
            .collect())
    }

    async fn delete(&self, ids: &[Str]) -> Result<(), NodeError> {
        let ids = Value::array(ids.iter().map(|id| id.clone().into()).collect());
        let body = self.in_namespace(Object::from_iter([("ids", ids)]));
        self.data().await?.ask("POST", "/vectors/delete", Some(&body)).await.map(drop)
    }

    async fn update(
        &self,
        id: &str,
        document: Document,
        vector: Vec<f32>,
    ) -> Result<(), NodeError> {
        self.upsert(&[record(&id.into(), document, &vector)]).await
    }
}
