//! The MCP servers of this process: the operator's `mcp.json` in the data folder, and the way to the
//! servers that it names.

use crate::settings::Settings;
use crate::wiring;
use node_api::http::Http;
use node_api::mcp::{McpError, McpPinState, McpPins, McpScope, McpServers, McpToolDefinition};
use providers::http::{EgressPolicy, GuardedHttp};
use providers::mcp::{ConfigSource, Servers};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;
use store::Store;

/// The file in the data folder.
const FILE: &str = "mcp.json";
/// A larger one is not the operator's.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The servers of a data folder.
pub(crate) fn from_folder(
    folder: &Path,
    settings: &Settings,
    pins: Arc<dyn McpPins>,
) -> Arc<dyn McpServers> {
    let source = McpFile { path: folder.join(FILE), read: Mutex::default() };
    let allowed = settings.egress_allow.clone();
    // The operator has named the server, so it may be private.
    let http = move |url: &url::Url| -> Result<Arc<dyn Http>, String> {
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().unwrap_or_default();
        let policy = EgressPolicy::parse(&format!("{allowed},{host}:{port}"))
            .map_err(|error| error.to_string())?;
        Ok(Arc::new(GuardedHttp::new(policy)))
    };
    Arc::new(Servers::new(Box::new(source), Box::new(http), pins))
}

/// Reads the file again when its time or size has changed.
struct McpFile {
    path: PathBuf,
    read: Mutex<Option<Stamp>>,
}

#[derive(Clone, Copy, Default, PartialEq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

impl ConfigSource for McpFile {
    #[expect(
        clippy::disallowed_types,
        reason = "the operator's list of servers, beside the database"
    )]
    fn changed_text(&self) -> Option<String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = match std::fs::metadata(&self.path) {
            Ok(found) => Stamp { modified: found.modified().ok(), bytes: found.len() },
            Err(_) => Stamp::default(),
        };
        if *read == Some(stamp) {
            return None;
        }
        *read = Some(stamp);
        if stamp == Stamp::default() {
            return Some(String::new());
        }
        let mut text = String::new();
        let file = std::fs::File::open(&self.path);
        let done = file.and_then(|file| file.take(MAX_FILE_BYTES).read_to_string(&mut text));
        if let Err(error) = done {
            tracing::error!(path = %self.path.display(), %error, code = "MCP_CONFIG", "mcp.json could not be read.");
            return Some(String::new());
        }
        Some(text)
    }
}

/// The pinned definitions of a data folder, for runs from the command line: the folder is opened
/// when a server is first asked. Where there is none, nothing is pinned.
pub(crate) struct FolderPins {
    folder: PathBuf,
    scope: McpScope,
    opened: Arc<OnceLock<Option<Arc<dyn Store>>>>,
}

impl FolderPins {
    pub(crate) fn new(folder: PathBuf) -> Self {
        let scope = McpScope::Project(store::projects::PERSONAL.into());
        Self { folder, scope, opened: Arc::default() }
    }
}

#[async_trait::async_trait]
impl McpPins for FolderPins {
    fn scoped_to(&self, scope: McpScope) -> Option<Arc<dyn McpPins>> {
        Some(Arc::new(Self { folder: self.folder.clone(), scope, opened: self.opened.clone() }))
    }

    async fn compare(
        &self,
        server: &str,
        listed: Vec<McpToolDefinition>,
    ) -> Result<Vec<McpPinState>, McpError> {
        let failed = |error: &store::Error| McpError::Store {
            code: error.code(),
            message: error.to_string().into(),
        };
        if self.opened.get().is_none() {
            let there = self.folder.join("heddle.db").exists();
            let store = match there {
                true => Some(wiring::open_store(&self.folder).map_err(|error| failed(&error))?),
                false => None,
            };
            // Whoever was first has opened the same folder.
            let _ = self.opened.set(store);
        }
        let pins = self.opened.get().and_then(Option::as_ref);
        let pins = pins.and_then(|store| McpPins::scoped_to(&**store, self.scope.clone()));
        match pins {
            Some(pins) => pins.compare(server, listed).await,
            None => Ok(vec![McpPinState::Approved; listed.len()]),
        }
    }
}
