//! Connections: taken up to a number, kept while they are used, and closed in peace when the server
//! stops.

use super::body::{BodyReservation, LimitedBody};
use super::{AdmissionControl, InFlight};
use crate::routes::RequestHandler;
use axum::body::Body;
use axum::http::{Request, Response};
use axum::response::IntoResponse;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;

/// How long we wait when the system gives us no further connection.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);

/// Callers beyond the limit that are told so at once; those beyond these are dropped.
const MAX_REJECTIONS: usize = 64;

/// What a caller beyond the limit is told, without reading what it wants.
const OVERLOAD_RESPONSE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-type: application/json\r\n\
content-length: 61\r\n\r\n{\"code\":\"OVERLOAD\",\"message\":\"Too many connections are open\"}";

/// How many headers are taken if nothing is said.
pub(super) const DEFAULT_MAX_HEADERS: usize = 100;

/// Files that connections leave to everything else.
#[cfg(unix)]
const RESERVED_FILES: u64 = 256;

/// Answers requests until it is told to stop; requests under way are finished.
pub(crate) async fn serve(
    listener: TcpListener,
    answering: RequestHandler,
    gate: Arc<AdmissionControl>,
    stop: CancellationToken,
) {
    let limits = &gate.limits;
    let slots = Arc::new(Semaphore::new(gate.capacity));
    let told = Arc::new(Semaphore::new(MAX_REJECTIONS));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_header_size(limits.header_bytes);
    // Any other number costs memory on the heap for each request.
    if limits.headers != DEFAULT_MAX_HEADERS {
        http.max_headers(limits.headers);
    }
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                if !is_connection_error(&error) {
                    tracing::warn!(%error, "Could not accept a connection; retrying.");
                    tokio::time::sleep(ACCEPT_BACKOFF).await;
                }
                continue;
            }
        };
        let slot = gate
            .connect(peer.ip())
            .and_then(|counted| Some((slots.clone().try_acquire_owned().ok()?, counted)));
        let Some(slot) = slot else {
            if let Ok(place) = told.clone().try_acquire_owned() {
                tokio::spawn(async move {
                    reject(stream).await;
                    drop(place);
                });
            }
            continue;
        };
        let _ = stream.set_nodelay(true);
        let io =
            TokioIo::new(StallTimeout { stream, stall_time: limits.stall_time, stalled: None });
        let door = ConnectionService { handler: answering.clone(), gate: gate.clone(), peer };
        let connection = graceful.watch(http.serve_connection(io, door));
        tokio::spawn(async move {
            // What goes wrong on a connection is its caller's business.
            let _ = connection.await;
            drop(slot);
        });
    }
    drop(listener);
    graceful.shutdown().await;
}

/// Each connection is a file; the system allows only so many, and more if it is asked.
#[cfg(unix)]
pub(super) fn room_for_connections() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if limit.current != limit.maximum && setrlimit(Resource::Nofile, raised).is_ok() {
        limit = getrlimit(Resource::Nofile);
    }
    let files = limit.current.unwrap_or(u64::MAX);
    let room = files.saturating_sub(RESERVED_FILES).max(files / 2).max(1);
    usize::try_from(room).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS)
}

#[cfg(not(unix))]
pub(super) fn room_for_connections() -> usize {
    Semaphore::MAX_PERMITS
}

fn is_connection_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

/// Says no. What the caller still sends is read for a moment, so that the answer is not lost with
/// the connection.
async fn reject(mut stream: TcpStream) {
    let _ = tokio::time::timeout(Duration::from_secs(1), async {
        stream.write_all(OVERLOAD_RESPONSE).await?;
        stream.shutdown().await?;
        let mut rest = [0; 4096];
        while stream.read(&mut rest).await? > 0 {}
        io::Result::Ok(())
    })
    .await;
}

/// What answers the requests of one connection.
struct ConnectionService {
    handler: RequestHandler,
    gate: Arc<AdmissionControl>,
    peer: SocketAddr,
}

impl hyper::service::Service<Request<Incoming>> for ConnectionService {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let client = self.gate.client(self.peer.ip(), request.headers());
        let place: Option<InFlight> = match self.gate.enter(client, request.uri().path()) {
            Ok(place) => place,
            Err(error) => return Box::pin(std::future::ready(Ok(error.into_response()))),
        };
        let received = BodyReservation::new(self.gate.clone(), client);
        let mut request = request
            .map(|body| Body::new(LimitedBody::new(body, self.gate.clone(), received.clone())));
        request.extensions_mut().insert(received);
        let answering = self.handler.clone();
        Box::pin(async move {
            let answer = answering.handle(request, client).await;
            drop(place);
            Ok(answer)
        })
    }
}

/// A stream that breaks off when the other side takes nothing for too long.
struct StallTimeout {
    stream: TcpStream,
    stall_time: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl StallTimeout {
    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.stalled = None;
            return polled;
        }
        let stall_time = self.stall_time;
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + stall_time)));
        match stalled.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for StallTimeout {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for StallTimeout {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.watch(cx, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.watch(cx, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        self.watch(cx, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
