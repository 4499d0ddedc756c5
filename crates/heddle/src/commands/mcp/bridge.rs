//! Passes the messages of a client on standard input on to a server, and its answers back.

use super::messages::{ClientMessage, EventMessages, error_reply, header_value};
use crate::commands::serve::asked_to_stop;
use anyhow::{Context as _, Result};
use reqwest::{Client, RequestBuilder, Response, Url};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{BufRead as _, Read as _, Write as _};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

/// The longest message, either way.
const MAX_MESSAGE_BYTES: usize = 32 << 20;

/// How long it may take to reach the server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The server, and what we show it.
pub(super) struct McpTarget {
    client: Client,
    url: Url,
    key: String,
}

/// A client's connection.
pub(super) struct Bridge(Arc<BridgeState>);

struct BridgeState {
    target: McpTarget,
    /// What an older client and the server have agreed on.
    session: Mutex<Option<String>>,
    version: Mutex<Option<String>>,
    /// Requests that have no answer yet, by their IDs.
    open: Mutex<HashMap<String, AbortHandle>>,
}

impl McpTarget {
    pub(super) fn new(address: &str, key: &str) -> Result<Self> {
        let address = address.trim_end_matches('/');
        let address = address.strip_suffix("/mcp").unwrap_or(address);
        let url = Url::parse(&format!("{address}/mcp"))
            .with_context(|| format!("'{address}' is not a URL (REQUEST_INVALID)"))?;
        #[expect(clippy::disallowed_methods, reason = "calls a server that the operator has named")]
        let client = Client::builder()
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .context("the HTTP client could not be created")?;
        Ok(Self { client, url, key: key.to_owned() })
    }
}

impl Bridge {
    pub(super) fn new(target: McpTarget) -> Self {
        Self(Arc::new(BridgeState {
            target,
            session: Mutex::default(),
            version: Mutex::default(),
            open: Mutex::default(),
        }))
    }

    /// Runs until the client closes its end, or somebody asks the process to stop.
    pub(super) async fn run(self) -> Result<ExitCode> {
        let asked = asked_to_stop().context("signal handlers could not be installed")?;
        let mut asked = Box::pin(asked);
        let mut lines = read_lines();
        loop {
            let line = tokio::select! {
                line = lines.recv() => line,
                () = &mut asked => None,
            };
            let Some(line) = line else { break };
            match ClientMessage::parse(line) {
                Ok(message) => self.pass_on(message).await,
                Err(error) => write(&error_reply(&Value::Null, &format!("Parse error: {error}"))),
            }
        }
        for (_, request) in lock(&self.0.open).drain() {
            request.abort();
        }
        let session = lock(&self.0.session).take();
        if let Some(session) = session {
            let request = self.0.target.client.delete(self.0.target.url.clone());
            let request = request.bearer_auth(&self.0.target.key).header("mcp-session-id", session);
            // It ends by itself otherwise.
            drop(request.send().await);
        }
        Ok(ExitCode::SUCCESS)
    }

    async fn pass_on(&self, message: ClientMessage) {
        if let Some(cancelled) = &message.cancels {
            // In the current revision a closed connection is the message.
            if lock(&self.0.session).is_some() {
                self.0.clone().send(&message).await;
            }
            if let Some(request) = lock(&self.0.open).remove(&cancelled.to_string()) {
                request.abort();
            }
            return;
        }
        let is_request = message.id.is_some();
        // What follows depends on it.
        if !is_request || message.method.as_deref() == Some("initialize") {
            return self.0.clone().send(&message).await;
        }
        let state = self.0.clone();
        let id = message.id.clone().unwrap_or_default().to_string();
        let mut open = lock(&self.0.open);
        let key = id.clone();
        let task = tokio::spawn(async move {
            state.clone().send(&message).await;
            lock(&state.open).remove(&key);
        });
        open.insert(id, task.abort_handle());
    }
}

impl BridgeState {
    async fn send(self: Arc<Self>, message: &ClientMessage) {
        let answered = self.exchange(message).await;
        if let (Err(error), Some(id)) = (answered, &message.id) {
            write(&error_reply(id, &format!("{error:#}")));
        }
    }

    fn request(&self, message: &ClientMessage) -> RequestBuilder {
        let target = &self.target;
        let mut request = target
            .client
            .post(target.url.clone())
            .bearer_auth(&target.key)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        if let Some(version) = message.version.clone().or_else(|| lock(&self.version).clone()) {
            request = request.header("mcp-protocol-version", version);
        }
        // Clients of older revisions send none of these.
        if message.version.is_some() {
            if let Some(method) = &message.method {
                request = request.header("mcp-method", method);
            }
            if let Some(name) = &message.name {
                request = request.header("mcp-name", header_value(name));
            }
        }
        let session = lock(&self.session).clone().filter(|_| message.version.is_none());
        match session {
            Some(session) => request.header("mcp-session-id", session),
            None => request,
        }
    }

    /// Sends a message, and writes what the server answers.
    async fn exchange(&self, message: &ClientMessage) -> Result<()> {
        let response = self.request(message).body(message.text.clone()).send().await;
        let mut response = response.with_context(|| {
            format!("the server at {} did not respond (UPSTREAM_UNREACHABLE)", self.target.url)
        })?;
        let header = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let is_initialize = message.method.as_deref() == Some("initialize");
        if let Some(session) = header("mcp-session-id").filter(|_| is_initialize) {
            *lock(&self.session) = Some(session);
        }
        let is_stream =
            header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        let status = response.status();
        if is_stream {
            let mut events = EventMessages::default();
            while let Some(bytes) = response.chunk().await.context("the connection was lost")? {
                for text in events.push(&bytes) {
                    self.answer(&text, is_initialize);
                }
                anyhow::ensure!(events.len() <= MAX_MESSAGE_BYTES, "the answer is too large");
            }
            return Ok(());
        }
        let text = read_limited(&mut response).await?;
        #[expect(clippy::disallowed_methods, reason = "an answer of the server that was named")]
        let read: Value = serde_json::from_str(&text).unwrap_or_default();
        if read.get("jsonrpc").is_some() {
            self.answer(&text, is_initialize);
        } else if !status.is_success() {
            let words = read["message"].as_str().unwrap_or(&text).trim();
            let code = read["code"].as_str().map(|code| format!(" ({code})")).unwrap_or_default();
            anyhow::bail!("the server answered {status}: {words}{code}");
        }
        Ok(())
    }

    fn answer(&self, text: &str, is_initialize: bool) {
        if is_initialize {
            #[expect(clippy::disallowed_methods, reason = "an answer of the server that was named")]
            let read: Value = serde_json::from_str(text).unwrap_or_default();
            if let Some(version) = read["result"]["protocolVersion"].as_str() {
                *lock(&self.version) = Some(version.to_owned());
            }
        }
        write(text);
    }
}

async fn read_limited(response: &mut Response) -> Result<String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.context("the connection was lost")? {
        bytes.extend_from_slice(&chunk);
        anyhow::ensure!(bytes.len() <= MAX_MESSAGE_BYTES, "the answer is too large");
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The lines of standard input, read on a thread of their own: nothing else can wait for them
/// without holding the process up at its end.
fn read_lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut line = Vec::new();
            let read =
                input.by_ref().take(MAX_MESSAGE_BYTES as u64 + 1).read_until(b'\n', &mut line);
            if !matches!(read, Ok(length) if length > 0 && length <= MAX_MESSAGE_BYTES) {
                return;
            }
            let line = String::from_utf8_lossy(&line).trim().to_owned();
            if !line.is_empty() && sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Writes one message; a client that has gone does not read it.
fn write(message: &str) {
    let mut output = std::io::stdout().lock();
    let line = message.replace(['\r', '\n'], " ");
    let written = writeln!(output, "{line}").and_then(|()| output.flush());
    if let Err(error) = written {
        tracing::debug!(%error, "The client has closed its end.");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
