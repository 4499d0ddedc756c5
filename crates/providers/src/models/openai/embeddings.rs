//! Vectors from a server that speaks OpenAI's format.

use super::client::{OpenAiFormat, asker};
use super::settings::OpenAiSettings;
use crate::models::client::counted_tokens;
use crate::models::embedding_cache::{BatchEmbedder, embed_cached};
use crate::models::requester::{ModelAccess, ModelRequester};
use crate::models::vector_codec;
use crate::models::wire::WireRequest;
use model::{Object, Str, Value};
use node_api::NodeError;
use node_api::ai::{Embedder, Embeddings, ModelError, ModelInfo};

/// How the numbers travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Float,
    /// A quarter of the size; not every server knows it.
    Base64,
}

/// An embedding model.
pub struct OpenAiEmbedder {
    info: ModelInfo,
    /// Fewer numbers a vector, where the model can.
    pub dimensions: Option<u64>,
    pub encoding: Encoding,
    /// How many texts go into one request.
    pub batch: usize,
    /// Whether new lines become spaces, which older models read better.
    pub strips_new_lines: bool,
    settings: OpenAiSettings,
    asker: ModelRequester,
    format: OpenAiFormat,
}

impl OpenAiEmbedder {
    /// As many texts as the providers take at once is 2048; half of it also fits compatible
    /// servers.
    const BATCH: usize = 512;

    pub fn new(info: ModelInfo, settings: OpenAiSettings, access: &ModelAccess) -> Self {
        let asker = asker(&settings, access);
        let format = OpenAiFormat::new(&settings, &info.model, access.limits);
        Self {
            info,
            dimensions: None,
            encoding: Encoding::Float,
            batch: Self::BATCH,
            strips_new_lines: false,
            settings,
            asker,
            format,
        }
    }

    fn body(&self, texts: &[Str]) -> Value {
        let mut body = Object::new();
        body.insert("model", self.info.model.clone());
        body.insert("input", texts.iter().map(|text| self.text(text)).collect::<Vec<_>>());
        body.insert(
            "encoding_format",
            if self.encoding == Encoding::Float { "float" } else { "base64" },
        );
        if let Some(dimensions) = self.dimensions {
            body.insert("dimensions", dimensions);
        }
        body.into()
    }

    fn text(&self, text: &Str) -> Value {
        if self.strips_new_lines && text.contains('\n') {
            text.as_str().replace('\n', " ").into()
        } else {
            text.clone().into()
        }
    }
}

#[async_trait::async_trait]
impl BatchEmbedder for OpenAiEmbedder {
    fn request(&self, texts: &[Str]) -> Result<WireRequest, ModelError> {
        self.settings.post(&["embeddings"], &self.info.model, &self.body(texts))
    }

    async fn embed_batch(&self, texts: &[Str]) -> Result<Embeddings, ModelError> {
        let call = self.request(texts)?;
        let answer = vector_codec::parsed(&self.asker.whole(&call, &self.format).await?)?;
        let counted = answer.get_path("usage.prompt_tokens").and_then(Value::as_usize);
        let tokens = counted_tokens(counted, texts);
        Ok(Embeddings { vectors: vectors_of(&answer, texts.len())?, tokens })
    }
}

#[async_trait::async_trait]
impl Embedder for OpenAiEmbedder {
    fn model(&self) -> &str {
        &self.info.model
    }

    fn paid_model(&self) -> Option<&ModelInfo> {
        Some(&self.info)
    }

    async fn embeddings(&self, texts: &[Str]) -> Result<Embeddings, NodeError> {
        embed_cached(self, texts, self.batch).await
    }
}

/// The vectors of an answer in the order of the texts, in whichever encoding they come.
pub fn read_vectors(answer: &[u8], n_texts: usize) -> Result<Vec<Vec<f32>>, ModelError> {
    vectors_of(&vector_codec::parsed(answer)?, n_texts)
}

fn vectors_of(answer: &Value, n_texts: usize) -> Result<Vec<Vec<f32>>, ModelError> {
    let entries = answer.get("data").and_then(Value::as_array).unwrap_or_default();
    let place = |(number, entry): (usize, &Value)| {
        entry.get("index").and_then(Value::as_usize).unwrap_or(number)
    };
    vector_codec::in_order(
        entries.iter().enumerate().map(|entry| (place(entry), entry.1.get("embedding"))),
        n_texts,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use model::Code;

    #[test]
    fn vectors_are_put_in_the_order_of_the_texts() {
        let answer = br#"{"data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}]}"#;
        assert_eq!(read_vectors(answer, 2).unwrap(), [[1.0, 2.0], [3.0, 4.0]]);
        let uncounted = br#"{"data":[{"embedding":[1]},{"embedding":[2]}]}"#;
        assert_eq!(read_vectors(uncounted, 2).unwrap(), [[1.0], [2.0]]);
    }

    #[test]
    fn both_encodings_mean_the_same() {
        let bytes: Vec<u8> =
            [0.5_f32, -2.25].iter().flat_map(|number| number.to_le_bytes()).collect();
        let answer =
            format!(r#"{{"data":[{{"index":0,"embedding":"{}"}}]}}"#, STANDARD.encode(bytes));
        assert_eq!(read_vectors(answer.as_bytes(), 1).unwrap(), [[0.5, -2.25]]);
    }

    #[test]
    fn answers_that_lack_or_bend_something_are_errors() {
        for answer in [
            r#"{}"#,
            "no json",
            r#"{"data":[]}"#,
            r#"{"data":[{"index":5,"embedding":[1]}]}"#,
            r#"{"data":[{"index":0,"embedding":[]}]}"#,
            r#"{"data":[{"index":0,"embedding":["x"]}]}"#,
            r#"{"data":[{"index":0,"embedding":"AAA="}]}"#,
            r#"{"data":[{"index":0,"embedding":"!!"}]}"#,
        ] {
            assert_eq!(
                read_vectors(answer.as_bytes(), 1).unwrap_err().code,
                Code::MODEL_ERROR,
                "{answer}"
            );
        }
        assert!(read_vectors(br#"{"data":[{"embedding":[1]},{"embedding":[1,2]}]}"#, 2).is_err());
    }
}
