//! `heddle mcp`: the MCP server of an instance on standard input and output, for assistants that
//! start their servers themselves.

mod bridge;
mod messages;

use super::local_server::{TemporaryKey, server_address};
use super::{block_on, serve, with_code};
use crate::cli;
use crate::logs;
use crate::settings::Settings;
use crate::wiring;
use anyhow::{Context as _, Result};
use bridge::{Bridge, McpTarget};
use std::path::Path;
use std::process::ExitCode;
use tokio::sync::oneshot;

/// Where the key of a server elsewhere is read from.
const KEY_VARIABLE: &str = "HEDDLE_MCP_KEY";

/// How long the key lives that lets us talk to the server of a data folder.
const KEY_LIFETIME_MS: i64 = 30 * 24 * 60 * 60 * 1000;

pub(super) fn run(arguments: &cli::McpArgs) -> Result<ExitCode> {
    if let Some(url) = &arguments.url {
        let key = std::env::var(KEY_VARIABLE).ok().filter(|key| !key.is_empty());
        let key = key.with_context(|| {
            format!("set {KEY_VARIABLE} to an API key of the server (ACCESS_DENIED)")
        })?;
        let target = McpTarget::new(url, &key)?;
        return block_on(Bridge::new(target).run())?;
    }
    let folder = arguments.data.path();
    match server_address(&folder)? {
        Some(address) => block_on(connect(&folder, &address, &arguments.scope))?,
        None => serve_folder(arguments),
    }
}

/// Speaks with a server on this machine, with a key that is gone afterwards.
async fn connect(folder: &Path, address: &str, scopes: &[String]) -> Result<ExitCode> {
    let store = wiring::open_store(folder).map_err(with_code)?;
    let label = "heddle mcp";
    let key = TemporaryKey::create(&*store, label, scopes, KEY_LIFETIME_MS).await?;
    let ended = Bridge::new(McpTarget::new(address, &key.secret)?).run().await;
    key.delete(&*store).await?;
    ended
}

/// Serves the folder until the client disconnects.
fn serve_folder(arguments: &cli::McpArgs) -> Result<ExitCode> {
    let mut settings = Settings::load()?;
    let serving = &mut settings.server;
    serving.host = std::net::Ipv4Addr::LOCALHOST.into();
    serving.port = 0;
    serving.base_url = None;
    // Standard output belongs to the protocol; the log goes to standard error.
    logs::start(serving);
    let options =
        cli::ServeArgs { data: arguments.data.clone(), no_open: true, ..Default::default() };
    let folder = arguments.data.path();
    let scopes = arguments.scope.clone();
    block_on(async move {
        let (ready, address) = oneshot::channel::<String>();
        let (done, asked) = oneshot::channel::<()>();
        let bridging = async move {
            // If the server does not start, it says why itself.
            let Ok(address) = address.await else { return Ok(ExitCode::SUCCESS) };
            let ended = connect(&folder, &address, &scopes).await;
            drop(done);
            ended
        };
        let serving = serve::serve_until(&options, &settings, Some(ready), async move {
            // Nobody sends anything: it ends with whoever speaks for the client.
            drop(asked.await);
        });
        let (served, ended) = tokio::join!(serving, bridging);
        served.and(ended)
    })?
}
