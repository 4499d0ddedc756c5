//! Vectors of models on Bedrock, each family in its own format.

use super::error;
use crate::aws::encoded;
use crate::models::client::{EmbeddingProvider, ModelProvider};
use crate::models::failure::ModelFailure;
use crate::models::object_ext::ObjectExt;
use model::{Str, Value, json};

/// Amazon's Titan: one text a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct TitanOnBedrock;

/// Cohere's models.
#[derive(Clone, Copy, Debug, Default)]
pub struct CohereOnBedrock;

fn invoke_path(model: &str) -> String {
    format!("/model/{}/invoke", encoded(model))
}

macro_rules! on_bedrock {
    ($family:ty) => {
        impl ModelProvider for $family {
            fn headers(&self, _key: &str) -> Vec<(String, String)> {
                vec![("accept".to_owned(), "application/json".to_owned())]
            }

            fn decode_error(
                status: u16,
                headers: &[(String, String)],
                body: &[u8],
                unix_ms: i64,
            ) -> ModelFailure {
                error::refusal(status, headers, body, unix_ms)
            }

            fn list_path(&self) -> String {
                "/foundation-models".to_owned()
            }
        }
    };
}

on_bedrock!(TitanOnBedrock);
on_bedrock!(CohereOnBedrock);

impl EmbeddingProvider for TitanOnBedrock {
    const BATCH: usize = 1;

    fn embed_path(&self, model: &str) -> String {
        invoke_path(model)
    }

    fn embed_body(&self, _model: &str, texts: &[Str]) -> Value {
        json!({}).with("inputText", texts.first().cloned().unwrap_or_default())
    }

    fn embedded(answer: &Value) -> Vec<Option<&Value>> {
        vec![answer.get("embedding")]
    }

    fn embedded_tokens(answer: &Value) -> Option<usize> {
        answer.get("inputTextTokenCount")?.as_usize()
    }
}

impl EmbeddingProvider for CohereOnBedrock {
    const BATCH: usize = 96;

    fn embed_path(&self, model: &str) -> String {
        invoke_path(model)
    }

    fn embed_body(&self, _model: &str, texts: &[Str]) -> Value {
        json!({ "input_type": "search_document" })
            .with("texts", texts.iter().cloned().map(Value::from).collect::<Vec<_>>())
    }

    fn embedded(answer: &Value) -> Vec<Option<&Value>> {
        let all = answer.get("embeddings");
        let list = all.and_then(|all| all.get("float").unwrap_or(all).as_array());
        list.unwrap_or_default().iter().map(Some).collect()
    }

    fn embedded_tokens(_answer: &Value) -> Option<usize> {
        None
    }
}
