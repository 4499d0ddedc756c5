//! `heddle serve`: the server.

use super::block_on;
use crate::cli;
use crate::credentials::StoredCredentials;
use crate::settings::Settings;
use crate::terminal::note;
use crate::world;
use anyhow::{Context as _, Result};
use runtime::{Options, RunLimits, Runtime};
use server::{App, BodyLimits};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use store::{Sqlite, Use};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// How long runs may take to end once we are asked to stop; the others go on after the next start.
const PATIENCE: Duration = Duration::from_secs(30);

/// How many addresses are shown at the start.
const SHOWN: usize = 5;

pub(super) fn run(arguments: &cli::Serve) -> Result<ExitCode> {
    let settings = Settings::load()?;
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::try_from_env("HEDDLE_LOG").unwrap_or_else(|_| "info".into()))
        .with_writer(std::io::stderr)
        .init();
    block_on(serve(arguments, &settings))?
}

async fn serve(arguments: &cli::Serve, settings: &Settings) -> Result<ExitCode> {
    let folder = arguments.data.path();
    let store = Sqlite::open(&folder, Use::Serve).with_context(|| format!("the data folder {} cannot be used", folder.display()))?;
    let store = store.with_table_limits(settings.table_limits());
    let listener = TcpListener::bind(SocketAddr::new(arguments.host, arguments.port))
        .await
        .with_context(|| format!("{}:{} cannot be listened on", arguments.host, arguments.port))?;
    let address = listener.local_addr().context("the listener has no address")?;
    let base_url = arguments.base_url.clone().unwrap_or_else(|| format!("http://{address}"));
    let base_url: model::Str = base_url.trim_end_matches('/').into();
    let options = Options {
        run: world::run_options(settings),
        limits: RunLimits::default(),
        catch_up: settings.catch_up,
        keep: settings.retention,
        base_url: base_url.clone(),
    };
    let mut engine = world::engine(settings)?;
    engine.ports.credentials = Arc::new(StoredCredentials(store.clone()));
    engine.ports.tables = Arc::new(store.clone());
    let runtime = Runtime::start(engine, Arc::new(store.clone()), options).await?;
    note(&format!("Heddle listens on {base_url} (active workflows: {}, data in {})", runtime.n_active(), folder.display()));
    for (method, path) in runtime.addresses().iter().take(SHOWN) {
        note(&format!("  curl -X {method} {base_url}/webhook/{path}"));
    }
    if let Some(token) = server::first_start(&store).await? {
        note("There is no owner yet. Make one with this token, which works once, and a password of your own:");
        let body = format!(r#"{{"token":"{token}","email":"you@example.com","password":"…"}}"#);
        note(&format!("  curl -X POST {base_url}/api/setup -H 'content-type: application/json' -d '{body}'"));
    }
    let stop = CancellationToken::new();
    let app =
        App { runtime: runtime.clone(), store, body_limits: BodyLimits { bytes: settings.max_body, ..BodyLimits::default() }, base_url };
    let serving = tokio::spawn(server::serve(listener, app, stop.clone()));
    asked_to_stop().await;
    note("Stopping: no new work is taken; runs under way are finished or go on after the next start.");
    runtime.stop(PATIENCE).await;
    stop.cancel();
    // Connections that are kept open without a request do not hold us.
    let _ = tokio::time::timeout(Duration::from_secs(5), serving).await;
    Ok(ExitCode::SUCCESS)
}

async fn asked_to_stop() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        if let Ok(mut terminated) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}
