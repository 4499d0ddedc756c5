//! What is kept of tool manifests that are registered at run time.

use crate::Error;
use model::Str;

/// Manifests of one project.
pub const MAX_PROJECT_MANIFESTS: i64 = 100;

#[async_trait::async_trait]
pub trait ToolManifestStore: Send + Sync {
    /// A number that grows with every change of a manifest.
    async fn tool_manifest_changes(&self) -> Result<i64, Error>;
    /// All manifests, by project and name.
    async fn tool_manifests(&self) -> Result<Vec<StoredToolManifest>, Error>;
    /// Adds a manifest, or replaces the version that was seen (0: there is none).
    async fn set_tool_manifest(
        &self,
        manifest: StoredToolManifest,
        seen: i64,
    ) -> Result<SetToolManifest, Error>;
    /// `false` if there is none.
    async fn delete_tool_manifest(&self, project: &str, name: &str) -> Result<bool, Error>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredToolManifest {
    pub project: Str,
    pub name: Str,
    pub version: i64,
    pub text: Str,
    pub changed_by: Str,
    pub changed_ms: i64,
}

/// What became of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetToolManifest {
    Done {
        version: i64,
    },
    /// Another version is there than the one that was seen.
    Changed,
    /// The project has as many as it may.
    Full,
}
