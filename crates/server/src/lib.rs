//! The HTTP face: webhooks, forms, the API and live events. Translates; decides nothing.
//!
//! Invariant: [`entry_points`] names every way in and who may use it; nothing else is answered.
//! Invariant: no request holds memory or time beyond a named limit.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod access;
mod admission;
mod api;
mod body;
mod catalogue;
mod chat;
mod error;
mod events;
mod form;
mod health;
mod http_cache;
mod mcp;
#[expect(
    clippy::disallowed_methods,
    reason = "reads metrics of the current process from the system"
)]
mod metrics;
mod observe;
mod openai;
mod paced;
mod page_policy;
mod read_budget;
mod response;
mod routes;
mod trace_stream;
mod web;
mod webhook;
mod welcome;
mod wire;

pub use access::{KnownProvider, OidcProvider, create_setup_token, passwords};
pub use admission::{AdmissionLimits, AllowedHosts, AllowedHostsError};
pub use api::{RequestForm, api_schemas};
pub use body::{BodyLimits, ProbeResult, XmlReader, probe as probe_body};
pub use response::probe_response_headers;
pub use routes::{EntryPoint, RouteGuard, entry_points};
pub use web::{EDITOR, WebContent, WebFile};

use access::DeviceCookies;
use api::Previews;
use catalogue::Catalogue;
use model::Str;
use node_api::ai::ModelPackages;
use node_api::collections::Ingestor;
use read_budget::ReadBudget;
use routes::RequestHandler;
use runtime::Runtime;
use std::sync::Arc;
use store::Store;
use tokio::net::TcpListener;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

/// What handlers share. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<AppState>);

struct AppState {
    parts: ServerParts,
    started_ms: i64,
    /// What readers of executions share.
    read_budget: ReadBudget,
    catalogue: Catalogue,
    /// Signs the cookies of known devices; read when somebody first signs in.
    device_key: OnceCell<DeviceCookies>,
    previews: Previews,
}

/// What the server is made of.
pub struct ServerParts {
    pub runtime: Arc<Runtime>,
    pub store: Arc<dyn Store>,
    pub body_limits: BodyLimits,
    pub admission_limits: AdmissionLimits,
    /// The reader of XML that workflows use.
    pub read_xml: XmlReader,
    /// The form of the node that makes the requests of imported APIs.
    pub request_form: RequestForm,
    /// What reads files into collections and embeds them.
    pub ingestor: Arc<dyn Ingestor>,
    /// What brings the built-in models to this machine.
    pub model_packages: Arc<dyn ModelPackages>,
    /// The private hosts that workflows may call, as the operator wrote them.
    pub egress_allow: Vec<String>,
    /// The type of the node that asks an embeddings node for vectors.
    pub embedding_caller: &'static str,
    /// The type of the node that gives registered tools to agents.
    pub tool_supplier: &'static str,
    /// Where people reach this instance.
    pub base_url: Str,
    /// Where callers reach webhooks, forms and chats, if they have an origin of their own.
    pub webhook_url: Option<Str>,
    /// The names under which both are reached.
    pub hosts: AllowedHosts,
    /// Whether the first owner can be made from another machine.
    pub remote_setup: bool,
    /// With whom people sign in beside their password.
    pub oidc: Option<OidcProvider>,
    /// The files of the editor: [`EDITOR`], unless a test brings its own.
    pub editor: &'static [WebFile],
}

impl From<ServerParts> for App {
    fn from(parts: ServerParts) -> Self {
        let started_ms = parts.runtime.engine.ports.clock.now_ms();
        let shared = AppState {
            parts,
            started_ms,
            read_budget: ReadBudget::default(),
            catalogue: Catalogue::default(),
            device_key: OnceCell::new(),
            previews: Previews::default(),
        };
        Self(Arc::new(shared))
    }
}

impl std::ops::Deref for App {
    type Target = ServerParts;

    fn deref(&self) -> &ServerParts {
        &self.0.parts
    }
}

impl App {
    /// When this process began to answer.
    pub(crate) fn started_ms(&self) -> i64 {
        self.0.started_ms
    }

    /// Where webhooks, forms and chats are reached.
    pub(crate) fn webhook_base(&self) -> &Str {
        self.webhook_url.as_ref().unwrap_or(&self.base_url)
    }

    /// Whether people reach this instance over an encrypted connection.
    pub(crate) fn is_secure(&self) -> bool {
        !self.base_url.starts_with("http://")
    }

    /// The place of the key that known devices are told by.
    pub(crate) fn device_key(&self) -> &OnceCell<DeviceCookies> {
        &self.0.device_key
    }

    /// What people have computed while they write.
    pub(crate) fn previews(&self) -> &Previews {
        &self.0.previews
    }

    /// What readers of executions share.
    pub(crate) fn read_budget(&self) -> &ReadBudget {
        &self.0.read_budget
    }

    pub(crate) fn catalogue(&self) -> &Catalogue {
        &self.0.catalogue
    }
}

/// Answers requests until it is told to stop; requests under way are finished.
pub async fn serve(
    listener: TcpListener,
    parts: ServerParts,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let app = App::from(parts);
    let gate = admission::AdmissionControl::new(app.admission_limits.clone());
    admission::serve(listener, RequestHandler::new(app, &stop), gate, stop).await;
    Ok(())
}
