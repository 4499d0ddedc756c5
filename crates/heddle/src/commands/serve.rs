//! `heddle serve`: the server.

#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "starts the browser")]
mod browser;

use super::block_on;
use crate::allocator;
use crate::cli;
use crate::conversations;
use crate::credentials::StoredCredentials;
use crate::logs::{self, announce};
use crate::model_packages::PipPackages;
use crate::settings::{LogFormat, ServerSettings, Settings};
use crate::terminal::eprint_line;
use crate::tool_files;
use crate::traces::Traces;
use crate::wiring::{self, ServedFolder};
use anyhow::{Context as _, Result};
use runtime::{Runtime, RuntimeOptions};
use server::BodyLimits;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use store::ProjectFolders;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// How long runs may take to end once we are asked to stop; the others go on after the next start.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(30);

/// How many addresses are shown at the start.
const MAX_SHOWN_ADDRESSES: usize = 5;

pub(super) fn run(arguments: &cli::ServeArgs) -> Result<ExitCode> {
    allocator::purge_soon();
    let mut settings = Settings::load()?;
    let serving = &mut settings.server;
    serving.host = arguments.host.unwrap_or(serving.host);
    serving.port = arguments.port.unwrap_or(serving.port);
    let given = arguments.base_url.as_deref().map(|url| url.trim_end_matches('/').to_owned());
    serving.base_url = given.or(serving.base_url.take());
    logs::start(serving);
    block_on(serve_until(arguments, &settings, None, std::future::pending()))?
}

/// Serves until somebody asks the process to stop, or `end` is ready. `ready` is told the address.
pub(super) async fn serve_until(
    arguments: &cli::ServeArgs,
    settings: &Settings,
    ready: Option<oneshot::Sender<String>>,
    end: impl Future<Output = ()>,
) -> Result<ExitCode> {
    let asked = asked_to_stop().context("signal handlers could not be installed")?;
    let serving = &settings.server;
    let folder = arguments.data.path();
    wiring::check_files_root(settings, &folder)?;
    store::keep_new_files_private();
    let served = ServedFolder::open(&folder, settings)
        .with_context(|| format!("the data folder {} cannot be used", folder.display()))?;
    let store = served.store();
    #[expect(clippy::disallowed_methods, reason = "the only listener")]
    let listener = TcpListener::bind(SocketAddr::new(serving.host, serving.port))
        .await
        .with_context(|| format!("could not listen on {}:{}", serving.host, serving.port))?;
    let address = listener.local_addr().context("the listener has no address")?;
    match served.announce(&format!("http://{}", reachable_address(address))) {
        // Other commands on this machine do not find us then; that is no reason not to serve.
        Err(error) if error.may_pass() => {
            tracing::warn!(%error, "Could not save the server's address.")
        }
        other => other?,
    }
    let urls = serving.urls(address)?;
    let (base_url, webhook_base) = (urls.base.clone(), urls.webhook_base().clone());
    let mut engine = wiring::engine(settings)?;
    let options = RuntimeOptions {
        run: wiring::run_options(settings),
        limits: settings.run_limits,
        catch_up: settings.catch_up,
        spending: settings.spending,
        keep: settings.retention,
        base_url: webhook_base.clone(),
        manifests: tool_files::from_folder(&folder, engine.registry.clone()),
    };
    engine.ports.credentials = Arc::new(StoredCredentials(store.clone()));
    engine.ports.files = Arc::new(ProjectFolders::new(&settings.files_root, store.clone()));
    engine.ports.tables = store.clone();
    engine.ports.collections = store.clone();
    engine.ports.long_term_memory = store.clone();
    engine.ports.mcp = crate::mcp_servers::from_folder(&folder, settings, store.clone());
    // An error in the operator's file is logged now, not when a workflow needs a server.
    let _ = engine.ports.mcp.configured().await;
    engine.ports.conversations = conversations::from_store(&store, &engine.ports.conversations);
    let ingestor = Arc::new(nodes::ai::knowledge::NodeIngestor::new(
        engine.ports.http.clone(),
        engine.ports.local_models.clone(),
        engine.registry.credentials.clone(),
    ));
    let runtime = Runtime::start(engine, store.clone(), options).await?;
    let traces = match Traces::start(&runtime.recorder, &store).await {
        Ok(traces) => traces,
        Err(error) => {
            // What was resumed meanwhile did not end the process.
            runtime.stop(Duration::ZERO).await;
            return Err(error);
        }
    };
    announce(
        serving,
        &format!(
            "Heddle listens on {base_url} (active workflows: {}, data in {})",
            runtime.n_active(),
            folder.display()
        ),
    );
    let pages = runtime.chat_pages();
    for (method, path) in runtime
        .addresses()
        .iter()
        .filter(|(_, path)| !pages.contains(path))
        .take(MAX_SHOWN_ADDRESSES)
    {
        announce(serving, &format!("  curl -X {method} {webhook_base}/webhook/{path}"));
    }
    for path in pages.iter().take(MAX_SHOWN_ADDRESSES) {
        announce(serving, &format!("  chat in your browser: {webhook_base}/webhook/{path}"));
    }
    let link = setup_link(serving, &*store, &base_url).await?;
    let stop = CancellationToken::new();
    let parts = server::ServerParts {
        runtime: runtime.clone(),
        store,
        body_limits: BodyLimits { bytes: settings.max_body, ..BodyLimits::default() },
        admission_limits: settings.admission_limits.clone(),
        read_xml: nodes::text::read_xml_request,
        request_form: nodes::http::http_request_parameters,
        ingestor,
        model_packages: Arc::new(PipPackages::new(settings.models.clone())),
        egress_allow: wiring::egress_policy(settings)?.allowed().to_vec(),
        embedding_caller: nodes::EMBED_TEXTS,
        tool_supplier: nodes::TOOL_REGISTRY,
        base_url,
        webhook_url: urls.webhooks,
        hosts: urls.hosts,
        remote_setup: serving.remote_setup,
        oidc: wiring::oidc(settings)?,
        editor: server::EDITOR,
    };
    let answering = tokio::spawn(server::serve(listener, parts, stop.clone()));
    if let Some(ready) = ready {
        // Whoever wanted to know may have gone.
        drop(ready.send(format!("http://{}", reachable_address(address))));
    }
    let is_opened = serving.open_browser && !arguments.no_open;
    let _page = link.filter(|_| is_opened).and_then(|link| browser::open(&link));
    tokio::select! {
        () = asked => {}
        () = end => {}
    }
    announce(
        serving,
        "Shutting down: new work is rejected; running executions finish now or resume after the \
             next start.",
    );
    runtime.stop(SHUTDOWN_TIMEOUT).await;
    stop.cancel();
    // Connections that are kept open without a request do not hold us.
    let _ = tokio::time::timeout(Duration::from_secs(5), answering).await;
    if let Some(traces) = traces {
        traces.finish(Duration::from_secs(5)).await;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints how the first owner is created, as long as there is none. Gives back the link if it was
/// printed.
async fn setup_link(
    serving: &ServerSettings,
    store: &dyn store::Store,
    base_url: &str,
) -> Result<Option<String>> {
    let token = match server::create_setup_token(store).await {
        Err(error) if error.may_pass() => {
            let line = format!(
                "There may be no owner yet, and the setup token could not be written: {error}."
            );
            announce(serving, &line);
            return Ok(None);
        }
        other => other?,
    };
    let Some(token) = token else { return Ok(None) };
    if serving.log_format == LogFormat::Json {
        // A log that is collected is no place for a secret.
        announce(
            serving,
            "There is no owner yet. Create one with `heddle users create EMAIL --role owner`.",
        );
        return Ok(None);
    }
    let link = format!("{base_url}/setup#token={token}");
    eprint_line("There is no owner yet. Open this single-use link to create the owner account:");
    eprint_line(&format!("  {link}"));
    if !serving.host.is_loopback() && !serving.remote_setup {
        eprint_line(
            "It works only from this machine. Set HEDDLE_REMOTE_SETUP=1 to open it from elsewhere.",
        );
    }
    Ok(Some(link))
}

/// Where this machine reaches a server that listens on all of its addresses.
fn reachable_address(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => {
            SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port())
        }
        IpAddr::V6(ip) if ip.is_unspecified() => {
            SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port())
        }
        _ => address,
    }
}

/// Takes note from now on of being asked to stop; ready once that has happened.
#[cfg(unix)]
pub(super) fn asked_to_stop() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupted, mut terminated) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

/// Ready once somebody asks to stop.
#[cfg(not(unix))]
pub(super) fn asked_to_stop() -> std::io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
