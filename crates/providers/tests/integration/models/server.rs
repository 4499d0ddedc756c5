//! A server that answers one request after the other with exactly the bytes that a test says, and
//! the client that asks it.

use futures::StreamExt as _;
use heddle_providers::http::{EgressPolicy, GuardedHttp};
use heddle_providers::models::openai::{OpenAiChat, OpenAiSettings};
use heddle_providers::models::requester::ModelAccess;
use heddle_providers::models::retry::RetryPolicy;
use heddle_providers::models::secret::Secret;
use heddle_providers::models::wire::WireLimits;
use node_api::ai::{
    Capabilities, ChatEvent, ChatModel as _, ChatRequest, Message, ModelError, ModelInfo,
    ModelReply,
};
use std::net::SocketAddr;
use std::sync::Arc;
use testkit::{FakeHttp, FakeRequest, FakeResponse, FakeStep};

pub(crate) const KEY: &str = "sk-canary-0123456789";

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    server: FakeHttp,
}

impl Server {
    /// Each request takes the next script; the last one stays.
    pub(crate) fn start(scripts: Vec<Vec<FakeStep>>) -> Self {
        let server = FakeHttp::scripted(scripts.into_iter().map(FakeResponse::steps).collect());
        Self { address: server.address, server }
    }

    /// The requests so far, as text.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.server.requests().iter().map(FakeRequest::text).collect()
    }

    /// How many connections have ended.
    pub(crate) fn n_closed(&self) -> usize {
        self.server.n_closed()
    }

    pub(crate) fn settings(&self) -> OpenAiSettings {
        OpenAiSettings::compatible(&format!("http://{}/v1", self.address), Secret::new(KEY))
    }

    pub(crate) fn model(&self) -> OpenAiChat {
        model(self.settings(), limits())
    }

    pub(crate) async fn ask(&self) -> (Vec<ChatEvent>, Result<ModelReply, ModelError>) {
        ask(&self.model()).await
    }
}

pub(crate) fn limits() -> WireLimits {
    WireLimits { first_byte_ms: 3_000, idle_ms: 3_000, whole_ms: 20_000, ..WireLimits::default() }
}

/// With pauses as short as a test can have them.
pub(crate) fn access(limits: WireLimits) -> ModelAccess {
    let retry = RetryPolicy { initial_pause_ms: 5, max_pause_ms: 20, ..RetryPolicy::default() };
    ModelAccess { limits, retry, ..ModelAccess::new(http()) }
}

pub(crate) fn http() -> Arc<GuardedHttp> {
    Arc::new(GuardedHttp::new(EgressPolicy::parse("127.0.0.1").unwrap()))
}

pub(crate) fn info() -> ModelInfo {
    let capabilities = Capabilities {
        tools: true,
        vision: false,
        streaming: true,
        sampling: true,
        forced_tool: true,
        json_schema: true,
        context: None,
        max_output: None,
    };
    ModelInfo { provider: "openai".into(), model: "gpt-x".into(), capabilities, price: None }
}

pub(crate) fn model(settings: OpenAiSettings, limits: WireLimits) -> OpenAiChat {
    OpenAiChat::new(info(), settings, &access(limits))
}

pub(crate) fn request() -> ChatRequest {
    ChatRequest { messages: vec![Message::user("Hello")], ..ChatRequest::default() }
}

/// Everything that the model told, and how it ended.
pub(crate) async fn ask(model: &OpenAiChat) -> (Vec<ChatEvent>, Result<ModelReply, ModelError>) {
    let mut told = Vec::new();
    let mut stream = model.stream(request());
    while let Some(event) = stream.next().await {
        match event {
            Ok(ChatEvent::Done(turn)) => return (told, Ok(*turn)),
            Ok(event) => told.push(event),
            Err(error) => return (told, Err(error)),
        }
    }
    panic!("the stream ended without an end");
}

pub(crate) fn answer(status: u16, headers: &str, body: &str) -> FakeStep {
    let text = format!(
        "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
        body.len()
    );
    FakeStep::Send(text.into_bytes())
}

/// The head of a stream that ends with its connection.
pub(crate) fn head() -> FakeStep {
    FakeStep::Send(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n".to_vec(),
    )
}

/// The head of a stream whose end is told.
pub(crate) fn chunked() -> FakeStep {
    FakeStep::Send(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            .to_vec(),
    )
}

pub(crate) fn chunk(text: &str) -> FakeStep {
    FakeStep::Send(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes())
}

pub(crate) fn send(text: &str) -> FakeStep {
    FakeStep::Send(text.as_bytes().to_vec())
}

pub(crate) const HELLO: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";
pub(crate) const END: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

pub(crate) fn good() -> Vec<FakeStep> {
    vec![head(), send(HELLO), send(END)]
}
