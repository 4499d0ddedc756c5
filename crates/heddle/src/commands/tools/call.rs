//! `heddle tools call`: calls one tool under the policy of the data folder.

use super::super::block_on;
use super::open;
use crate::cli::DataFolder;
use crate::credentials::StoredCredentials;
use crate::settings::Settings;
use crate::terminal::print_line;
use crate::{mcp_servers, wiring};
use anyhow::{Context as _, Result};
use engine::RunOptions;
use model::{Object, Value};
use runtime::policy::Policy;
use std::process::ExitCode;
use std::sync::Arc;

pub(super) fn run(
    data: &DataFolder,
    name: &str,
    arguments: &str,
    workflow: Option<&str>,
) -> Result<ExitCode> {
    let arguments = model::json::parse(arguments).ok();
    let arguments: Object = arguments
        .as_ref()
        .and_then(Value::as_object)
        .cloned()
        .context("--args is not a JSON object")?;
    let (settings, folder) = (Settings::load()?, data.path());
    let mut engine = wiring::engine(&settings)?;
    engine.ports.tools = open(&folder)?;
    if folder.join("heddle.db").exists() {
        let store = wiring::open_store(&folder)?;
        engine.ports.policy = block_on(Policy::open(store.clone()))??;
        engine.ports.credentials = Arc::new(StoredCredentials(store.clone()));
        engine.ports.mcp = mcp_servers::from_folder(&folder, &settings, store);
    }
    let options = RunOptions {
        acting_workflow: workflow.unwrap_or_default().into(),
        ..wiring::run_options(&settings)
    };
    let called =
        block_on(runtime::tools::call(engine, nodes::TOOL_REGISTRY, name, arguments, options))?;
    match called {
        Ok(answer) => {
            print_line(&model::json::to_string(&answer));
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => Err(anyhow::anyhow!("{} ({})", error.message(), error.code().name())),
    }
}
