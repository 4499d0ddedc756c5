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
mod gate;
mod health;
mod metrics;
mod observe;
mod routes;
mod webhook;
mod welcome;

pub use access::{first_start, passwords};
pub use body::{BodyLimits, Probed, ReadXml, probe as probe_body};
pub use gate::GateLimits;

use model::Str;
use runtime::Runtime;
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
    pub gate_limits: GateLimits,
    /// The reader of XML that workflows use.
    pub read_xml: ReadXml,
    /// Where callers reach this instance.
    pub base_url: Str,
}

/// Answers requests until it is told to stop; requests under way are finished.
pub async fn serve(listener: TcpListener, app: App, stop: CancellationToken) -> std::io::Result<()> {
    let gate = gate::Gate::new(app.gate_limits.clone());
    gate::serve(listener, routes::router(app), gate, stop).await;
    Ok(())
}
