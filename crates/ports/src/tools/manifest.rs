//! What a manifest declares, and what is wrong with it.

use super::{RegisteredTool, ToolOrigin};
use model::{Code, Str};

/// Something in a manifest that cannot be used. The tool that it is about is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestFinding {
    pub line: usize,
    pub column: usize,
    /// The tool, or the part of the manifest.
    pub place: Str,
    pub code: Code,
    pub problem: Str,
}

impl ManifestFinding {
    /// About a whole file.
    pub fn of_file(problem: &str) -> Self {
        Self {
            line: 1,
            column: 1,
            place: Str::new(),
            code: Code::TOOL_MANIFEST,
            problem: problem.into(),
        }
    }
}

impl std::fmt::Display for ManifestFinding {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, column, place, problem, .. } = self;
        match place.is_empty() {
            true => write!(out, "line {line}, column {column}: {problem}"),
            false => write!(out, "line {line}, column {column}: {place}: {problem}"),
        }
    }
}

/// What a manifest declares.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    pub tools: Vec<RegisteredTool>,
    pub findings: Vec<ManifestFinding>,
}

/// Reads manifests, and knows the operator's files of them. Implemented by `heddle`; called by
/// `runtime`.
pub trait ManifestSource: Send + Sync {
    /// The operator's files, if any of them has changed since they were asked for.
    fn changed_files(&self) -> Option<Vec<ManifestFile>>;
    fn read(&self, text: &str, origin: ToolOrigin) -> Manifest;
}

/// A file with a manifest, or why it could not be read.
#[derive(Clone, Debug)]
pub struct ManifestFile {
    pub name: Str,
    pub text: Result<String, String>,
}

/// There are no manifests: for tests.
pub struct NoManifests;

impl ManifestSource for NoManifests {
    fn changed_files(&self) -> Option<Vec<ManifestFile>> {
        None
    }

    fn read(&self, _: &str, _: ToolOrigin) -> Manifest {
        Manifest::default()
    }
}
