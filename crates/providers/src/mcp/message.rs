//! Reads messages of a server within limits, and keeps why a connection failed.

use super::limits::{MAX_MESSAGE_BYTES, MAX_MESSAGE_MEMORY, MAX_UNASKED_MESSAGES};
use model::{Str, memory_estimate};
use node_api::mcp::McpError;
use rmcp::model::ServerJsonRpcMessage;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Watches what one server sends. The first failure is kept: what the client library makes of it
/// says less.
#[derive(Clone)]
pub(super) struct MessageGuard {
    inner: Arc<GuardState>,
}

struct GuardState {
    server: Str,
    /// Messages that the server may still send before we send one.
    allowance: AtomicI64,
    failure: Mutex<Option<McpError>>,
}

/// The connection is given up; the guard says why.
#[derive(Debug, thiserror::Error)]
#[error("the connection was given up")]
pub(super) struct GivenUp;

impl MessageGuard {
    pub(super) fn new(server: Str) -> Self {
        let state = GuardState {
            server,
            allowance: AtomicI64::new(MAX_UNASKED_MESSAGES),
            failure: Mutex::new(None),
        };
        Self { inner: Arc::new(state) }
    }

    pub(super) fn server(&self) -> &Str {
        &self.inner.server
    }

    /// Notes why the connection is of no more use. The first reason stays.
    pub(super) fn fail(&self, error: McpError) -> GivenUp {
        let mut failure = self.inner.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        GivenUp
    }

    pub(super) fn failure(&self) -> Option<McpError> {
        self.inner.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The failure of one request, after which others may do better.
    pub(super) fn take_failure(&self) -> Option<McpError> {
        self.inner.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn over(&self, what: &'static str, limit: usize) -> GivenUp {
        self.fail(McpError::Limit { server: self.server().clone(), what, limit })
    }

    pub(super) fn broken(&self, reason: impl Into<Str>) -> GivenUp {
        self.fail(McpError::Protocol { server: self.server().clone(), reason: reason.into() })
    }

    /// We have sent something: the server may answer.
    pub(super) fn sent(&self) {
        self.inner.allowance.store(MAX_UNASKED_MESSAGES, Ordering::Relaxed);
    }

    /// Counts a message and checks that reading it takes no more memory than it may.
    pub(super) fn admit(&self, text: &[u8]) -> Result<(), GivenUp> {
        if self.inner.allowance.fetch_sub(1, Ordering::Relaxed) <= 0 {
            return Err(self.over("messages nobody asked for", MAX_UNASKED_MESSAGES as usize));
        }
        if text.len() > MAX_MESSAGE_BYTES {
            return Err(self.over("bytes of one message", MAX_MESSAGE_BYTES));
        }
        if text.len() > compute::LARGE_BYTES {
            let Ok(text) = std::str::from_utf8(text) else {
                return Err(self.broken("a message is not UTF-8"));
            };
            if memory_estimate::estimate_json(text) > MAX_MESSAGE_MEMORY {
                return Err(self.over("memory of one message", MAX_MESSAGE_MEMORY));
            }
        }
        Ok(())
    }

    /// The message in a text; `None` if it is none.
    pub(super) fn read(&self, text: &[u8]) -> Result<Option<ServerJsonRpcMessage>, GivenUp> {
        self.admit(text)?;
        Ok(parse(text).ok())
    }
}

/// Reads a message that was admitted. The reader of the library refuses deep nesting.
#[expect(
    clippy::disallowed_methods,
    reason = "messages are the library's types; their memory is bounded before they are read"
)]
pub(super) fn parse(text: &[u8]) -> Result<ServerJsonRpcMessage, serde_json::Error> {
    serde_json::from_slice(text)
}
