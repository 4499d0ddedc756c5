//! `heddle import | list | activate | deactivate`: the workflows of a data folder, beside a server or without one.

use super::{block_on, read_text};
use crate::cli::{DataFolder, Import, OneWorkflow};
use crate::settings::Settings;
use crate::terminal::{Colour, note, paint, say};
use crate::world;
use anyhow::{Context as _, Result, bail};
use engine::Engine;
use model::{Object, Value, Workflow};
use runtime::Loaded;
use std::path::Path;
use std::process::ExitCode;
use store::workflows::{NewVersion, StoredWorkflow, WorkflowFilter};
use store::{Sqlite, Use, Workflows as _};

pub(super) fn import(arguments: &Import) -> Result<ExitCode> {
    let store = Sqlite::open(&arguments.data.path(), Use::Beside)?;
    let engine = world::engine(&Settings::load()?)?;
    block_on(async {
        for file in &arguments.files {
            for document in documents(file)? {
                let saved = save(&store, document).await.with_context(|| format!("{} cannot be imported", file.display()))?;
                let is_active = arguments.activate && activate(&store, &engine, &saved).await?;
                say(&format!("{}  {}{}", saved.id, saved.name, if is_active { "  active" } else { "" }));
            }
        }
        Ok(ExitCode::SUCCESS)
    })?
}

/// The workflows of a file: one, or a list as n8n's export writes.
fn documents(file: &Path) -> Result<Vec<Value>> {
    let value = model::json::parse(&read_text(file)?).with_context(|| format!("{} is not JSON (WORKFLOW_JSON)", file.display()))?;
    match value {
        Value::Array(list) => Ok(list.to_vec()),
        Value::Object(_) => Ok(vec![value]),
        other => bail!("{} is {}, not a workflow (WORKFLOW_JSON)", file.display(), other.kind_name()),
    }
}

async fn save(store: &Sqlite, document: Value) -> Result<StoredWorkflow> {
    let fields = document.as_object().context("a workflow is a JSON object (WORKFLOW_JSON)")?;
    let text = |key: &str| fields.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let is_workflow = fields.get("nodes").is_some_and(|nodes| nodes.as_array().is_some());
    anyhow::ensure!(is_workflow, "there is no list of nodes in it (WORKFLOW_JSON)");
    let id = text("id").map_or_else(store::new_id, Into::into);
    let static_data = fields.get("staticData").filter(|data| data.is_object()).map(|data| model::json::to_string(data).into());
    // The row says whether it is active, and since when there is which version.
    let kept: Object = fields.iter().filter(|(key, _)| *key != "active").map(|(key, value)| (key.clone(), value.clone())).collect();
    let document = model::json::to_string(&kept.into());
    Workflow::parse(&document).context("it cannot be read (WORKFLOW_JSON)")?;
    let version =
        NewVersion { id, name: text("name").unwrap_or("My workflow").into(), document: document.into(), author: None, static_data };
    Ok(store.save_workflow(version).await?)
}

/// Activates a workflow if it has something to listen to; says why not otherwise.
async fn activate(store: &Sqlite, engine: &Engine, saved: &StoredWorkflow) -> Result<bool> {
    match check_triggers(engine, saved) {
        Ok(()) => Ok(store.set_active(&saved.id, true).await?),
        Err(error) => {
            note(&format!("{} '{}' stays inactive: {error}", paint("warning:", Colour::Yellow), saved.name));
            Ok(false)
        }
    }
}

fn check_triggers(engine: &Engine, saved: &StoredWorkflow) -> Result<(), runtime::Error> {
    let loaded = Loaded::new(saved, engine)?;
    let listens = loaded.listens(engine.ports.clock.now_ms())?;
    let has_trigger = loaded.plan.nodes.iter().any(|node| node.is_trigger() && !node.disabled);
    if listens.is_empty() && !has_trigger { Err(runtime::Error::NoTrigger) } else { Ok(()) }
}

pub(super) fn list(data: &DataFolder) -> Result<ExitCode> {
    let store = Sqlite::open(&data.path(), Use::Beside)?;
    let filter = WorkflowFilter { limit: 100_000, ..WorkflowFilter::default() };
    let found = block_on(store.workflows(filter))??;
    if found.is_empty() {
        note(&format!("There are no workflows in {}. Add one with `heddle import FILE`.", data.path().display()));
    }
    for workflow in found {
        let state = if workflow.active { paint("active  ", Colour::Green) } else { "inactive".to_owned() };
        say(&format!("{}  {state}  {}", workflow.id, workflow.name));
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn set_active(arguments: &OneWorkflow, active: bool) -> Result<ExitCode> {
    let store = Sqlite::open(&arguments.data.path(), Use::Beside)?;
    let engine = world::engine(&Settings::load()?)?;
    block_on(async {
        let missing = || format!("there is no workflow with the id '{}' (WORKFLOW_NOT_FOUND)", arguments.id);
        let stored = store.workflow(&arguments.id).await?.with_context(missing)?;
        if active {
            check_triggers(&engine, &stored)?;
        }
        store.set_active(&arguments.id, active).await?;
        say(&format!("{}  {}  {}", stored.id, if active { "active" } else { "inactive" }, stored.name));
        Ok(ExitCode::SUCCESS)
    })?
}
