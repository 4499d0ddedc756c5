//! Cohere's models that say how well documents answer a question.

use super::json_service::JsonService;
use crate::models::secret::Secret;
use model::{Object, Str, Value};
use node_api::NodeError;
use node_api::ai::{Reranker, ScoredDocument};
use node_api::http::Http;
use std::sync::Arc;

pub struct CohereReranker {
    service: JsonService,
    model: Str,
    top: usize,
}

impl CohereReranker {
    pub fn new(http: Arc<dyn Http>, base_url: &str, key: &Secret, model: Str, top: usize) -> Self {
        let secret_headers = vec![("authorization", key.map(|key| format!("Bearer {key}")))];
        let service = JsonService {
            http,
            name: "Cohere",
            base_url: base_url.to_owned(),
            secret_headers,
            headers: Vec::new(),
        };
        Self { service, model, top }
    }
}

#[async_trait::async_trait]
impl Reranker for CohereReranker {
    async fn rerank(
        &self,
        question: &str,
        found: Vec<ScoredDocument>,
    ) -> Result<Vec<ScoredDocument>, NodeError> {
        let documents =
            Value::array(found.iter().map(|found| found.document.content.clone().into()).collect());
        let body = Object::from_iter([
            ("model", Value::from(self.model.clone())),
            ("query", question.into()),
            ("documents", documents),
            ("top_n", self.top.min(found.len()).into()),
        ]);
        let answer = self.service.ask("POST", "/v2/rerank", Some(&body.into())).await?;
        let results = answer.get("results").and_then(Value::as_array).unwrap_or_default();
        let ranked = results.iter().filter_map(|result| {
            let found = found.get(result.get("index")?.as_usize()?)?.clone();
            Some(ScoredDocument {
                score: result.get("relevance_score").and_then(Value::as_f64).unwrap_or_default(),
                ..found
            })
        });
        Ok(ranked.take(self.top).collect())
    }
}
