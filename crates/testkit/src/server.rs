//! The server: one thread of its own, so that it can be asked by blocking and asynchronous tests
//! alike.

use crate::clock::{self, Clock};
use crate::http::{Request, Requests, answer};
use crate::reply::Reply;
use crate::wire::{Endpoint, Format};
use crate::{embeddings, itself, others, play, script};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// A server that answers as models do. It stops when it is dropped.
pub struct MockModels {
    address: SocketAddr,
    state: Arc<Shared>,
    _stop: oneshot::Sender<()>,
}

/// What it was asked, for assertions.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
    pub format: Option<Format>,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// What a model answers to the body of a request.
type Mind = Box<dyn Fn(&Value) -> Reply + Send + Sync>;

#[derive(Default)]
pub(crate) struct Shared {
    replies: Mutex<VecDeque<Reply>>,
    /// Answers when the script is over.
    mind: Option<Mind>,
    asked: Mutex<Vec<Asked>>,
    /// Keeping everything that was asked costs memory in a long benchmark.
    forgets: bool,
    /// How long every answer takes.
    delay: Duration,
    /// Every answer tells the time.
    clock: Option<Clock>,
}

impl MockModels {
    /// On a free port of this machine.
    pub fn start(replies: impl IntoIterator<Item = Reply>) -> io::Result<Self> {
        Self::at(([127, 0, 0, 1], 0).into(), replies, Keeps::Everything)
    }

    pub fn at(
        address: SocketAddr,
        replies: impl IntoIterator<Item = Reply>,
        keeps: Keeps,
    ) -> io::Result<Self> {
        Self::slow(address, replies, keeps, Duration::ZERO)
    }

    /// Models that answer by what they are asked, however often and in whatever order that is.
    pub fn thinking(mind: impl Fn(&Value) -> Reply + Send + Sync + 'static) -> io::Result<Self> {
        Self::serve(
            ([127, 0, 0, 1], 0).into(),
            Shared { mind: Some(Box::new(mind)), ..Shared::default() },
        )
    }

    /// Models that say nothing but what time it is.
    pub fn telling_time(address: SocketAddr, clock: Clock) -> io::Result<Self> {
        Self::serve(address, Shared { forgets: true, clock: Some(clock), ..Shared::default() })
    }

    /// Models that take their time.
    pub fn slow(
        address: SocketAddr,
        replies: impl IntoIterator<Item = Reply>,
        keeps: Keeps,
        delay: Duration,
    ) -> io::Result<Self> {
        let replies = Mutex::new(replies.into_iter().collect());
        Self::serve(
            address,
            Shared { replies, forgets: keeps == Keeps::Nothing, delay, ..Shared::default() },
        )
    }

    fn serve(address: SocketAddr, state: Shared) -> io::Result<Self> {
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
    pub fn script(&self, replies: impl IntoIterator<Item = Reply>) {
        lock(&self.state.replies).extend(replies);
    }

    /// Every conversation and list that was asked for, in order.
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.state.asked).clone()
    }
}

/// Whether what was asked is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeps {
    Everything,
    Nothing,
}

async fn serve(listener: TcpListener, state: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        tokio::spawn(converse(stream, state.clone()));
    }
}

/// Answers one request after the other on a connection, until a fault or the client ends it.
async fn converse(mut stream: TcpStream, state: Arc<Shared>) {
    let mut requests = Requests::new();
    while let Some(request) = requests.next(&mut stream).await {
        if !respond(&mut stream, request, &state).await {
            break;
        }
    }
}

/// Whether the connection goes on.
async fn respond(stream: &mut TcpStream, request: Request, state: &Shared) -> bool {
    if let Some(own) = script::control(&request, state) {
        return stream.write_all(&own).await.is_ok();
    }
    let endpoint = Endpoint::of(&request.path);
    let body: Value = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    let streams = endpoint.streams(&request.path, &body);
    let format = endpoint.format();
    let known = match endpoint {
        Endpoint::Chat(format) => {
            if let Some(clock) = state.clock {
                return clock::tell(stream, format, clock).await;
            }
            let reply = state.next(&body);
            state.keep(request, body, Some(format));
            if !state.delay.is_zero() {
                tokio::time::sleep(state.delay).await;
            }
            return play::reply(stream, format, &reply, streams).await;
        }
        Endpoint::Embeddings(format) => {
            answer(200, "application/json", "", &embeddings::answer(format, &body).to_string())
        }
        Endpoint::Models(format) => {
            answer(200, "application/json", "", &models(format).to_string())
        }
        Endpoint::Abilities => answer(200, "application/json", "", &abilities(&body).to_string()),
        Endpoint::Unknown => {
            others::respond(&request.path, request.header("host").unwrap_or_default())
                .unwrap_or_else(|| {
                    answer(
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

fn models(format: Format) -> Value {
    match format {
        Format::Gemini => {
            json!({ "models": [{ "name": "models/mock" }, { "name": "models/mock-large" }] })
        }
        Format::Ollama => json!({ "models": [{ "name": "mock" }, { "name": "mock-large" }] }),
        _ => {
            json!({ "object": "list", "data": [{ "id": "mock", "object": "model" }, { "id": "mock-large", "object": "model" }] })
        }
    }
}

impl Shared {
    /// The next answer of the script. Without one the model does what models do: it calls the first
    /// tool it is offered, once, and answers when it has a result.
    fn next(&self, body: &Value) -> Reply {
        let scripted = lock(&self.replies).pop_front();
        scripted.unwrap_or_else(|| {
            self.mind.as_ref().map_or_else(|| itself::by_itself(body), |mind| mind(body))
        })
    }

    fn keep(&self, request: Request, body: Value, format: Option<Format>) {
        if !self.forgets {
            let Request { method, path, headers, .. } = request;
            lock(&self.asked).push(Asked { method, path, headers, body, format });
        }
    }

    pub(crate) fn add(&self, replies: Vec<Reply>) {
        lock(&self.replies).extend(replies);
    }

    /// Forgets the script and what was asked.
    pub(crate) fn reset(&self) {
        lock(&self.replies).clear();
        lock(&self.asked).clear();
    }

    pub(crate) fn asked_as_json(&self) -> Value {
        let entry = |asked: &Asked| json!({ "method": asked.method, "path": asked.path, "headers": asked.headers, "body": asked.body });
        lock(&self.asked).iter().map(entry).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
