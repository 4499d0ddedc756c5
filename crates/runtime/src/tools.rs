//! The registered tools of this instance: read from the operator's files and the store, and followed
//! as they change.
//!
//! Invariant: a file that cannot be used leaves the tools of its last good text in place. Invariant: a
//! tool of the operator's files cannot be replaced by one that a project registers.

mod call;
mod loaded;

pub use call::{ProjectTools, call};
pub use loaded::{LoadedManifest, LoadedTools, MAX_TOOLS};

use crate::policy::counters::Window;
use crate::{Error, Runtime, lock};
use loaded::{FileState, combine};
use model::{Code, Str};
use node_api::NodeError;
use node_api::policy::RateExceeded;
use node_api::tools::{
    Manifest, ManifestFinding, ManifestSource, RegisteredTool, ToolOrigin, ToolRegistry,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::Store;
use store::tool_manifests::{MAX_PROJECT_MANIFESTS, SetToolManifest, StoredToolManifest};
use tokio::sync::watch;

/// How often changes of files and of other processes are looked for.
const REFRESH_INTERVAL: Duration = Duration::from_millis(500);

/// Letters of the name of a manifest.
pub const MAX_MANIFEST_NAME: usize = 64;

/// Why a manifest cannot be registered or removed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ToolManifestError {
    #[error("{}", .findings.first().map(ToString::to_string).unwrap_or_default())]
    Invalid { findings: Vec<ManifestFinding> },
    #[error("a manifest's name has letters, digits, _, - and dots, at most {MAX_MANIFEST_NAME}")]
    Name,
    #[error("the tool '{tool}' is already declared by {other}")]
    Taken { tool: Str, other: Str },
    #[error("somebody else has changed the manifest meanwhile")]
    Changed,
    #[error("the project has {MAX_PROJECT_MANIFESTS} manifests (MAX_PROJECT_MANIFESTS)")]
    Full,
    #[error("there is no manifest '{name}'")]
    NotFound { name: Str },
    #[error(transparent)]
    Store(#[from] store::Error),
}

impl ToolManifestError {
    pub fn code(&self) -> Code {
        match self {
            ToolManifestError::Invalid { findings } => {
                findings.first().map_or(Code::TOOL_MANIFEST, |finding| finding.code)
            }
            ToolManifestError::Name | ToolManifestError::Full => Code::TOOL_MANIFEST,
            ToolManifestError::Taken { .. } => Code::TOOL_TAKEN,
            ToolManifestError::Changed => Code::TOOL_CHANGED,
            ToolManifestError::NotFound { .. } => Code::TOOL_NOT_FOUND,
            ToolManifestError::Store(error) => error.code(),
        }
    }
}

/// The manifests of an instance.
pub struct ToolManifests {
    store: Option<Arc<dyn Store>>,
    source: Arc<dyn ManifestSource>,
    /// The project of workflows that are not stored; they belong to whoever runs them here.
    unstored_project: Option<Str>,
    state: Mutex<State>,
    current: watch::Sender<Arc<LoadedTools>>,
    windows: Mutex<HashMap<String, Window>>,
}

#[derive(Default)]
struct State {
    files: Vec<FileState>,
    stored: Vec<(StoredToolManifest, Manifest)>,
    /// What was seen of the store; -1 if nothing was.
    changes: i64,
}

impl ToolManifests {
    /// The manifests of a data folder.
    pub async fn open(
        store: Arc<dyn Store>,
        source: Arc<dyn ManifestSource>,
    ) -> Result<Arc<Self>, Error> {
        let manifests = Self::new(Some(store), source, None);
        manifests.refresh().await?;
        Ok(Arc::new(manifests))
    }

    /// The operator's files only, for runs of the command line: they belong to a project.
    pub fn of_files(source: Arc<dyn ManifestSource>, project: &str) -> Arc<Self> {
        let manifests = Self::new(None, source, Some(project.into()));
        manifests.refresh_files();
        Arc::new(manifests)
    }

    fn new(
        store: Option<Arc<dyn Store>>,
        source: Arc<dyn ManifestSource>,
        unstored_project: Option<Str>,
    ) -> Self {
        Self {
            store,
            source,
            unstored_project,
            state: Mutex::new(State { changes: -1, ..State::default() }),
            current: watch::channel(Arc::default()).0,
            windows: Mutex::default(),
        }
    }

    pub fn current(&self) -> Arc<LoadedTools> {
        self.current.borrow().clone()
    }

    /// Reads a text as a manifest of a project, without registering it.
    pub fn check(&self, project: &str, name: &str, text: &str) -> Manifest {
        self.source
            .read(text, ToolOrigin::Project { project: project.into(), manifest: name.into() })
    }

    /// Registers a manifest for a project, if all of it can be used and the version there is the one
    /// that was seen.
    pub async fn register(
        &self,
        project: &str,
        name: &str,
        text: &str,
        seen: i64,
        by: &str,
    ) -> Result<i64, ToolManifestError> {
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        if name.is_empty() || name.len() > MAX_MANIFEST_NAME || !name.chars().all(fits) {
            return Err(ToolManifestError::Name);
        }
        let manifest = self.check(project, name, text);
        if !manifest.findings.is_empty() {
            return Err(ToolManifestError::Invalid { findings: manifest.findings });
        }
        self.check_taken(project, name, &manifest)?;
        let store = self.store()?;
        let stored = StoredToolManifest {
            project: project.into(),
            name: name.into(),
            version: 0,
            text: text.into(),
            changed_by: by.into(),
            changed_ms: 0,
        };
        match store.set_tool_manifest(stored, seen).await? {
            SetToolManifest::Done { version } => {
                self.refresh().await.map_err(store_error)?;
                Ok(version)
            }
            SetToolManifest::Changed => Err(ToolManifestError::Changed),
            SetToolManifest::Full => Err(ToolManifestError::Full),
        }
    }

    pub async fn unregister(&self, project: &str, name: &str) -> Result<(), ToolManifestError> {
        match self.store()?.delete_tool_manifest(project, name).await? {
            true => self.refresh().await.map_err(store_error),
            false => Err(ToolManifestError::NotFound { name: name.into() }),
        }
    }

    fn check_taken(
        &self,
        project: &str,
        name: &str,
        manifest: &Manifest,
    ) -> Result<(), ToolManifestError> {
        let own = ToolOrigin::Project { project: project.into(), manifest: name.into() };
        let loaded = self.current();
        for tool in &manifest.tools {
            let wanted = node_api::tool_name(&tool.name);
            let mut others = loaded.tools.iter().filter(|other| match &other.origin {
                ToolOrigin::File(_) => true,
                ToolOrigin::Project { project: of, .. } => of == project && other.origin != own,
            });
            if let Some(other) = others.find(|other| node_api::tool_name(&other.name) == wanted) {
                let other = match &other.origin {
                    ToolOrigin::File(file) => format!("the operator's file {file}"),
                    ToolOrigin::Project { manifest, .. } => format!("the manifest '{manifest}'"),
                };
                let tool = tool.name.clone();
                return Err(ToolManifestError::Taken { tool, other: other.into() });
            }
        }
        Ok(())
    }

    fn store(&self) -> Result<&Arc<dyn Store>, ToolManifestError> {
        self.store.as_ref().ok_or_else(|| ToolManifestError::NotFound { name: "store".into() })
    }

    /// Reads again what has changed.
    pub(crate) async fn refresh(&self) -> Result<(), Error> {
        if let Some(store) = &self.store {
            let changes = store.tool_manifest_changes().await?;
            if lock(&self.state).changes != changes {
                let stored = store.tool_manifests().await?;
                let read = stored.into_iter().map(|stored| {
                    let manifest = self.check(&stored.project, &stored.name, &stored.text);
                    (stored, manifest)
                });
                let read = read.collect();
                let mut state = lock(&self.state);
                (state.changes, state.stored) = (changes, read);
                self.install(&state);
            }
        }
        self.refresh_files();
        Ok(())
    }

    fn refresh_files(&self) {
        let Some(files) = self.source.changed_files() else { return };
        let read: Vec<_> = files
            .into_iter()
            .map(|file| {
                let manifest = match &file.text {
                    Ok(text) => self.source.read(text, ToolOrigin::File(file.name.clone())),
                    Err(problem) => Manifest {
                        tools: Vec::new(),
                        findings: vec![ManifestFinding::of_file(problem)],
                    },
                };
                (file.name, manifest)
            })
            .collect();
        let mut state = lock(&self.state);
        let mut known = std::mem::take(&mut state.files);
        state.files = read
            .into_iter()
            .map(|(name, manifest)| {
                let place = known.iter().position(|file| file.name == name);
                FileState::follow(place.map(|place| known.swap_remove(place)), name, manifest)
            })
            .collect();
        self.install(&state);
    }

    fn install(&self, state: &State) {
        let loaded = combine(&state.files, &state.stored);
        tracing::info!(tools = loaded.tools.len(), "The registered tools have changed.");
        for manifest in &loaded.manifests {
            for finding in &manifest.findings {
                tracing::error!(manifest = %manifest.name, %finding, code = finding.code.name(), "A tool manifest has an error.");
            }
        }
        self.current.send_replace(Arc::new(loaded));
    }
}

fn store_error(error: Error) -> ToolManifestError {
    match error {
        Error::Store(error) => ToolManifestError::Store(error),
        other => ToolManifestError::Invalid {
            findings: vec![ManifestFinding::of_file(&other.to_string())],
        },
    }
}

#[async_trait::async_trait]
impl ToolRegistry for ToolManifests {
    async fn tools_of_workflow(
        &self,
        workflow_id: &str,
    ) -> Result<Vec<Arc<RegisteredTool>>, NodeError> {
        let found = match &self.store {
            Some(store) => store
                .project_of_workflow(workflow_id)
                .map_err(|error| NodeError::new(error.code(), error.to_string()))?,
            None => None,
        };
        let project = found.map(Str::from).or_else(|| self.unstored_project.clone());
        let project = project.unwrap_or_default();
        let loaded = self.current();
        let tools = loaded.tools.iter().filter(|tool| tool.allows(&project, workflow_id));
        Ok(tools.cloned().collect())
    }

    fn count(&self, tool: &RegisteredTool, caller: &str, now_ms: i64) -> Result<(), RateExceeded> {
        let Some(limit) = tool.limit else { return Ok(()) };
        let caller: Str = if limit.per_workflow { caller.into() } else { Str::new() };
        let name = match &tool.origin {
            ToolOrigin::File(_) => tool.name.to_string(),
            ToolOrigin::Project { project, .. } => format!("{project} {}", tool.name),
        };
        let mut windows = lock(&self.windows);
        let window = windows.entry(name).or_default();
        match window.room(&caller, limit.calls, limit.window_ms, now_ms) {
            Ok(()) => {
                window.add(caller);
                Ok(())
            }
            Err(retry_after_ms) => {
                let seconds = limit.window_ms / 1000;
                let limit = format!("{} calls in {seconds} s", limit.calls).into();
                Err(RateExceeded { limit, retry_after_ms })
            }
        }
    }
}

impl Runtime {
    /// Follows changes of the tool manifests.
    pub(crate) async fn watch_tools(self: Arc<Self>) {
        loop {
            tokio::select! {
                () = self.stopping.cancelled() => return,
                () = tokio::time::sleep(REFRESH_INTERVAL) => {}
            }
            if let Err(error) = self.tools.refresh().await {
                tracing::warn!(%error, "Could not look for changes of the tool manifests.");
            }
        }
    }
}

#[cfg(test)]
mod tests;
