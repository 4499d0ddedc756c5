//! Reads tool manifests: YAML or JSON that declares tools for agents.
//!
//! [`read`] gives the tools of a manifest and what is wrong with it, with lines and columns. It fetches
//! nothing: what a manifest refers to comes from its [`ManifestContext`].

mod entry;
mod fields;
mod http;
mod located;
mod node;
mod openapi;
#[cfg(test)]
mod tests;

use fields::Fields;
use located::Located;
use model::{Code, Str, Value};
use ports::tools::ToolOrigin;
pub use ports::tools::{Manifest, ManifestFinding};
use std::collections::HashMap;

/// The JSON Schema of manifests, for completion in editors.
pub const MANIFEST_SCHEMA: &str = include_str!("tools/manifest.schema.json");

/// The largest manifest.
pub const MAX_MANIFEST_BYTES: usize = 4 << 20;
/// How deep its values may be nested.
pub const MAX_MANIFEST_DEPTH: usize = 48;
/// How many values it may have.
pub const MAX_MANIFEST_VALUES: usize = 200_000;
/// How many aliases it may have, and how many values they may repeat.
pub const MAX_MANIFEST_ALIASES: usize = 1_000;
pub const MAX_MANIFEST_REPEATED: usize = 20_000;
/// Tools of one manifest.
pub const MAX_MANIFEST_TOOLS: usize = 2_000;
/// Letters of a tool's name, its namespace included.
pub const MAX_TOOL_NAME: usize = 64;
/// Letters of a tool's description.
pub const MAX_TOOL_DESCRIPTION: usize = 4_000;
/// Bytes of one JSON Schema.
pub const MAX_TOOL_SCHEMA_BYTES: usize = 64 << 10;
/// The longest timeout of a tool, in seconds.
pub const MAX_TOOL_SECONDS: f64 = 3_600.0;
/// Further findings are left out.
pub const MAX_MANIFEST_FINDINGS: usize = 100;

/// What a manifest may refer to, as far as whoever reads it knows.
pub struct ManifestContext<'c> {
    pub origin: ToolOrigin,
    /// The text of a file beside the manifest.
    pub load: &'c dyn Fn(&str) -> Result<String, String>,
    /// Why a JSON Schema cannot be used, if it cannot.
    pub check_schema: &'c dyn Fn(&Value) -> Option<String>,
    /// Why a node cannot be a tool, if it cannot: its type, and its version if one is given. Gives the
    /// version to use.
    pub node_version: NodeVersion<'c>,
}

/// Looks up the version of a type of node.
pub type NodeVersion<'c> = &'c dyn Fn(&str, Option<f64>) -> Result<f64, String>;

/// Reads a manifest, a large one off the threads that serve connections.
pub fn read(text: &str, context: &ManifestContext<'_>) -> Manifest {
    compute::for_size(text.len(), || read_text(text, context)).unwrap_or_else(|busy| Manifest {
        findings: vec![ManifestFinding::of_file(&busy.to_string())],
        ..Manifest::default()
    })
}

fn read_text(text: &str, context: &ManifestContext<'_>) -> Manifest {
    let mut manifest = Manifest::default();
    match located::parse(text) {
        Ok(root) => read_root(&root, context, &mut manifest),
        Err(finding) => manifest.findings.push(finding),
    }
    manifest
}

fn read_root(root: &Located, context: &ManifestContext<'_>, manifest: &mut Manifest) {
    let listed = Fields::of(root, "").and_then(|top| {
        top.check_keys(&["version", "tools"])?;
        if top.number("version", 1.0, 1.0)?.is_none() {
            return Err(top.wrong("it needs 'version: 1'"));
        }
        top.list("tools")?.ok_or_else(|| top.wrong("it needs a list 'tools'"))
    });
    let listed = match listed {
        Ok(listed) => listed,
        Err(finding) => return manifest.findings.push(*finding),
    };
    // By the name that a model sees: letters that it does not, tell nothing apart.
    let mut names: HashMap<String, Str> = HashMap::new();
    for (at, entry) in listed.iter().enumerate() {
        let place = format!("tools[{at}]");
        let (found, problems) = entry::read(entry, &place, context);
        let room = MAX_MANIFEST_FINDINGS.saturating_sub(manifest.findings.len());
        manifest.findings.extend(problems.into_iter().take(room));
        for tool in found {
            let finding = |code, problem: String| ManifestFinding {
                line: entry.line,
                column: entry.column,
                place: tool.name.clone(),
                code,
                problem: problem.into(),
            };
            if manifest.tools.len() == MAX_MANIFEST_TOOLS {
                let problem = format!(
                    "the manifest has more than {MAX_MANIFEST_TOOLS} tools (MAX_MANIFEST_TOOLS)"
                );
                manifest.findings.push(finding(Code::TOOL_MANIFEST, problem));
                return;
            }
            if let Some(known) = names.insert(model_name(&tool.name), tool.name.clone()) {
                let problem = format!("the name is taken by '{known}'");
                manifest.findings.push(finding(Code::TOOL_TAKEN, problem));
                continue;
            }
            manifest.tools.push(tool);
        }
    }
}

/// The name under which a model sees a tool.
pub fn model_name(name: &str) -> String {
    name.replace('.', "_")
}
