//! The operator's tool manifests: `tools.yaml` in the data folder and the files in `tools`.

use formats::tools::{MAX_MANIFEST_BYTES, ManifestContext};
use node_api::tools::{Manifest, ManifestFile, ManifestSource, ToolOrigin, ToolRegistry};
use node_api::{Registry, tool_name};
use runtime::tools::ToolManifests;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// The names that a manifest may have in the data folder.
const FILES: [&str; 3] = ["tools.yaml", "tools.yml", "tools.json"];
/// The folder of further manifests. API descriptions that they refer to are in folders within it.
const FOLDER: &str = "tools";
/// Files beyond these are not read.
const MAX_FILES: usize = 200;
/// Folders within the folder, and how deep they are looked at for changes.
const MAX_DEPTH: usize = 3;

/// The manifests of a data folder, followed as they change.
pub(crate) fn from_folder(folder: &Path, registry: Arc<Registry>) -> Arc<dyn ManifestSource> {
    Arc::new(ToolFiles { folder: folder.to_owned(), registry, seen: Mutex::default() })
}

/// The same for a run of the command line.
pub(crate) fn for_command(folder: &Path, registry: &Arc<Registry>) -> Arc<dyn ToolRegistry> {
    let source = from_folder(folder, registry.clone());
    ToolManifests::of_files(source, store::projects::PERSONAL)
}

struct ToolFiles {
    folder: PathBuf,
    registry: Arc<Registry>,
    seen: Mutex<Option<Vec<Stamp>>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Stamp {
    path: PathBuf,
    modified: Option<SystemTime>,
    bytes: u64,
}

impl ManifestSource for ToolFiles {
    fn changed_files(&self) -> Option<Vec<ManifestFile>> {
        let found = self.stamps();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // Nothing was there and nothing is.
        if seen.as_ref() == Some(&found) || (seen.is_none() && found.is_empty()) {
            return None;
        }
        let manifests = found.iter().filter(|stamp| self.is_manifest(&stamp.path));
        let files = manifests.map(|stamp| ManifestFile {
            name: self.shown(&stamp.path).into(),
            text: read(&stamp.path, MAX_MANIFEST_BYTES),
        });
        let files = files.collect();
        *seen = Some(found);
        Some(files)
    }

    fn read(&self, text: &str, origin: ToolOrigin) -> Manifest {
        let is_file = matches!(origin, ToolOrigin::File(_));
        let load = |file: &str| match is_file {
            true => self.load(file),
            false => Err("may only be used in the operator's files; use 'document'".to_owned()),
        };
        let context = ManifestContext {
            origin,
            load: &load,
            check_schema: &nodes::ai::schema_problem,
            node_version: &|type_name, version| node_version(&self.registry, type_name, version),
        };
        formats::tools::read(text, &context)
    }
}

impl ToolFiles {
    /// All files that a change may be in, sorted.
    fn stamps(&self) -> Vec<Stamp> {
        let mut found = Vec::new();
        for name in FILES {
            add_file(&mut found, self.folder.join(name));
        }
        add_folder(&mut found, &self.folder.join(FOLDER), MAX_DEPTH);
        found.sort_by(|one, other| one.path.cmp(&other.path));
        found.truncate(MAX_FILES);
        found
    }

    /// A manifest is in the data folder or in the folder of manifests itself.
    fn is_manifest(&self, path: &Path) -> bool {
        let parent = path.parent();
        parent == Some(&*self.folder) || parent == Some(&*self.folder.join(FOLDER))
    }

    fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.folder).unwrap_or(path).to_string_lossy().into_owned()
    }

    /// The text of a file in the folder of manifests.
    fn load(&self, file: &str) -> Result<String, String> {
        let path = Path::new(file);
        let is_within = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_within || file.is_empty() {
            return Err(format!("must be the path of a file within the folder '{FOLDER}'"));
        }
        let folder = self.folder.join(FOLDER);
        let full = folder.join(path);
        let (real, root) = (full.canonicalize(), folder.canonicalize());
        match (real, root) {
            (Ok(real), Ok(root)) if real.starts_with(&root) => {
                read(&real, formats::openapi::MAX_DOCUMENT_BYTES)
            }
            (Ok(_), _) => Err(format!("leads out of the folder '{FOLDER}'")),
            (Err(error), _) => Err(format!("cannot be read: {error}")),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the operator's files, beside the database")]
fn add_folder(found: &mut Vec<Stamp>, folder: &Path, depth: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().take(MAX_FILES) {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 1 => add_folder(found, &path, depth - 1),
            Ok(kind) if kind.is_dir() => {}
            Ok(_) => add_file(found, path),
            Err(_) => {}
        }
    }
}

/// Adds a file that may be a manifest or an API description.
fn add_file(found: &mut Vec<Stamp>, path: PathBuf) {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if !["yaml", "yml", "json"].contains(&ending) {
        return;
    }
    if let Ok(data) = std::fs::metadata(&path)
        && data.is_file()
    {
        found.push(Stamp { path, modified: data.modified().ok(), bytes: data.len() });
    }
}

#[expect(clippy::disallowed_types, reason = "the operator's files, beside the database")]
fn read(path: &Path, limit: usize) -> Result<String, String> {
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    // One byte more, so that whoever reads the text sees that it is too long.
    file.take(limit as u64 + 1)
        .read_to_string(&mut text)
        .map_err(|error| format!("cannot be read: {error}"))?;
    Ok(text)
}

/// The version of a node that may be a tool, or why it may not.
fn node_version(registry: &Registry, type_name: &str, version: Option<f64>) -> Result<f64, String> {
    let shown: String = type_name.chars().take(100).collect();
    let types = registry.of_type(type_name);
    let newest = types.iter().map(|found| found.spec.newest_version()).reduce(f64::max);
    let Some(newest) = newest else { return Err(format!("'{shown}' is no known node type")) };
    let version = version.unwrap_or(newest);
    match registry.find(type_name, version) {
        None => Err(format!("'{shown}' has no version {version}; the newest is {newest}")),
        Some(found) if !found.can_be_a_tool() => {
            Err(format!("'{shown}' cannot be called as a tool; use a node with input and output"))
        }
        Some(_) => Ok(version),
    }
}

/// The name under which a model sees a tool.
pub(crate) fn model_name(name: &str) -> model::Str {
    tool_name(name)
}
