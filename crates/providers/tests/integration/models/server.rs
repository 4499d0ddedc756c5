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
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

pub(crate) const KEY: &str = "sk-canary-0123456789";

/// What is done with one request.
pub(crate) enum Step {
    /// Sends these bytes.
    Send(Vec<u8>),
    Wait(Duration),
    /// Closes the connection the hard way.
    Reset,
    /// Says nothing more and keeps the connection.
    Hang,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
    gone: Arc<Mutex<usize>>,
}

impl Server {
    /// Each request takes the next script; the last one stays.
    pub(crate) async fn start(scripts: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen: Arc<Mutex<Vec<String>>> = Arc::default();
        let gone: Arc<Mutex<usize>> = Arc::default();
        let (log, left, scripts) = (seen.clone(), gone.clone(), Arc::new(scripts));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (log, left, scripts) = (log.clone(), left.clone(), scripts.clone());
                tokio::spawn(async move {
                    let request = read_request(&mut stream).await;
                    let number = {
                        let mut log = log.lock().unwrap();
                        log.push(request);
                        log.len() - 1
                    };
                    play(&mut stream, &scripts[number.min(scripts.len() - 1)]).await;
                    *left.lock().unwrap() += 1;
                });
            }
        });
        Self { address, seen, gone }
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// How many connections have ended.
    pub(crate) fn gone(&self) -> usize {
        *self.gone.lock().unwrap()
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

async fn play(stream: &mut TcpStream, steps: &[Step]) {
    for step in steps {
        match step {
            Step::Send(bytes) => {
                let _ = stream.write_all(bytes).await;
                let _ = stream.flush().await;
            }
            Step::Wait(time) => tokio::time::sleep(*time).await,
            Step::Reset => {
                // Unread bytes, or none to wait for: the other side hears a reset instead of an
                // end.
                let _ = stream.set_zero_linger();
                return;
            }
            Step::Hang => {
                let mut nothing = [0; 64];
                while stream.read(&mut nothing).await.is_ok_and(|n_read| n_read > 0) {}
            }
        }
    }
    let _ = stream.shutdown().await;
}

async fn read_request(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let n_read = stream.read(&mut piece).await.unwrap_or(0);
        text.extend_from_slice(&piece[..n_read]);
        let so_far = String::from_utf8_lossy(&text);
        if let Some((head, body)) = so_far.split_once("\r\n\r\n") {
            let length = head.to_lowercase().lines().find_map(|line| {
                line.strip_prefix("content-length: ").and_then(|n| n.parse().ok())
            });
            if body.len() >= length.unwrap_or(0) {
                return so_far.into_owned();
            }
        }
        if n_read == 0 {
            return so_far.into_owned();
        }
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

pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Step {
    let text = format!(
        "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
        body.len()
    );
    Step::Send(text.into_bytes())
}

/// The head of a stream that ends with its connection.
pub(crate) fn head() -> Step {
    Step::Send(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n".to_vec(),
    )
}

/// The head of a stream whose end is told.
pub(crate) fn chunked() -> Step {
    Step::Send(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            .to_vec(),
    )
}

pub(crate) fn chunk(text: &str) -> Step {
    Step::Send(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes())
}

pub(crate) fn send(text: &str) -> Step {
    Step::Send(text.as_bytes().to_vec())
}

pub(crate) const HELLO: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";
pub(crate) const END: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

pub(crate) fn good() -> Vec<Step> {
    vec![head(), send(HELLO), send(END)]
}
