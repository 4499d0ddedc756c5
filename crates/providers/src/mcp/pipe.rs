//! A transport of two pipes: messages that a task of ours reads, and a way to send.

use super::message::{GivenUp, MessageGuard};
use bytes::Bytes;
use futures::future::BoxFuture;
use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use std::future::Future;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

/// Messages that are read and not yet taken.
const MAX_WAITING: usize = 64;

/// Sends a message as text.
pub(super) trait Outlet: Send + Sync + 'static {
    fn send(&self, text: Bytes) -> BoxFuture<'_, Result<(), GivenUp>>;
}

/// Where the reading task puts what it reads.
pub(super) struct Inbox {
    guard: MessageGuard,
    messages: mpsc::Sender<ServerJsonRpcMessage>,
}

pub(super) struct PipeTransport {
    guard: MessageGuard,
    outlet: Option<Arc<dyn Outlet>>,
    messages: mpsc::Receiver<ServerJsonRpcMessage>,
    reader: AbortHandle,
    /// The request that finds out what the server speaks. A server that is slow to start answers it
    /// when the handshake has begun, and the answer counts no more.
    discovery: Option<RequestId>,
    is_legacy: bool,
}

impl PipeTransport {
    /// `read` feeds the inbox until there is nothing more.
    pub(super) fn new<F, Reading>(guard: MessageGuard, outlet: Arc<dyn Outlet>, read: F) -> Self
    where
        F: FnOnce(Inbox) -> Reading,
        Reading: Future<Output = ()> + Send + 'static,
    {
        let (sender, messages) = mpsc::channel(MAX_WAITING);
        let reading = read(Inbox { guard: guard.clone(), messages: sender });
        let reader = tokio::spawn(reading).abort_handle();
        Self { guard, outlet: Some(outlet), messages, reader, discovery: None, is_legacy: false }
    }
}

impl Inbox {
    /// Takes a text. Says whether it was a message, or why no more is to be read.
    pub(super) async fn take(&self, text: &[u8]) -> Result<bool, GivenUp> {
        let Some(message) = self.guard.read(text)? else { return Ok(false) };
        self.messages.send(message).await.map_err(|_| GivenUp)?;
        Ok(true)
    }

    pub(super) fn broken(&self, reason: &'static str) {
        self.guard.broken(reason);
    }
}

impl Transport<RoleClient> for PipeTransport {
    type Error = GivenUp;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), GivenUp>> + Send + 'static {
        if let ClientJsonRpcMessage::Request(request) = &message {
            match &request.request {
                ClientRequest::DiscoverRequest(_) => self.discovery = Some(request.id.clone()),
                ClientRequest::InitializeRequest(_) => self.is_legacy = true,
                _ => {}
            }
        }
        let (guard, outlet) = (self.guard.clone(), self.outlet.clone());
        async move {
            let outlet = outlet.ok_or(GivenUp)?;
            let text = serde_json::to_vec(&message)
                .map_err(|error| guard.broken(format!("a message cannot be written: {error}")))?;
            guard.sent();
            outlet.send(text.into()).await
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = self.messages.recv().await?;
            let answered = match &message {
                JsonRpcMessage::Response(response) => Some(&response.id),
                JsonRpcMessage::Error(error) => error.id.as_ref(),
                _ => None,
            };
            if !self.is_legacy || answered.is_none() || answered != self.discovery.as_ref() {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), GivenUp> {
        self.outlet = None;
        self.reader.abort();
        Ok(())
    }
}

impl Drop for PipeTransport {
    fn drop(&mut self) {
        self.reader.abort();
    }
}
