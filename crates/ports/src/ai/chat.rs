//! Chat models: what is asked, what comes back, and how it fails.

use super::message::Message;
use super::tool::ToolDefinition;
use futures::{Stream, StreamExt as _};
use model::{Code, Str, Value};
use std::pin::Pin;
use std::sync::Arc;

/// A model that answers conversations. Implemented in `providers`, one module for each wire format;
/// called by `agent` and by nodes.
///
/// A stream ends with [`ChatEvent::Done`] or with an error, never without either. Dropping it
/// cancels the request. Retries happen inside, before the first event of an answer; what was said
/// cannot be taken back.
#[async_trait::async_trait]
pub trait ChatModel: Send + Sync {
    fn info(&self) -> &ModelInfo;

    fn stream(&self, request: ChatRequest) -> ChatStream<'_>;

    /// The whole answer at once.
    async fn chat(&self, request: ChatRequest) -> Result<ModelReply, ModelError> {
        let mut stream = self.stream(request);
        while let Some(event) = stream.next().await {
            if let ChatEvent::Done(turn) = event? {
                return Ok(*turn);
            }
        }
        Err(ModelError::new(Code::MODEL_ERROR, "The model's response was cut off"))
    }
}

pub type ChatStream<'a> = Pin<Box<dyn Stream<Item = Result<ChatEvent, ModelError>> + Send + 'a>>;

/// What a model is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    pub messages: Vec<Message>,
    pub tools: Vec<ToolDefinition>,
    pub tool_choice: ToolChoice,
    /// Whether several tools may be called in one turn.
    pub parallel_calls: Option<bool>,
    pub format: OutputFormat,
    /// The fields of a JSON answer that are read and recorded; empty for all of them. In any other
    /// a model may think aloud.
    pub fields: &'static [&'static str],
    /// Over those that the model was set up with.
    pub options: ModelOptions,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    #[default]
    Auto,
    /// Some tool must be called.
    Required,
    None,
    /// This one must be called.
    Tool(Str),
}

/// The form the answer shall have.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OutputFormat {
    #[default]
    Text,
    /// Any JSON object.
    Json,
    /// JSON that fits a schema.
    Schema { name: Str, schema: Value },
}

/// How the model shall answer. What a model does not take is left out of the request, not refused.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelOptions {
    pub temperature: Option<f64>,
    pub max_tokens: Option<u64>,
    pub top_p: Option<f64>,
    pub top_k: Option<u64>,
    pub frequency_penalty: Option<f64>,
    pub presence_penalty: Option<f64>,
    pub seed: Option<i64>,
    pub stop: Vec<Str>,
    /// `low`, `medium`, `high` … as the provider knows them.
    pub effort: Option<Str>,
    /// Fields of the provider's own, put into the request as they are.
    pub extra: Option<Value>,
}

/// What happens while a model answers.
#[derive(Clone, Debug, PartialEq)]
pub enum ChatEvent {
    Text(Str),
    Thinking(Str),
    /// A tool call begins; the calls of a turn are counted from 0.
    CallBegins {
        index: usize,
        name: Str,
    },
    /// The request is made again after a pause.
    Retry {
        attempt: u32,
        wait_ms: u64,
        cause: Str,
    },
    /// The answer as a whole. Nothing follows.
    Done(Box<ModelReply>),
}

/// A model's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelReply {
    pub message: Message,
    pub stop: StopReason,
    pub usage: TokenUsage,
    /// The model that answered, as the provider names it.
    pub model: Str,
}

impl ModelReply {
    /// The same answer without other fields than these, if it is a JSON object.
    pub fn with_fields(self, fields: &[&str]) -> Self {
        if fields.is_empty() {
            return self;
        }
        let Ok(Value::Object(mut answer)) = model::json::parse(self.message.text().trim()) else {
            return self;
        };
        if answer.keys().all(|key| fields.contains(&key.as_str())) {
            return self;
        }
        Arc::make_mut(&mut answer).retain(|key, _| fields.contains(&key));
        let text = model::json::to_string(&Value::Object(answer));
        Self { message: Message::assistant(text), ..self }
    }
}

/// Why an answer ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    Stop,
    ToolCalls,
    Length,
    ContentFilter,
    Refusal,
    /// The turn is to be sent back so that the model goes on.
    Pause,
    Other(Str),
}

impl StopReason {
    pub fn name(&self) -> &str {
        match self {
            StopReason::Stop => "stop",
            StopReason::ToolCalls => "tool_calls",
            StopReason::Length => "length",
            StopReason::ContentFilter => "content_filter",
            StopReason::Refusal => "refusal",
            StopReason::Pause => "pause",
            StopReason::Other(word) => word,
        }
    }
}

/// Tokens that were used. Inputs include what was cached, outputs what was thought.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenUsage {
    pub input: u64,
    pub cached_read: u64,
    pub cache_write: u64,
    pub output: u64,
    pub reasoning: u64,
    /// As the provider said it.
    pub raw: Option<Value>,
}

/// Which model it is and what it can do.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelInfo {
    pub provider: Str,
    pub model: Str,
    pub capabilities: Capabilities,
    pub price: Option<Price>,
}

/// What a model takes. For one that nobody knows, the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    pub tools: bool,
    pub vision: bool,
    pub streaming: bool,
    /// Temperature and its like.
    pub sampling: bool,
    /// A tool can be demanded.
    pub forced_tool: bool,
    pub json_schema: bool,
    /// Tokens, where they are known.
    pub context: Option<u64>,
    pub max_output: Option<u64>,
}

/// What the use of a model costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Price {
    pub usual: TokenRates,
    /// What all tokens of a request cost whose input is longer than this many tokens.
    pub long: Option<(u64, TokenRates)>,
}

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TokenRates {
    pub input: f64,
    pub cached_read: f64,
    pub cache_write: f64,
    pub output: f64,
}

impl Price {
    /// What one request costs, in US dollars. An estimate: providers have rebates that nobody here
    /// knows.
    pub fn of(&self, usage: &TokenUsage) -> f64 {
        match self.long {
            Some((above, rates)) if usage.input > above => rates.of(usage),
            _ => self.usual.of(usage),
        }
    }
}

impl From<TokenRates> for Price {
    fn from(usual: TokenRates) -> Self {
        Self { usual, long: None }
    }
}

impl TokenRates {
    fn of(&self, usage: &TokenUsage) -> f64 {
        let plain = usage.input.saturating_sub(usage.cached_read).saturating_sub(usage.cache_write);
        let parts = [
            (plain, self.input),
            (usage.cached_read, self.cached_read),
            (usage.cache_write, self.cache_write),
            (usage.output, self.output),
        ];
        parts.into_iter().map(|(tokens, price)| tokens as f64 * price / 1e6).sum()
    }
}

impl TokenUsage {
    pub fn add(&mut self, other: &TokenUsage) {
        self.input += other.input;
        self.cached_read += other.cached_read;
        self.cache_write += other.cache_write;
        self.output += other.output;
        self.reasoning += other.reasoning;
    }
}

/// Why a model did not answer. Its message is for the author of the workflow and carries no secret.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// By the status of the answer, never by words in it.
    pub code: Code,
    pub message: Str,
    pub hint: Option<Str>,
    pub status: Option<u16>,
    /// Another model, or this one later, may do better.
    pub may_pass: bool,
}

impl ModelError {
    pub fn new(code: Code, message: impl Into<Str>) -> Self {
        Self { code, message: message.into(), hint: None, status: None, may_pass: false }
    }

    pub fn hint(mut self, hint: impl Into<Str>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The names in a provider's list of its models, in order. Providers wrap the list in `data`, in
/// `models`, or not at all.
pub fn model_names(answer: &Value) -> Option<Vec<Str>> {
    let list = [answer.get("data"), answer.get("models"), Some(answer)]
        .into_iter()
        .flatten()
        .find_map(Value::as_array)?;
    let name = |entry: &Value| {
        ["id", "name"].iter().find_map(|field| entry.get(field)?.as_str()).map(Str::from)
    };
    let mut names: Vec<Str> = list.iter().filter_map(name).collect();
    names.sort();
    names.dedup();
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cached_is_not_paid_twice() {
        let price = Price::from(TokenRates {
            input: 2.0,
            cached_read: 0.2,
            cache_write: 2.5,
            output: 10.0,
        });
        let usage = TokenUsage {
            input: 1_000_000,
            cached_read: 500_000,
            cache_write: 100_000,
            output: 100_000,
            ..TokenUsage::default()
        };
        assert!((price.of(&usage) - (0.8 + 0.1 + 0.25 + 1.0)).abs() < 1e-9);
    }

    #[test]
    fn a_long_request_costs_more_with_every_token_of_it() {
        let usual = TokenRates { input: 1.0, cached_read: 0.1, cache_write: 1.0, output: 10.0 };
        let price = Price {
            usual,
            long: Some((
                200_000,
                TokenRates { input: 2.0, cached_read: 0.2, cache_write: 2.0, output: 15.0 },
            )),
        };
        let cost =
            |input: u64| price.of(&TokenUsage { input, output: 1_000, ..TokenUsage::default() });
        assert!(
            (cost(200_000) - 0.21).abs() < 1e-9
                && (cost(200_001) - (0.400_002 + 0.015)).abs() < 1e-9
        );
    }

    #[test]
    fn lists_of_models_are_read_however_they_are_wrapped() {
        for text in [
            r#"{"data":[{"id":"b"},{"id":"a"},{"x":1},{"id":"a"}]}"#,
            r#"[{"id":"a"},{"id":"b"}]"#,
            r#"{"models":[{"name":"b"},{"name":"a"}]}"#,
        ] {
            assert_eq!(
                model_names(&model::json::parse(text).unwrap()).unwrap(),
                ["a", "b"],
                "{text}"
            );
        }
        assert_eq!(model_names(&model::json::parse(r#"{"oops":1}"#).unwrap()), None);
        assert_eq!(model_names(&model::json::parse(r#"{"data":[]}"#).unwrap()), Some(Vec::new()));
    }
}
