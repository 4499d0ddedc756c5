//! An HTTP server for tests: a handler answers each request, and every request is recorded. What a
//! handler returns can also be wrong: bytes that are no HTTP, pauses, resets, silence.

use crate::http::{ParsedRequest, RequestReader, lock};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot};

/// A running server. It stops when it is dropped.
pub struct FakeHttp {
    pub address: SocketAddr,
    state: Arc<FakeState>,
    _stop: oneshot::Sender<()>,
}

/// A request as it was received; names of headers are in lower case.
pub type FakeRequest = ParsedRequest;

/// One part of a response.
#[derive(Clone, Debug)]
pub enum FakeStep {
    Send(Vec<u8>),
    /// Sends these bytes so many times.
    Repeat(Vec<u8>, usize),
    Wait(Duration),
    /// Goes on when the test says so.
    WaitFor(Arc<Notify>),
    /// Closes the connection with a reset.
    Reset,
    /// Sends nothing more and keeps the connection until the client closes it.
    Hang,
}

/// What a handler answers.
#[derive(Clone, Debug)]
pub struct FakeResponse {
    steps: Vec<FakeStep>,
    keeps_alive: bool,
}

type Handler = Box<dyn Fn(&FakeRequest) -> FakeResponse + Send + Sync>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Recording {
    On,
    Off,
}

struct FakeState {
    handler: Handler,
    recording: Recording,
    requests: Mutex<Vec<FakeRequest>>,
    n_closed: AtomicUsize,
    n_bytes_sent: AtomicUsize,
}

impl FakeHttp {
    /// On a free port of this machine. Handlers may block: each runs on a thread of its own.
    ///
    /// # Panics
    ///
    /// If it cannot listen.
    pub fn start(handler: impl Fn(&FakeRequest) -> FakeResponse + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1:0", handler)
    }

    /// As [`FakeHttp::start`], but requests are not kept, which would take memory in long tests.
    ///
    /// # Panics
    ///
    /// If it cannot listen.
    pub fn unrecorded(
        handler: impl Fn(&FakeRequest) -> FakeResponse + Send + Sync + 'static,
    ) -> Self {
        Self::listen("127.0.0.1:0", Box::new(handler), Recording::Off)
    }

    /// Every request gets the same response.
    pub fn fixed(response: FakeResponse) -> Self {
        Self::start(move |_| response.clone())
    }

    /// Each request gets the next response, in the order of arrival; the last one stays.
    ///
    /// # Panics
    ///
    /// If it cannot listen, or at a request without any response.
    pub fn scripted(responses: Vec<FakeResponse>) -> Self {
        let next = AtomicUsize::new(0);
        Self::start(move |_| {
            let number = next.fetch_add(1, Ordering::SeqCst);
            responses[number.min(responses.len() - 1)].clone()
        })
    }

    /// # Panics
    ///
    /// If it cannot listen there.
    pub fn start_at(
        address: &str,
        handler: impl Fn(&FakeRequest) -> FakeResponse + Send + Sync + 'static,
    ) -> Self {
        Self::listen(address, Box::new(handler), Recording::On)
    }

    #[expect(clippy::unwrap_used, reason = "a test cannot go on without its server")]
    fn listen(address: &str, handler: Handler, recording: Recording) -> Self {
        let listener = std::net::TcpListener::bind(address).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(FakeState {
            handler,
            recording,
            requests: Mutex::default(),
            n_closed: AtomicUsize::new(0),
            n_bytes_sent: AtomicUsize::new(0),
        });
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let serving = state.clone();
        std::thread::spawn(move || {
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener).unwrap();
                tokio::select! {
                    () = accept(listener, serving) => {}
                    _ = stopped => {}
                }
            });
            // Handlers that block do not keep the test from ending.
            runtime.shutdown_background();
        });
        Self { address, state, _stop: stop }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address with this path, which begins with a slash or is empty.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Every request so far, in the order of arrival.
    pub fn requests(&self) -> Vec<FakeRequest> {
        lock(&self.state.requests).clone()
    }

    pub fn n_requests(&self) -> usize {
        lock(&self.state.requests).len()
    }

    /// Everything that was received, as text.
    pub fn received(&self) -> String {
        lock(&self.state.requests).iter().map(FakeRequest::text).collect()
    }

    /// How many bytes of responses the connections have taken.
    pub fn n_bytes_sent(&self) -> usize {
        self.state.n_bytes_sent.load(Ordering::SeqCst)
    }

    /// How many connections have ended.
    pub fn n_closed(&self) -> usize {
        self.state.n_closed.load(Ordering::SeqCst)
    }
}

impl FakeResponse {
    /// A response whose length is announced; the connection stays open for the next request.
    pub fn new(status: u16, content_type: &str, body: impl AsRef<[u8]>) -> Self {
        Self::with_headers(status, &[("content-type", content_type)], body)
    }

    pub fn json(body: &Value) -> Self {
        Self::new(200, "application/json", body.to_string())
    }

    pub fn text(body: impl AsRef<[u8]>) -> Self {
        Self::new(200, "text/plain", body)
    }

    pub fn redirect(status: u16, location: &str) -> Self {
        Self::with_headers(status, &[("location", location)], "")
    }

    pub fn with_headers(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut head = format!("HTTP/1.1 {status} Status\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        let bytes = [head.as_bytes(), b"\r\n", body].concat();
        Self { steps: vec![FakeStep::Send(bytes)], keeps_alive: true }
    }

    /// Anything: what is sent is not looked at, and the connection ends with it.
    pub fn steps(steps: impl IntoIterator<Item = FakeStep>) -> Self {
        Self { steps: steps.into_iter().collect(), keeps_alive: false }
    }

    /// These bytes, and the end of the connection.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self::steps([FakeStep::Send(bytes.into())])
    }

    /// No response, until the client closes the connection.
    pub fn silence() -> Self {
        Self::steps([FakeStep::Hang])
    }
}

async fn accept(listener: TcpListener, state: Arc<FakeState>) {
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        tokio::spawn(serve(stream, state.clone()));
    }
}

async fn serve(mut stream: TcpStream, state: Arc<FakeState>) {
    let mut reader = RequestReader::new();
    while let Some(request) = reader.next(&mut stream).await {
        if state.recording == Recording::On {
            lock(&state.requests).push(request.clone());
        }
        let handling = state.clone();
        let response = tokio::task::spawn_blocking(move || (handling.handler)(&request)).await;
        let Ok(response) = response else { break };
        if !send(&mut stream, response, &state.n_bytes_sent).await {
            break;
        }
    }
    let _ = stream.shutdown().await;
    drop(stream);
    state.n_closed.fetch_add(1, Ordering::SeqCst);
}

/// Whether the connection stays open.
async fn send(stream: &mut TcpStream, response: FakeResponse, n_sent: &AtomicUsize) -> bool {
    for step in response.steps {
        match step {
            FakeStep::Send(bytes) => {
                if !write(stream, &bytes, n_sent).await {
                    return false;
                }
            }
            FakeStep::Repeat(bytes, times) => {
                for _ in 0..times {
                    if !write(stream, &bytes, n_sent).await {
                        return false;
                    }
                }
            }
            FakeStep::Wait(time) => tokio::time::sleep(time).await,
            FakeStep::WaitFor(signal) => signal.notified().await,
            FakeStep::Reset => {
                // Without lingering, the client sees a reset and not an end.
                let _ = stream.set_zero_linger();
                return false;
            }
            FakeStep::Hang => {
                let mut rest = [0; 64];
                while stream.read(&mut rest).await.is_ok_and(|n_read| n_read > 0) {}
            }
        }
    }
    response.keeps_alive
}

async fn write(stream: &mut TcpStream, bytes: &[u8], n_sent: &AtomicUsize) -> bool {
    let is_sent = stream.write_all(bytes).await.is_ok();
    if is_sent {
        n_sent.fetch_add(bytes.len(), Ordering::SeqCst);
    }
    is_sent
}

#[cfg(test)]
mod tests {
    use super::{FakeHttp, FakeResponse};
    use serde_json::json;
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    /// Sends some bytes, and returns what comes until the connection ends.
    fn exchange(server: &FakeHttp, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn requests_of_one_connection_are_answered_in_turn_and_recorded() {
        let server = FakeHttp::start(|request| FakeResponse::json(&json!(request.path)));
        let two =
            b"POST /a HTTP/1.1\r\nX-Key: k\r\nContent-Length: 2\r\n\r\n{}GET /b HTTP/1.1\r\n\r\n";
        let text = exchange(&server, two);
        assert!(text.contains("\"/a\"HTTP/1.1 200") && text.ends_with("\"/b\""), "{text}");
        let requests = server.requests();
        assert_eq!([requests[0].summary(), requests[1].summary()], ["POST /a {}", "GET /b"]);
        assert_eq!(requests[0].header("x-key"), Some("k"));
    }

    #[test]
    fn responses_follow_the_script_and_the_last_one_stays() {
        let server =
            FakeHttp::scripted(vec![FakeResponse::raw("no HTTP"), FakeResponse::text("x")]);
        let get = || exchange(&server, b"GET / HTTP/1.1\r\n\r\n");
        assert_eq!(get(), "no HTTP");
        assert!(get().ends_with("\r\n\r\nx") && get().ends_with("\r\n\r\nx"));
    }

    #[test]
    fn bytes_that_are_no_http_are_recorded_too() {
        let server = FakeHttp::fixed(FakeResponse::text("x"));
        exchange(&server, b"\x16\x03\x01secret");
        assert!(server.received().contains("secret"));
    }
}
