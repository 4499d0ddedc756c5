//! The HTTP face: webhooks, forms, the API and live events. Translates; decides nothing.
//!
//! Invariant: [`routes::PUBLIC`] names every path that needs no principal; all others do.
//! Invariant: no request holds memory or time beyond a named limit.

mod access;
mod answer;
mod api;
mod body;
mod chat;
mod error;
mod events;
mod form;
mod gate;
mod health;
mod metrics;
mod observe;
mod openai;
mod routes;
mod webhook;
mod welcome;

pub use access::{first_start, passwords};
pub use body::{BodyLimits, Probed, ReadXml, probe as probe_body};
pub use gate::GateLimits;

use model::Str;
use node_api::collections::Librarian;
use routes::Answering;
use runtime::Runtime;
use std::sync::Arc;
use store::Sqlite;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// What handlers share. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// What the server is made of.
pub struct Parts {
    pub runtime: Arc<Runtime>,
    pub store: Sqlite,
    pub body_limits: BodyLimits,
    pub gate_limits: GateLimits,
    /// The reader of XML that workflows use.
    pub read_xml: ReadXml,
    /// What reads files into collections and embeds them.
    pub librarian: Arc<dyn Librarian>,
    /// The type of the node that asks an embeddings node for vectors.
    pub embedding_asker: &'static str,
    /// Where callers reach this instance.
    pub base_url: Str,
}

impl From<Parts> for App {
    fn from(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// Answers requests until it is told to stop; requests under way are finished.
pub async fn serve(listener: TcpListener, parts: Parts, stop: CancellationToken) -> std::io::Result<()> {
    let app = App::from(parts);
    let gate = gate::Gate::new(app.gate_limits.clone());
    gate::serve(listener, Answering::new(app), gate, stop).await;
    Ok(())
}
