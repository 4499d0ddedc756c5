//! The HTTP face: webhooks, forms, the API and live events. Translates; decides nothing.
//!
//! Invariant: [`routes::PUBLIC`] names every path that needs no principal; all others do.
//! Invariant: no request holds memory or time beyond a named limit.

mod access;
mod answer;
mod api;
mod body;
mod cached;
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
mod web;
mod webhook;
mod welcome;

pub use access::{first_start, passwords};
pub use body::{BodyLimits, Probed, ReadXml, probe as probe_body};
pub use gate::GateLimits;
pub use web::{EDITOR, WebFile};

use api::Catalogue;
use model::Str;
use node_api::collections::Librarian;
use routes::Answering;
use runtime::Runtime;
use std::sync::{Arc, OnceLock};
use store::Sqlite;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// What handlers share. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Shared>);

struct Shared {
    parts: Parts,
    started_ms: i64,
    /// The descriptions of all nodes, made when somebody first asks for them.
    catalogue: OnceLock<Catalogue>,
}

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
    /// The files of the editor: [`EDITOR`], unless a test brings its own.
    pub editor: &'static [WebFile],
}

impl From<Parts> for App {
    fn from(parts: Parts) -> Self {
        let started_ms = parts.runtime.engine.ports.clock.now_ms();
        Self(Arc::new(Shared { parts, started_ms, catalogue: OnceLock::new() }))
    }
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0.parts
    }
}

impl App {
    /// When this process began to answer.
    pub(crate) fn started_ms(&self) -> i64 {
        self.0.started_ms
    }

    /// The place of the descriptions of all nodes.
    pub(crate) fn catalogue(&self) -> &OnceLock<Catalogue> {
        &self.0.catalogue
    }
}

/// Answers requests until it is told to stop; requests under way are finished.
pub async fn serve(listener: TcpListener, parts: Parts, stop: CancellationToken) -> std::io::Result<()> {
    let app = App::from(parts);
    let gate = gate::Gate::new(app.gate_limits.clone());
    gate::serve(listener, Answering::new(app), gate, stop).await;
    Ok(())
}
