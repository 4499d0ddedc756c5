//! `heddle chat`: a conversation with a workflow in the terminal.

use super::{block_on, read_workflow, with_code};
use crate::chat_session::{ChatSession, OutputStyle};
use crate::cli;
use crate::collections::FolderCollections;
use crate::conversations;
use crate::credentials::StoredCredentials;
use crate::long_term_memory::FolderMemory;
use crate::mcp_servers::{self, FolderPins};
use crate::settings::Settings;
use crate::tables::FolderTables;
use crate::terminal::{Colour, eprint_line, paint};
use crate::tool_files;
use crate::wiring;
use anyhow::{Context as _, Result, bail};
use dialoguer::{BasicHistory, Input};
use engine::{Engine, Plan, PlanNode, RunOptions};
use model::{Str, Workflow};
use node_api::TriggerKind;
use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(super) fn run(arguments: &cli::ChatArgs) -> Result<ExitCode> {
    let settings = Settings::load()?;
    let mut engine = wiring::engine(&settings)?;
    let folder = arguments.data.path();
    engine.ports.collections =
        Arc::new(FolderCollections::new(folder.clone(), settings.collections));
    engine.ports.long_term_memory = Arc::new(FolderMemory::new(folder.clone()));
    let pins = Arc::new(FolderPins::new(folder.clone()));
    engine.ports.mcp = mcp_servers::from_folder(&folder, &settings, pins);
    engine.ports.tools = tool_files::for_command(&folder, &engine.registry);
    engine.ports.tables = Arc::new(FolderTables::new(folder.clone(), settings.table_limits()));
    let manner = if arguments.json { OutputStyle::Json } else { OutputStyle::Text };
    let session = arguments.session.as_deref().map_or_else(store::new_id, Str::from);
    block_on(async move {
        let (workflow, id) = match Path::new(&arguments.workflow).is_file() {
            true => {
                engine.ports.conversations =
                    conversations::from_folder(folder, &engine.ports.conversations);
                (read_workflow(Path::new(&arguments.workflow))?, Str::new())
            }
            false => load_stored(&mut engine, &folder, &arguments.workflow).await?,
        };
        let mut plan = engine.plan(&workflow);
        plan.id = id.clone();
        let node = chat_node(&plan)?;
        let options = RunOptions {
            acting_workflow: id,
            mode: "cli".into(),
            ..wiring::run_options(&settings)
        };
        let talk = ChatSession {
            engine,
            plan: Arc::new(plan),
            node,
            options,
            style: manner,
            session,
            history: Vec::new(),
            suspended: None,
            pending_events: Vec::new(),
        };
        match std::io::stdin().is_terminal() {
            true => converse(talk).await,
            false => reply_to_lines(talk).await,
        }
    })?
}

/// A workflow of the data folder, with what it may use there.
async fn load_stored(engine: &mut Engine, folder: &Path, id: &str) -> Result<(Workflow, Str)> {
    if !folder.join("heddle.db").exists() {
        bail!(
            "file '{id}' not found, and the data folder {} has no workflow with this ID \
                 (WORKFLOW_NOT_FOUND)",
            folder.display()
        );
    }
    let store = wiring::open_store(folder).map_err(with_code)?;
    let found = store.workflow(id).await.map_err(with_code)?;
    let Some(found) = found else {
        bail!("no file or workflow '{id}'; `heddle list` shows the workflows (WORKFLOW_NOT_FOUND)")
    };
    engine.ports.conversations = conversations::from_store(&store, &engine.ports.conversations);
    engine.ports.credentials = Arc::new(StoredCredentials(store));
    Ok((
        Workflow::parse(&found.document).context("the workflow cannot be read (WORKFLOW_JSON)")?,
        found.id,
    ))
}

fn chat_node(plan: &Plan) -> Result<Str> {
    let takes_messages = |node: &&PlanNode| {
        let trigger = node.node_type.as_ref().and_then(|found| found.spec.trigger);
        !node.disabled && matches!(trigger, Some(TriggerKind::Chat | TriggerKind::ManualChat))
    };
    let node = plan.nodes.iter().find(takes_messages);
    Ok(node.context("the workflow has no chat trigger (WORKFLOW_NO_START)")?.info.name.clone())
}

/// A person types. Ctrl-C stops an answer.
async fn converse(mut talk: ChatSession) -> Result<ExitCode> {
    eprint_line(&paint(
        &format!("{}: /new starts a new conversation, /exit ends it.", talk.plan.name),
        Colour::Dim,
    ));
    let mut typed = BasicHistory::new().max_entries(200).no_duplicates(true);
    loop {
        let asking = tokio::task::spawn_blocking(move || {
            let line: Result<String, _> = Input::new()
                .with_prompt("›")
                .allow_empty(true)
                .history_with(&mut typed)
                .interact_text();
            (typed, line)
        });
        let (kept, line) = asking.await.context("the terminal cannot be read")?;
        typed = kept;
        // Ctrl-C and Ctrl-D end the conversation where a message is typed.
        let Ok(line) = line else { return Ok(ExitCode::SUCCESS) };
        match line.trim() {
            "" => continue,
            "/exit" | "/quit" => return Ok(ExitCode::SUCCESS),
            "/new" => {
                talk.session = store::new_id();
                talk.history.clear();
                talk.suspended = None;
                eprint_line(&paint("New conversation.", Colour::Dim));
                continue;
            }
            words if words.starts_with('/') => {
                eprint_line("Use /new for a new conversation, or /exit.");
                continue;
            }
            _ => {}
        }
        let cancel = CancellationToken::new();
        let on_interrupt = cancel.clone();
        let interrupt = tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                on_interrupt.cancel();
            }
        });
        talk.send(line.trim(), cancel).await;
        interrupt.abort();
    }
}

/// Each line of a pipe is a message.
async fn reply_to_lines(mut talk: ChatSession) -> Result<ExitCode> {
    let mut is_all_well = true;
    for line in std::io::stdin().lock().lines() {
        let line = line.context("standard input cannot be read as text")?;
        if !line.trim().is_empty() {
            is_all_well &= talk.send(line.trim(), CancellationToken::new()).await;
        }
    }
    Ok(if is_all_well { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
