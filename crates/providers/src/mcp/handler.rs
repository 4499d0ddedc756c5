//! Our side of a connection: hears progress and changes, and refuses what a server asks of us.

use node_api::mcp::{McpProgress, McpProgressSink};
use rmcp::model::{
    ClientCapabilities, ClientConfig, ErrorData, Implementation, ProgressNotificationParam,
    ProgressToken,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Letters of a progress message that are passed on.
const MAX_PROGRESS_CHARS: usize = 200;

#[derive(Clone, Default)]
pub(super) struct Handler {
    state: Arc<HandlerState>,
}

#[derive(Default)]
struct HandlerState {
    /// Who hears about the calls in progress.
    sinks: Mutex<HashMap<ProgressToken, McpProgressSink>>,
    /// Counts how often the server said that its tools are others now.
    tool_changes: AtomicU64,
}

/// Hears about one call, until it is dropped.
pub(super) struct ProgressListening {
    handler: Handler,
    token: ProgressToken,
}

impl Handler {
    pub(super) fn tool_changes(&self) -> u64 {
        self.state.tool_changes.load(Ordering::Acquire)
    }

    pub(super) fn listen(&self, token: ProgressToken, sink: McpProgressSink) -> ProgressListening {
        self.sinks().insert(token.clone(), sink);
        ProgressListening { handler: self.clone(), token }
    }

    fn sinks(&self) -> std::sync::MutexGuard<'_, HashMap<ProgressToken, McpProgressSink>> {
        self.state.sinks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ProgressListening {
    fn drop(&mut self) {
        self.handler.sinks().remove(&self.token);
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let implementation = Implementation::new("heddle", env!("CARGO_PKG_VERSION"));
        // Nothing is declared: no sampling, no elicitation, no roots.
        ClientConfig::new(ClientCapabilities::default(), implementation)
    }

    #[expect(deprecated, reason = "older servers ask, and are told why not")]
    async fn create_message(
        &self,
        _: rmcp::model::CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<rmcp::model::CreateMessageResult, ErrorData> {
        let words = "Sampling is not allowed: servers may not use the models of this instance";
        Err(ErrorData::invalid_request(words, None))
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let sink = self.sinks().get(&progress.progress_token).cloned();
        if let Some(sink) = sink {
            let message =
                progress.message.map(|message| super::text::line(&message, MAX_PROGRESS_CHARS));
            sink(McpProgress { done: progress.progress, total: progress.total, message });
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.state.tool_changes.fetch_add(1, Ordering::Release);
    }
}
