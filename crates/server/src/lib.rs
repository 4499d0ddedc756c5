//! The HTTP face: webhooks, forms, the API and live events. Translates; decides nothing.
//!
//! Invariant: [`routes::PUBLIC`] names every path that needs no principal; all others do.
//! Invariant: no request holds memory or time beyond a named limit.

mod access;
mod answer;
mod api;
mod body;
mod error;
mod events;
mod form;
mod health;
mod metrics;
mod observe;
mod routes;
mod webhook;

pub use access::{first_start, passwords};
pub use body::BodyLimits;

use model::Str;
use runtime::Runtime;
use std::net::SocketAddr;
use std::sync::Arc;
use store::Sqlite;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// What handlers share. Cheap to clone.
#[derive(Clone)]
pub struct App {
    pub runtime: Arc<Runtime>,
    pub store: Sqlite,
    pub body_limits: BodyLimits,
    /// Where callers reach this instance.
    pub base_url: Str,
}

/// Answers requests until it is told to stop; requests under way are finished.
pub async fn serve(listener: TcpListener, app: App, stop: CancellationToken) -> std::io::Result<()> {
    let service = routes::router(app).into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, service).with_graceful_shutdown(stop.cancelled_owned()).await
}
