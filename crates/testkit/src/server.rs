//! The server: one thread of its own, so that it can be asked by blocking and asynchronous tests
//! alike.

use crate::clock::{self, TimestampStream};
use crate::http::{ParsedRequest, RequestReader, lock, response};
use crate::reply::ScriptedReply;
use crate::wire::{ApiEndpoint, WireFormat};
use crate::{default_reply, embeddings, other_apis, respond, script};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// A server that answers as models do. It stops when it is dropped.
pub struct MockModels {
    address: SocketAddr,
    state: Arc<MockState>,
    _stop: oneshot::Sender<()>,
}

/// What it was asked, for assertions.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
    pub format: Option<WireFormat>,
}

impl RecordedRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// What a model answers to the body of a request.
type ReplyFn = Box<dyn Fn(&Value) -> ScriptedReply + Send + Sync>;

#[derive(Default)]
pub(crate) struct MockState {
    replies: Mutex<VecDeque<ScriptedReply>>,
    /// Answers when the script is over.
    reply_fn: Option<ReplyFn>,
    requests: Mutex<Vec<RecordedRequest>>,
    /// Keeping everything that was asked costs memory in a long benchmark.
    forgets: bool,
    /// How long every answer takes.
    delay: Duration,
    /// Every answer tells the time.
    clock: Option<TimestampStream>,
}

impl MockModels {
    /// On a free port of this machine.
    pub fn start(replies: impl IntoIterator<Item = ScriptedReply>) -> io::Result<Self> {
        Self::at(([127, 0, 0, 1], 0).into(), replies, RequestRetention::Everything)
    }

    pub fn at(
        address: SocketAddr,
        replies: impl IntoIterator<Item = ScriptedReply>,
        keeps: RequestRetention,
    ) -> io::Result<Self> {
        Self::slow(address, replies, keeps, Duration::ZERO)
    }

    /// Models that answer by what they are asked, however often and in whatever order that is.
    pub fn with_replies(
        mind: impl Fn(&Value) -> ScriptedReply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::serve(
            ([127, 0, 0, 1], 0).into(),
            MockState { reply_fn: Some(Box::new(mind)), ..MockState::default() },
        )
    }

    /// Models that say nothing but what time it is.
    pub fn with_timestamps(address: SocketAddr, clock: TimestampStream) -> io::Result<Self> {
        Self::serve(
            address,
            MockState { forgets: true, clock: Some(clock), ..MockState::default() },
        )
    }

    /// Models that take their time.
    pub fn slow(
        address: SocketAddr,
        replies: impl IntoIterator<Item = ScriptedReply>,
        keeps: RequestRetention,
        delay: Duration,
    ) -> io::Result<Self> {
        let replies = Mutex::new(replies.into_iter().collect());
        Self::serve(
            address,
            MockState {
                replies,
                forgets: keeps == RequestRetention::Nothing,
                delay,
                ..MockState::default()
            },
        )
    }

    fn serve(address: SocketAddr, state: MockState) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let state = Arc::new(state);
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let serving = state.clone();
        std::thread::Builder::new().name("mock-models".to_owned()).spawn(move || {
            runtime.block_on(async move {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                tokio::select! {
                    () = serve(listener, serving) => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { address, state, _stop: stop })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address without a path: what Anthropic's, Gemini's and Ollama's clients want.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address up to `/v1`: what clients of OpenAI's format want.
    pub fn v1(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Adds to the script.
    pub fn script(&self, replies: impl IntoIterator<Item = ScriptedReply>) {
        lock(&self.state.replies).extend(replies);
    }

    /// Every conversation and list that was asked for, in order.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.state.requests).clone()
    }
}

/// Whether what was asked is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestRetention {
    Everything,
    Nothing,
}

async fn serve(listener: TcpListener, state: Arc<MockState>) {
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        tokio::spawn(converse(stream, state.clone()));
    }
}

/// Answers one request after the other on a connection, until a fault or the client ends it.
async fn converse(mut stream: TcpStream, state: Arc<MockState>) {
    let mut requests = RequestReader::new();
    while let Some(request) = requests.next(&mut stream).await {
        if !respond(&mut stream, request, &state).await {
            break;
        }
    }
}

/// Whether the connection goes on.
async fn respond(stream: &mut TcpStream, request: ParsedRequest, state: &MockState) -> bool {
    if let Some(own) = script::control(&request, state) {
        return stream.write_all(&own).await.is_ok();
    }
    let endpoint = ApiEndpoint::of(&request.path);
    let body: Value = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    let streams = endpoint.streams(&request.path, &body);
    let format = endpoint.format();
    let known = match endpoint {
        ApiEndpoint::Chat(format) => {
            if let Some(clock) = state.clock {
                return clock::stream_timestamps(stream, format, clock).await;
            }
            let reply = state.next(&body);
            state.keep(request, body, Some(format));
            if !state.delay.is_zero() {
                tokio::time::sleep(state.delay).await;
            }
            return respond::reply(stream, format, &reply, streams).await;
        }
        ApiEndpoint::Embeddings(format) => {
            response(200, "application/json", "", &embeddings::answer(format, &body).to_string())
        }
        ApiEndpoint::Models(format) => {
            response(200, "application/json", "", &models(format).to_string())
        }
        ApiEndpoint::Abilities => {
            response(200, "application/json", "", &abilities(&body).to_string())
        }
        ApiEndpoint::Unknown => {
            other_apis::respond(&request.path, request.header("host").unwrap_or_default())
                .unwrap_or_else(|| {
                    response(
                        404,
                        "application/json",
                        "",
                        &json!({ "error": { "message": "no such path" } }).to_string(),
                    )
                })
        }
    };
    state.keep(request, body, format);
    stream.write_all(&known).await.is_ok()
}

/// Every model takes tools, but for those whose name says otherwise.
fn abilities(body: &Value) -> Value {
    let takes_tools = !body["model"].as_str().unwrap_or_default().contains("without-tools");
    json!({ "capabilities": if takes_tools { vec!["completion", "tools"] } else { vec!["completion"] } })
}

fn models(format: WireFormat) -> Value {
    match format {
        WireFormat::Gemini => {
            json!({ "models": [{ "name": "models/mock" }, { "name": "models/mock-large" }] })
        }
        WireFormat::Ollama => json!({ "models": [{ "name": "mock" }, { "name": "mock-large" }] }),
        _ => {
            json!({ "object": "list", "data": [{ "id": "mock", "object": "model" }, { "id": "mock-large", "object": "model" }] })
        }
    }
}

impl MockState {
    /// The next answer of the script. Without one the model does what models do: it calls the first
    /// tool it is offered, once, and answers when it has a result.
    fn next(&self, body: &Value) -> ScriptedReply {
        let scripted = lock(&self.replies).pop_front();
        scripted.unwrap_or_else(|| {
            self.reply_fn
                .as_ref()
                .map_or_else(|| default_reply::default_reply(body), |mind| mind(body))
        })
    }

    fn keep(&self, request: ParsedRequest, body: Value, format: Option<WireFormat>) {
        if !self.forgets {
            let ParsedRequest { method, path, headers, .. } = request;
            lock(&self.requests).push(RecordedRequest { method, path, headers, body, format });
        }
    }

    pub(crate) fn add(&self, replies: Vec<ScriptedReply>) {
        lock(&self.replies).extend(replies);
    }

    /// Forgets the script and what was asked.
    pub(crate) fn reset(&self) {
        lock(&self.replies).clear();
        lock(&self.requests).clear();
    }

    pub(crate) fn asked_as_json(&self) -> Value {
        let entry = |asked: &RecordedRequest| json!({ "method": asked.method, "path": asked.path, "headers": asked.headers, "body": asked.body });
        lock(&self.requests).iter().map(entry).collect()
    }
}
