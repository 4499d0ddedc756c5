//! HTTP with server-sent events, as servers of revision 2024-11-05 speak it: one stream that brings
//! everything, and an address of its choice that requests are posted to.

use super::http::McpHttp;
use super::limits::CONNECT_TIMEOUT;
use super::message::{GivenUp, MessageGuard};
use super::pipe::{Inbox, Outlet, PipeTransport};
use bytes::Bytes;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use node_api::http::{HttpBody, HttpBodyStream};
use node_api::mcp::McpError;
use sse_stream::{Sse, SseStream};
use std::sync::Arc;
use url::Url;

type Events = futures::stream::BoxStream<'static, Result<Sse, sse_stream::Error>>;

/// Opens the stream and learns where requests go.
pub(super) async fn connect(http: McpHttp, url: &str) -> Result<PipeTransport, McpError> {
    let guard = http.guard().clone();
    let server = guard.server().clone();
    let mut request = http.request("GET", url, CONNECT_TIMEOUT);
    request.set_header("Accept", "text/event-stream");
    let response = http.open(request).await.map_err(|error| McpError::Http { error })?;
    match response.status {
        200 => {}
        401 | 403 => return Err(McpError::Unauthorized { server }),
        status => {
            let reason = format!("HTTP {status} for the event stream").into();
            return Err(McpError::Connect { server, reason });
        }
    }
    // Redirects may have led elsewhere at the same host.
    let base = response.url.clone();
    let mut events = events(response.body);
    let address = post_address(&mut events, &base, &guard).await;
    let Some(address) = address else {
        let reason = "the event stream names no address of its own server to post to".into();
        return Err(guard.failure().unwrap_or(McpError::Protocol { server, reason }));
    };
    let outlet = Arc::new(Post { http, address });
    Ok(PipeTransport::new(guard, outlet, |inbox| read(events, inbox)))
}

fn events(body: HttpBodyStream) -> Events {
    SseStream::from_bytes_stream(body).boxed()
}

/// What the event `endpoint` says, if it is at the same server.
async fn post_address(events: &mut Events, base: &str, guard: &MessageGuard) -> Option<String> {
    let base = Url::parse(base).ok()?;
    while let Some(Ok(event)) = events.next().await {
        let data = event.data.unwrap_or_default();
        guard.admit(data.as_bytes()).ok()?;
        if event.event.as_deref() == Some("endpoint") {
            let address = base.join(data.trim()).ok()?;
            return (address.origin() == base.origin()).then(|| address.to_string());
        }
    }
    None
}

async fn read(mut events: Events, inbox: Inbox) {
    while let Some(Ok(event)) = events.next().await {
        let is_message = event.event.as_deref().is_none_or(|name| name == "message");
        let data = event.data.unwrap_or_default();
        if is_message && !data.is_empty() && inbox.take(data.as_bytes()).await.is_err() {
            return;
        }
    }
}

struct Post {
    http: McpHttp,
    address: String,
}

impl Outlet for Post {
    fn send(&self, text: Bytes) -> BoxFuture<'_, Result<(), GivenUp>> {
        Box::pin(async move {
            let guard = self.http.guard();
            let mut request = self.http.request("POST", &self.address, CONNECT_TIMEOUT);
            request.set_header("Content-Type", "application/json");
            request.body = HttpBody::Bytes(text);
            let response = self.http.open(request).await;
            let response = response.map_err(|error| guard.fail(McpError::Http { error }))?;
            let server = guard.server().clone();
            match response.status {
                200..300 => Ok(()),
                401 | 403 => Err(guard.fail(McpError::Unauthorized { server })),
                status => {
                    let reason = format!("HTTP {status} for a message").into();
                    Err(guard.fail(McpError::Connect { server, reason }))
                }
            }
        })
    }
}
