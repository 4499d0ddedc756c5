//! Waits for a run on behalf of a client: tells how far it is, and stops it when nobody wants it.

use super::handler::McpRequest;
use crate::App;
use crate::error::ApiError;
use model::{Code, RunEvent, Str};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use runtime::mcp::{ToolRun, ToolRunEnd};
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

/// How often a client hears how far a run is.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

/// The end of a run. A client that cancels its request ends the run with it.
pub(super) async fn wait(
    app: &App,
    run: ToolRun,
    request: &McpRequest,
) -> Result<ToolRunEnd, ApiError> {
    let id = run.id();
    let token = request.context.meta.get_progress_token();
    let telling = async {
        match token {
            Some(token) => tell(app, id, token, &request.context.peer).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        end = run.end() => Ok(end?),
        () = request.context.ct.cancelled() => {
            Err(ApiError::new(Code::RUN_CANCELLED, format!("Execution {id} was cancelled")))
        }
        () = telling => Err(ApiError::new(Code::OVERLOAD, "The server is shutting down")),
    }
}

/// Tells how many steps a run has done, until it is dropped.
async fn tell(app: &App, id: i64, token: ProgressToken, peer: &Peer<RoleServer>) {
    let mut events = app.runtime.recorder.subscribe();
    let run_id = Str::from(id.to_string());
    let (mut n_steps, mut current) = (0_u64, Str::new());
    let began = Instant::now();
    let mut next = began + PROGRESS_INTERVAL;
    let mut told = 0.0;
    loop {
        match tokio::time::timeout_at(next, events.recv()).await {
            Ok(Ok(live)) if live.run_id == run_id => match live.event {
                RunEvent::NodeStarted { node, .. } => current = node,
                RunEvent::NodeFinished { .. } => n_steps += 1,
                _ => {}
            },
            Ok(Ok(_) | Err(RecvError::Lagged(_))) => {}
            // No run is watched any more.
            Ok(Err(RecvError::Closed)) => return std::future::pending().await,
            Err(_) => {
                next = Instant::now() + PROGRESS_INTERVAL;
                let seconds = began.elapsed().as_secs();
                // It has to grow each time.
                told = f64::max(told + 1.0, n_steps as f64);
                let message = match current.is_empty() {
                    true => format!("Running for {seconds} s"),
                    false => format!("{n_steps} steps done, at '{current}' for {seconds} s"),
                };
                let progress =
                    ProgressNotificationParam::new(token.clone(), told).with_message(message);
                if peer.notify_progress(progress).await.is_err() {
                    return std::future::pending().await;
                }
            }
        }
    }
}
