//! `heddle export`: writes workflows out, those of the data folder or one from a file.

use super::{block_on, read_workflow};
use crate::cli::{ExportArgs, ExportFormat};
use crate::terminal::{eprint_line, print_line};
use crate::wiring;
use anyhow::{Context as _, Result};
use model::{Object, Value};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use store::Store;
use store::workflows::{StoredWorkflow, WorkflowFilter};

/// What n8n's import reads of a workflow, in the order its own export writes.
const N8N_FIELDS: &[&str] = &[
    "id",
    "name",
    "active",
    "isArchived",
    "nodes",
    "connections",
    "settings",
    "staticData",
    "meta",
    "pinData",
    "versionId",
    "tags",
];

/// The same of a node.
const N8N_NODE_FIELDS: &[&str] = &[
    "id",
    "name",
    "type",
    "typeVersion",
    "position",
    "parameters",
    "credentials",
    "disabled",
    "notes",
    "notesInFlow",
    "retryOnFail",
    "maxTries",
    "waitBetweenTries",
    "alwaysOutputData",
    "executeOnce",
    "onError",
    "continueOnFail",
    "webhookId",
    "extendsCredential",
    "color",
    "rewireOutputLogTo",
];

pub(super) fn run(arguments: &ExportArgs) -> Result<ExitCode> {
    if let Some(file) = &arguments.file {
        let text = read_workflow(file)?.to_text();
        let text = match arguments.format {
            ExportFormat::Heddle => text,
            ExportFormat::N8n => model::json::to_string(&for_n8n(
                &model::json::parse(&text).context("it cannot be read (WORKFLOW_JSON)")?,
            )),
        };
        print_line(&text);
        return Ok(ExitCode::SUCCESS);
    }
    let store = wiring::open_store(&arguments.data.path())?;
    let mut documents = Vec::new();
    for stored in block_on(selected_workflows(&*store, arguments))?? {
        let document = document(&stored)?;
        documents.push(if arguments.format == ExportFormat::N8n {
            for_n8n(&document)
        } else {
            document
        });
    }
    match &arguments.output {
        Some(folder) => write_files(folder, &documents)?,
        None if documents.len() == 1 && !arguments.all => {
            print_line(&model::json::to_string(&documents[0]))
        }
        None => print_line(&model::json::to_string(&Value::array(documents))),
    }
    Ok(ExitCode::SUCCESS)
}

async fn selected_workflows(
    store: &dyn Store,
    arguments: &ExportArgs,
) -> Result<Vec<StoredWorkflow>> {
    if arguments.all {
        let filter = WorkflowFilter { limit: usize::MAX >> 1, ..WorkflowFilter::default() };
        return Ok(store.workflows(filter).await?);
    }
    let mut found = Vec::new();
    for id in &arguments.ids {
        let missing = || format!("workflow '{id}' does not exist (WORKFLOW_NOT_FOUND)");
        found.push(store.workflow(id).await?.with_context(missing)?);
    }
    Ok(found)
}

/// The document as it was saved, with what the row knows better.
fn document(stored: &StoredWorkflow) -> Result<Value> {
    let damaged = || format!("the workflow '{}' cannot be read (WORKFLOW_JSON)", stored.id);
    let mut document = model::json::parse(&stored.document).with_context(damaged)?;
    let fields = document.make_object();
    fields.insert("id", stored.id.clone());
    fields.insert("name", stored.name.clone());
    fields.insert("active", stored.active);
    fields.insert("isArchived", stored.archived);
    fields.insert("versionId", stored.version_id.clone());
    if let Some(data) = stored.static_data.as_deref().and_then(|text| model::json::parse(text).ok())
    {
        fields.insert("staticData", data);
    }
    Ok(document)
}

/// Only what n8n knows: fields of our own are left out, of the workflow and of its nodes.
fn for_n8n(document: &Value) -> Value {
    let mut kept = Object::new();
    for field in N8N_FIELDS {
        if let Some(value) = document.get(field) {
            kept.insert(*field, value.clone());
        }
    }
    let nodes = document.get("nodes").and_then(Value::as_array).unwrap_or_default();
    kept.insert("nodes", Value::array(nodes.iter().map(node_for_n8n).collect()));
    for (field, value) in [
        ("connections", Value::empty_object()),
        ("settings", Value::empty_object()),
        ("pinData", Value::empty_object()),
    ] {
        if kept.get(field).is_none_or(|value| !value.is_object()) {
            kept.insert(field, value);
        }
    }
    kept.into()
}

fn node_for_n8n(node: &Value) -> Value {
    let Some(fields) = node.as_object() else { return node.clone() };
    let is_known = |key: &str| N8N_NODE_FIELDS.contains(&key);
    fields
        .iter()
        .filter(|(key, _)| is_known(key))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect::<Object>()
        .into()
}

/// A file per workflow, named for it; two of one name are told apart by their ids.
fn write_files(folder: &Path, documents: &[Value]) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{} could not be created (FILE_IO)", folder.display()))?;
    for document in documents {
        let text = |key: &str| document.get(key).and_then(Value::as_str).unwrap_or_default();
        let path: PathBuf = folder.join(file_name(text("name"), text("id")));
        std::fs::write(&path, model::json::to_string(document) + "\n")
            .with_context(|| format!("{} could not be written (FILE_IO)", path.display()))?;
        eprint_line(&path.display().to_string());
    }
    Ok(())
}

fn file_name(name: &str, id: &str) -> String {
    let plain = |text: &str| {
        let letters = text.chars().map(|letter| {
            if letter.is_alphanumeric() || matches!(letter, '-' | '_' | ' ') { letter } else { '-' }
        });
        letters.take(80).collect::<String>().trim().to_owned()
    };
    format!("{} ({}).json", plain(name), plain(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn n8n_gets_no_field_that_it_does_not_know() {
        let document = json!({
            "id": "a", "name": "x", "heddle": { "own": 1 }, "settings": { "executionOrder": "v1" },
            "nodes": [{ "name": "A", "type": "t", "parameters": { "deep": { "kept": true } }, "heddleNote": 1 }],
            "connections": {}
        });
        let text = model::json::to_string(&for_n8n(&document));
        assert_eq!(
            text,
            r#"{"id":"a","name":"x","nodes":[{"name":"A","type":"t","parameters":{"deep":{"kept":true}}}],"connections":{},"settings":{"executionOrder":"v1"},"pinData":{}}"#
        );
    }

    #[test]
    fn names_of_files_stay_in_their_folder() {
        assert_eq!(file_name("../a/b: c", "x/1"), "---a-b- c (x-1).json");
    }
}
