//! One client for every provider that has a format of its own: what differs between them is what
//! they implement here.

use super::embedding_cache::{BatchEmbedder, embed_cached};
use super::endpoint::ModelEndpoint;
use super::failure::ModelFailure;
use super::model_list::listed;
use super::requester::{ChatFormat, ErrorDecoder, ModelAccess, ModelRequester, ReplyDecoder};
use super::vector_codec;
use super::wire::WireRequest;
use model::{Str, Value};
use node_api::NodeError;
use node_api::ai::{
    ChatModel, ChatRequest, ChatStream, Embedder, Embeddings, ModelError, ModelInfo, model_names,
};

/// What all requests to a provider have in common. Implemented by the settings of each wire format.
pub trait ModelProvider: Clone + Send + Sync + 'static {
    fn headers(&self, key: &str) -> Vec<(String, String)>;
    /// What an answer with an error status means.
    fn decode_error(
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        unix_ms: i64,
    ) -> ModelFailure;
    /// Where the list of models is.
    fn list_path(&self) -> String;
    /// The names in that list.
    fn listed(answer: &Value) -> Option<Vec<Str>> {
        model_names(answer)
    }
}

/// A format for conversations.
pub trait ChatProvider: ModelProvider {
    fn path(&self, info: &ModelInfo) -> String;
    fn body(&self, request: &ChatRequest, info: &ModelInfo) -> Value;
    fn decoder(&self, info: &ModelInfo, line_bytes: usize) -> Box<dyn ReplyDecoder>;
}

/// A format for vectors.
pub trait EmbeddingProvider: ModelProvider {
    /// How many texts go into one request.
    const BATCH: usize;
    fn embed_path(&self, model: &str) -> String;
    fn embed_body(&self, model: &str, texts: &[Str]) -> Value;
    /// The vectors of an answer, in the order of the texts.
    fn embedded(answer: &Value) -> Vec<Option<&Value>>;
    /// The tokens that it says it has read.
    fn embedded_tokens(answer: &Value) -> Option<usize>;
}

/// A chat model. Dropping a stream cancels its request.
pub struct ChatClient<P> {
    info: ModelInfo,
    settings: P,
    place: ModelEndpoint,
    requester: ModelRequester,
}

impl<P: ChatProvider> ChatClient<P> {
    pub fn new(info: ModelInfo, settings: P, place: ModelEndpoint, access: &ModelAccess) -> Self {
        let asker = place.requester(access);
        Self { info, settings, place, requester: asker }
    }

    fn call(&self, request: &ChatRequest) -> Result<WireRequest, ModelError> {
        let body = self.settings.body(request, &self.info);
        self.place.post(
            &self.settings.path(&self.info),
            self.settings.headers(self.place.key.reveal()),
            &body,
        )
    }
}

impl<P: ChatProvider> ChatModel for ChatClient<P> {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn stream(&self, request: ChatRequest) -> ChatStream<'_> {
        match self.call(&request) {
            Ok(call) => self.requester.stream(call, self),
            Err(error) => Box::pin(futures::stream::once(std::future::ready(Err(error)))),
        }
    }
}

impl<P: ModelProvider> ErrorDecoder for ChatClient<P> {
    fn decode_error(
        &self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        unix_ms: i64,
    ) -> ModelFailure {
        P::decode_error(status, headers, body, unix_ms)
    }
}

impl<P: ChatProvider> ChatFormat for ChatClient<P> {
    fn decoder(&self) -> Box<dyn ReplyDecoder> {
        self.settings.decoder(&self.info, self.requester.wire.limits.line_bytes)
    }
}

/// An embedding model.
pub struct EmbeddingClient<P> {
    info: ModelInfo,
    settings: P,
    place: ModelEndpoint,
    requester: ModelRequester,
}

impl<P: EmbeddingProvider> EmbeddingClient<P> {
    pub fn new(info: ModelInfo, settings: P, place: ModelEndpoint, access: &ModelAccess) -> Self {
        let asker = place.requester(access);
        Self { info, settings, place, requester: asker }
    }
}

#[async_trait::async_trait]
impl<P: EmbeddingProvider> BatchEmbedder for EmbeddingClient<P> {
    fn request(&self, texts: &[Str]) -> Result<WireRequest, ModelError> {
        self.place.post(
            &self.settings.embed_path(&self.info.model),
            self.settings.headers(self.place.key.reveal()),
            &self.settings.embed_body(&self.info.model, texts),
        )
    }

    async fn embed_batch(&self, texts: &[Str]) -> Result<Embeddings, ModelError> {
        let call = self.request(texts)?;
        let answer = vector_codec::parsed(
            &self.requester.whole(&call, &ProviderErrors::<P>::default()).await?,
        )?;
        let vectors =
            vector_codec::in_order(P::embedded(&answer).into_iter().enumerate(), texts.len())?;
        Ok(Embeddings { vectors, tokens: counted_tokens(P::embedded_tokens(&answer), texts) })
    }
}

#[async_trait::async_trait]
impl<P: EmbeddingProvider> Embedder for EmbeddingClient<P> {
    fn model(&self) -> &str {
        &self.info.model
    }

    fn paid_model(&self) -> Option<&ModelInfo> {
        Some(&self.info)
    }

    async fn embeddings(&self, texts: &[Str]) -> Result<Embeddings, NodeError> {
        embed_cached(self, texts, P::BATCH).await
    }
}

/// What a provider has read. One that does not count is taken to read a token in four letters.
pub(super) fn counted_tokens(counted: Option<usize>, texts: &[Str]) -> u64 {
    let estimate = || texts.iter().map(|text| text.len().div_ceil(4)).sum();
    counted.unwrap_or_else(estimate) as u64
}

/// The names of the models that a key may use, in order.
pub async fn list_models<P: ModelProvider>(
    settings: &P,
    place: &ModelEndpoint,
    access: &ModelAccess,
) -> Result<Vec<Str>, ModelError> {
    let call = place.get(&settings.list_path(), settings.headers(place.key.reveal()))?;
    let answer = place.requester(access).whole(&call, &ProviderErrors::<P>::default()).await?;
    listed(&answer, P::listed)
}

/// What refusals of a provider mean, for requests that are no chats.
pub(super) struct ProviderErrors<P>(std::marker::PhantomData<P>);

impl<P> Default for ProviderErrors<P> {
    fn default() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<P: ModelProvider> ErrorDecoder for ProviderErrors<P> {
    fn decode_error(
        &self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        unix_ms: i64,
    ) -> ModelFailure {
        P::decode_error(status, headers, body, unix_ms)
    }
}
