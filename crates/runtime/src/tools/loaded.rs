//! The tools in force, put together from files and registered manifests.

use model::{Code, Str};
use node_api::tool_name;
use node_api::tools::{Manifest, ManifestFinding, RegisteredTool, ToolOrigin};
use std::collections::HashMap;
use std::sync::Arc;
use store::tool_manifests::StoredToolManifest;

/// Tools of all manifests together.
pub const MAX_TOOLS: usize = 10_000;

/// What is in force.
#[derive(Clone, Debug, Default)]
pub struct LoadedTools {
    /// By name.
    pub tools: Vec<Arc<RegisteredTool>>,
    pub manifests: Vec<LoadedManifest>,
}

/// A manifest, and how it is doing.
#[derive(Clone, Debug)]
pub struct LoadedManifest {
    /// The operator's file, or the name under which it was registered.
    pub name: Str,
    /// The project that it was registered for.
    pub project: Option<Str>,
    pub version: i64,
    pub changed_by: Str,
    pub changed_ms: i64,
    pub n_tools: usize,
    pub findings: Vec<ManifestFinding>,
    /// The file has errors; the tools are those of its last good text.
    pub is_stale: bool,
}

/// A file, and the tools of its last good text.
pub(super) struct FileState {
    pub(super) name: Str,
    tools: Vec<Arc<RegisteredTool>>,
    findings: Vec<ManifestFinding>,
    is_stale: bool,
}

impl FileState {
    /// What a file has become, from what it was. A first text with errors gives what it can.
    pub(super) fn follow(before: Option<Self>, name: Str, manifest: Manifest) -> Self {
        let Manifest { tools, findings } = manifest;
        match before.filter(|before| !findings.is_empty() && !before.tools.is_empty()) {
            Some(before) => Self { findings, is_stale: true, ..before },
            None => Self {
                name,
                tools: tools.into_iter().map(Arc::new).collect(),
                findings,
                is_stale: false,
            },
        }
    }
}

/// Who sees a name: everybody, or a project.
type Scope = Option<Str>;

pub(super) fn combine(
    files: &[FileState],
    stored: &[(StoredToolManifest, Manifest)],
) -> LoadedTools {
    let mut loaded = LoadedTools::default();
    // By the name that a model sees.
    let mut names: HashMap<(Scope, Str), Str> = HashMap::new();
    for file in files {
        let manifest = LoadedManifest {
            name: file.name.clone(),
            project: None,
            version: 0,
            changed_by: Str::new(),
            changed_ms: 0,
            n_tools: 0,
            findings: file.findings.clone(),
            is_stale: file.is_stale,
        };
        add(&mut loaded, &mut names, manifest, &file.tools);
    }
    for (stored, Manifest { tools, findings }) in stored {
        let manifest = LoadedManifest {
            name: stored.name.clone(),
            project: Some(stored.project.clone()),
            version: stored.version,
            changed_by: stored.changed_by.clone(),
            changed_ms: stored.changed_ms,
            n_tools: 0,
            findings: findings.clone(),
            is_stale: false,
        };
        let tools: Vec<_> = tools.iter().cloned().map(Arc::new).collect();
        add(&mut loaded, &mut names, manifest, &tools);
    }
    loaded.tools.sort_by(|one, other| one.name.cmp(&other.name));
    loaded
}

/// Adds the tools of a manifest whose names are free.
fn add(
    loaded: &mut LoadedTools,
    names: &mut HashMap<(Scope, Str), Str>,
    mut manifest: LoadedManifest,
    tools: &[Arc<RegisteredTool>],
) {
    for tool in tools {
        let seen = tool_name(&tool.name);
        let scope: Scope = match &tool.origin {
            ToolOrigin::File(_) => None,
            ToolOrigin::Project { project, .. } => Some(project.clone()),
        };
        let known = names.get(&(None, seen.clone()));
        let known = known.or_else(|| names.get(&(scope.clone(), seen.clone())));
        let problem = match known {
            Some(other) => {
                Some((Code::TOOL_TAKEN, format!("the name is taken by the manifest '{other}'")))
            }
            None if loaded.tools.len() >= MAX_TOOLS => Some((
                Code::TOOL_MANIFEST,
                format!("there are more than {MAX_TOOLS} registered tools (MAX_TOOLS)"),
            )),
            None => None,
        };
        if let Some((code, problem)) = problem {
            let place = tool.name.clone();
            let problem = problem.into();
            manifest.findings.push(ManifestFinding { line: 1, column: 1, place, code, problem });
            if code == Code::TOOL_MANIFEST {
                break;
            }
            continue;
        }
        names.insert((scope, seen), manifest.name.clone());
        manifest.n_tools += 1;
        loaded.tools.push(tool.clone());
    }
    loaded.manifests.push(manifest);
}
