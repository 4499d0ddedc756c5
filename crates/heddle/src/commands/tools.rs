//! `heddle tools`: registered tools and their manifests, from the data folder.

mod call;

use super::block_on;
use crate::cli::{DataFolder, ToolsCommand};
use crate::terminal::table::{Cell, ListOutput, Table};
use crate::terminal::{eprint_line, print_line};
use crate::{tool_files, wiring};
use anyhow::{Context as _, Result};
use formats::tools::MAX_MANIFEST_BYTES;
use model::{Object, Str, Value};
use node_api::tools::{ManifestFinding, RegisteredTool, ToolAction, ToolOrigin};
use runtime::tools::{ToolManifestError, ToolManifests};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// Who has registered a manifest, when it was done here.
const COMMAND_LINE: &str = "command line";

pub(super) fn run(arguments: ToolsCommand) -> Result<ExitCode> {
    match arguments {
        ToolsCommand::List { data, output } => list(&*open(&data.path())?, output),
        ToolsCommand::Show { data, name } => show(&*open(&data.path())?, &name),
        ToolsCommand::Check { data, file, output } => check(&data, &file, output),
        ToolsCommand::Schema => {
            print_line(formats::tools::MANIFEST_SCHEMA.trim_end());
            Ok(ExitCode::SUCCESS)
        }
        ToolsCommand::Add { data, file, name, project } => {
            let name = match name {
                Some(name) => name,
                None => file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            };
            add(&data, &file, &name, &project)
        }
        ToolsCommand::Remove { data, name, project } => {
            let manifests = open_stored(&data.path())?;
            let removed = block_on(manifests.unregister(&project, &name))?;
            removed.map_err(coded)?;
            eprint_line(&format!("The manifest '{name}' is removed."));
            Ok(ExitCode::SUCCESS)
        }
        ToolsCommand::Call { data, name, args, workflow } => {
            call::run(&data, &name, &args, workflow.as_deref())
        }
    }
}

/// The manifests of a folder; of one without a database its files.
fn open(folder: &Path) -> Result<Arc<ToolManifests>> {
    match folder.join("heddle.db").exists() {
        true => open_stored(folder),
        false => {
            let source = tool_files::from_folder(folder, Arc::new(nodes::registry()));
            Ok(ToolManifests::of_files(source, store::projects::PERSONAL))
        }
    }
}

fn open_stored(folder: &Path) -> Result<Arc<ToolManifests>> {
    let source = tool_files::from_folder(folder, Arc::new(nodes::registry()));
    Ok(block_on(ToolManifests::open(wiring::open_store(folder)?, source))??)
}

fn coded(error: ToolManifestError) -> anyhow::Error {
    let code = error.code().name();
    match &error {
        ToolManifestError::Invalid { findings } => {
            let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
            anyhow::anyhow!("{} ({code})", lines.join("\n"))
        }
        error => anyhow::anyhow!("{error} ({code})"),
    }
}

fn read(file: &Path) -> Result<String> {
    let named = || file.display().to_string();
    let size = std::fs::metadata(file).with_context(named)?.len();
    anyhow::ensure!(
        size <= MAX_MANIFEST_BYTES as u64,
        "{} is larger than {MAX_MANIFEST_BYTES} bytes (MAX_MANIFEST_BYTES)",
        file.display()
    );
    std::fs::read_to_string(file).with_context(named)
}

fn list(manifests: &ToolManifests, output: ListOutput) -> Result<ExitCode> {
    let loaded = manifests.current();
    for manifest in &loaded.manifests {
        for finding in &manifest.findings {
            eprint_line(&format!("{}: {finding} ({})", manifest.name, finding.code.name()));
        }
    }
    if loaded.tools.is_empty() {
        output.note("No registered tools. docs/tools.md shows how to declare some.");
    }
    let mut table = Table::new(&["name", "kind", "effect", "manifest", "project", "-description"]);
    for tool in &loaded.tools {
        let (manifest, project) = origin(tool);
        table.row([
            Cell::text(tool.name.as_str()),
            Cell::text(tool.action.kind()),
            Cell::optional(tool.effect.map(|effect| effect.name())),
            Cell::text(manifest),
            Cell::optional(project),
            Cell::text(tool.description.as_str()),
        ]);
    }
    table.print(output);
    Ok(ExitCode::SUCCESS)
}

fn origin(tool: &RegisteredTool) -> (&str, Option<&str>) {
    match &tool.origin {
        ToolOrigin::File(file) => (file, None),
        ToolOrigin::Project { project, manifest } => (manifest, Some(project)),
    }
}

fn show(manifests: &ToolManifests, name: &str) -> Result<ExitCode> {
    let loaded = manifests.current();
    let mut found = loaded.tools.iter().filter(|tool| tool.name == name).peekable();
    anyhow::ensure!(
        found.peek().is_some(),
        "there is no registered tool '{name}' (TOOL_NOT_FOUND)"
    );
    for tool in found {
        print_line(&model::json::to_pretty_string(&shown(tool), &Default::default()));
    }
    Ok(ExitCode::SUCCESS)
}

fn shown(tool: &RegisteredTool) -> Value {
    let (manifest, project) = origin(tool);
    let mut fields = Object::from_iter([
        ("name", Value::from(tool.name.clone())),
        ("modelName", tool_files::model_name(&tool.name).into()),
        ("kind", tool.action.kind().into()),
        ("description", tool.description.clone().into()),
        ("effect", tool.effect.map(|effect| effect.name()).into()),
        ("manifest", manifest.into()),
        ("project", project.into()),
    ]);
    let target: Str = match &tool.action {
        ToolAction::Http(http) => format!("{} {}", http.method, http.origin).into(),
        ToolAction::Node(call) => call.type_name.clone(),
        ToolAction::Mcp(call) => call.tool.clone(),
    };
    fields.insert("target", target);
    for (key, schema) in [("input", &tool.input), ("output", &tool.output)] {
        if let Some(schema) = schema {
            fields.insert(key, schema.clone());
        }
    }
    fields.into()
}

fn check(data: &DataFolder, file: &Path, output: ListOutput) -> Result<ExitCode> {
    let text = read(file)?;
    let source = tool_files::from_folder(&data.path(), Arc::new(nodes::registry()));
    let origin = ToolOrigin::File(file.display().to_string().into());
    let manifest = source.read(&text, origin);
    let mut table = Table::new(&["line", "column", "place", "code", "problem"]);
    for finding in &manifest.findings {
        let ManifestFinding { line, column, place, code, problem } = finding;
        if !output.json && !output.quiet {
            print_line(&format!("{}: {finding} ({})", file.display(), code.name()));
        }
        table.row([
            Cell::shown(*line as f64, line.to_string()),
            Cell::shown(*column as f64, column.to_string()),
            Cell::text(place.as_str()),
            Cell::text(code.name()),
            Cell::text(problem.as_str()),
        ]);
    }
    if output.json || output.quiet {
        table.print(output);
    } else {
        let (n_tools, n_findings) = (manifest.tools.len(), manifest.findings.len());
        print_line(&format!("{}: {n_tools} tools, {n_findings} problems", file.display()));
    }
    Ok(if manifest.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn add(data: &DataFolder, file: &Path, name: &str, project: &str) -> Result<ExitCode> {
    let (manifests, text) = (open_stored(&data.path())?, read(file)?);
    let loaded = manifests.current();
    let is_known = |manifest: &&runtime::tools::LoadedManifest| {
        manifest.name == name && manifest.project.as_deref() == Some(project)
    };
    let seen = loaded.manifests.iter().find(is_known).map_or(0, |manifest| manifest.version);
    let registered = block_on(manifests.register(project, name, &text, seen, COMMAND_LINE))?;
    let version = registered.map_err(coded).with_context(|| file.display().to_string())?;
    eprint_line(&format!("The manifest '{name}' is registered, version {version}."));
    Ok(ExitCode::SUCCESS)
}
