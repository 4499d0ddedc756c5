//! Registered tools and their manifests.

use super::{Count, Id, Json, JsonObject, Nullable, Text, Timestamp};
use node_api::tools::{ManifestFinding, RegisteredTool as Tool, ToolAction, ToolOrigin};
use runtime::tools::LoadedManifest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest text of a manifest.
pub(crate) const MAX_MANIFEST_BYTES: usize = formats::tools::MAX_MANIFEST_BYTES;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolQuery {
    pub(crate) project_id: String,
}

/// A tool that a manifest declares.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RegisteredTool<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    /// `http`, `node` or `mcp`.
    pub(crate) kind: &'static str,
    /// What it calls: method and host, type of the node, or name of the server's tool.
    pub(crate) target: String,
    /// `read`, `write`, `send` or `spend`, if the manifest says so.
    pub(crate) effect: Option<&'static str>,
    /// JSON Schema of the arguments; none if the node or the server says it.
    pub(crate) input: Option<Json>,
    /// JSON Schema of the answer.
    pub(crate) output: Option<Json>,
    /// The operator's file, or the name of the registered manifest.
    pub(crate) manifest: &'a str,
    /// The project of a registered manifest.
    pub(crate) project_id: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RegisteredToolList<'a> {
    pub(crate) data: Vec<RegisteredTool<'a>>,
    pub(crate) manifests: Vec<ToolManifest<'a>>,
}

/// A manifest, and how it is doing.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolManifest<'a> {
    pub(crate) name: &'a str,
    /// None for the operator's files.
    pub(crate) project_id: Option<&'a str>,
    pub(crate) version: u64,
    pub(crate) changed_by: &'a str,
    pub(crate) changed_at: Option<Timestamp>,
    pub(crate) tool_count: usize,
    pub(crate) findings: Vec<ToolFinding>,
    /// The file has errors; its last good text is in force.
    pub(crate) is_stale: bool,
}

/// Something in a manifest that cannot be used.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolFinding {
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// The tool, or the part of the manifest.
    pub(crate) place: String,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ToolManifestCheckInput {
    pub(crate) project_id: Id,
    /// YAML or JSON.
    pub(crate) text: Text<0, MAX_MANIFEST_BYTES>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolManifestCheck {
    /// Names of the tools that can be used.
    pub(crate) tools: Vec<String>,
    pub(crate) findings: Vec<ToolFinding>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ToolManifestInput {
    pub(crate) project_id: Id,
    /// YAML or JSON.
    pub(crate) text: Text<0, MAX_MANIFEST_BYTES>,
    /// The version that was changed; 0 for a new manifest.
    pub(crate) version: Count,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ToolCallInput {
    pub(crate) project_id: Id,
    /// The workflow whose credentials are used; without one, none are.
    #[serde(default)]
    pub(crate) workflow_id: Nullable<Id>,
    pub(crate) arguments: JsonObject,
}

/// What a call gave.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolCallResult {
    pub(crate) ok: bool,
    pub(crate) output: Option<Json>,
    pub(crate) error: Option<ToolCallError>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolCallError {
    pub(crate) code: &'static str,
    /// In words for a model.
    pub(crate) message: String,
}

impl<'a> From<&'a Tool> for RegisteredTool<'a> {
    fn from(tool: &'a Tool) -> Self {
        let (manifest, project_id) = match &tool.origin {
            ToolOrigin::File(file) => (file.as_str(), None),
            ToolOrigin::Project { project, manifest } => {
                (manifest.as_str(), Some(project.as_str()))
            }
        };
        let target = match &tool.action {
            ToolAction::Http(http) => format!("{} {}", http.method, http.origin),
            ToolAction::Node(call) => call.type_name.to_string(),
            ToolAction::Mcp(call) => call.tool.to_string(),
        };
        Self {
            name: &tool.name,
            description: &tool.description,
            kind: tool.action.kind(),
            target,
            effect: tool.effect.map(node_api::policy::SideEffect::name),
            input: tool.input.clone().map(Json),
            output: tool.output.clone().map(Json),
            manifest,
            project_id,
        }
    }
}

impl<'a> From<&'a LoadedManifest> for ToolManifest<'a> {
    fn from(manifest: &'a LoadedManifest) -> Self {
        Self {
            name: &manifest.name,
            project_id: manifest.project.as_deref(),
            version: manifest.version.max(0) as u64,
            changed_by: &manifest.changed_by,
            changed_at: manifest.project.is_some().then_some(Timestamp(manifest.changed_ms)),
            tool_count: manifest.n_tools,
            findings: manifest.findings.iter().map(Into::into).collect(),
            is_stale: manifest.is_stale,
        }
    }
}

impl From<&ManifestFinding> for ToolFinding {
    fn from(finding: &ManifestFinding) -> Self {
        Self {
            line: finding.line,
            column: finding.column,
            place: finding.place.to_string(),
            code: finding.code.name(),
            message: finding.problem.to_string(),
        }
    }
}
