//! `heddle list | activate | deactivate`: the workflows of a data folder, beside a server or
//! without one.

use super::block_on;
use crate::cli::{DataFolder, WorkflowArgs};
use crate::settings::Settings;
use crate::terminal::table::{Cell, ListOutput, Table};
use crate::terminal::{Colour, print_line};
use crate::wiring;
use anyhow::{Context as _, Result};
use engine::Engine;
use runtime::{ListenScope, LoadedWorkflow};
use std::process::ExitCode;
use store::Store;
use store::addresses::AddressClaim;
use store::variables::Variable;
use store::workflows::{ActivatedVersion, StoredWorkflow, WorkflowFilter};

/// Lets the newest version listen at its addresses, unless another workflow has one of them.
async fn start_listening(
    store: &dyn Store,
    engine: &Engine,
    stored: &StoredWorkflow,
) -> Result<(), runtime::Error> {
    if stored.archived {
        return Err(runtime::Error::Archived);
    }
    let claims = claims_of(engine, &store.variables().await?, stored)?;
    runtime::claim_into_result(
        store
            .activate(&stored.id, ActivatedVersion::Newest(stored.version_id.clone()), claims)
            .await?,
        &stored.id,
    )
}

pub(super) fn claims_of(
    engine: &Engine,
    variables: &[Variable],
    stored: &StoredWorkflow,
) -> Result<Vec<AddressClaim>, runtime::Error> {
    LoadedWorkflow::new(stored, engine)?.claims(&ListenScope::new(
        engine.ports.clock.now_ms(),
        variables,
        &stored.project_id,
    ))
}

pub(super) fn list(data: &DataFolder, output: ListOutput) -> Result<ExitCode> {
    let store = wiring::open_store(&data.path())?;
    let filter = WorkflowFilter { limit: 100_000, ..WorkflowFilter::default() };
    let found = block_on(store.workflows(filter))??;
    if found.is_empty() {
        output.note(&format!(
            "No workflows in {}. Add one with `heddle import FILE`.",
            data.path().display()
        ));
    }
    let mut table = Table::new(&["id", "active", "name", "-projectId", "-archived"]);
    for workflow in found {
        let active = match workflow.active {
            true => Cell::shown(true, "active").coloured(Colour::Green),
            false => Cell::shown(false, "inactive"),
        };
        table.row([
            Cell::text(workflow.id),
            active,
            Cell::text(workflow.name),
            Cell::text(workflow.project_id),
            Cell::shown(workflow.archived, ""),
        ]);
    }
    table.print(output);
    Ok(ExitCode::SUCCESS)
}

pub(super) fn set_active(arguments: &WorkflowArgs, active: bool) -> Result<ExitCode> {
    let store = wiring::open_store(&arguments.data.path())?;
    let engine = wiring::engine(&Settings::load()?)?;
    block_on(async {
        let missing = || format!("workflow '{}' does not exist (WORKFLOW_NOT_FOUND)", arguments.id);
        let stored = store.workflow(&arguments.id).await?.with_context(missing)?;
        match active {
            true => start_listening(&*store, &engine, &stored).await?,
            false => drop(store.deactivate(&arguments.id).await?),
        }
        print_line(&format!(
            "{}  {}  {}",
            stored.id,
            if active { "active" } else { "inactive" },
            stored.name
        ));
        Ok(ExitCode::SUCCESS)
    })?
}
