//! `heddle memory`: the long-term memories of a data folder, beside a server or without one.

use super::block_on;
use crate::cli::{DataFolder, DeleteMemoryArgs, MemoryCommand, SearchMemoryArgs};
use crate::settings::Settings;
use crate::terminal::print_line;
use crate::terminal::table::{Cell, ListOutput, Table};
use crate::wiring;
use anyhow::{Context as _, Result, bail};
use model::Str;
use node_api::ai::{
    Embedding, EntryQuery, LOCAL_EMBEDDING_MODEL, LocalModels as _, LongTermError, MemoryEntry,
    MemoryQuery, MemorySpace, SpaceName,
};
use std::process::ExitCode;
use store::Store;

/// Entries that are read at once.
const PAGE: usize = 500;

pub(super) fn run(arguments: MemoryCommand) -> Result<ExitCode> {
    block_on(async {
        match arguments {
            MemoryCommand::List { data, output, memory, subject } => {
                list(&data, output, memory.as_deref(), subject).await
            }
            MemoryCommand::Search(arguments) => search(arguments).await,
            MemoryCommand::Delete(arguments) => delete(arguments).await,
        }
    })?
}

async fn list(
    data: &DataFolder,
    output: ListOutput,
    named: Option<&str>,
    subject: Option<String>,
) -> Result<ExitCode> {
    let store = wiring::open_store(&data.path())?;
    if let Some(named) = named {
        let space = find(&*store, named).await?;
        let mut table = entry_table();
        let mut after = None;
        let subject = subject.map(Str::from);
        loop {
            let query = EntryQuery { subject: subject.clone(), after, limit: PAGE };
            let entries = store.entries(&space.id, query).await?;
            entries.iter().for_each(|entry| entry_row(&mut table, entry));
            after = entries.last().map(|last| last.id.clone());
            if entries.len() < PAGE {
                break;
            }
        }
        table.print(output);
        return Ok(ExitCode::SUCCESS);
    }
    let found = store.spaces().await?;
    if found.is_empty() {
        output.note("No long-term memories. An Agent Memory node creates one on first use.");
    }
    let mut table = Table::new(&["id", "name", ">entries", ">reads", ">hits", ">waiting"]);
    for space in found {
        let statistics = space.statistics;
        table.row([
            Cell::text(space.id),
            Cell::text(space.name),
            number(statistics.entries as f64),
            number(statistics.reads as f64),
            number(statistics.hits as f64),
            number(statistics.pending_turns as f64),
        ]);
    }
    table.print(output);
    Ok(ExitCode::SUCCESS)
}

fn number(count: f64) -> Cell {
    Cell::shown(count, format!("{count}"))
}

fn entry_table() -> Table {
    Table::new(&["id", "subject", "kind", "text"])
}

fn entry_row(table: &mut Table, entry: &MemoryEntry) {
    table.row([
        Cell::text(entry.id.clone()),
        Cell::text(entry.subject.clone()),
        Cell::text(entry.kind.name()),
        Cell::text(entry.text.split_whitespace().collect::<Vec<_>>().join(" ")),
    ]);
}

async fn search(arguments: SearchMemoryArgs) -> Result<ExitCode> {
    let store = wiring::open_store(&arguments.data.path())?;
    let space = find(&*store, &arguments.memory).await?;
    let words = Str::from(arguments.query.as_str());
    let query = MemoryQuery {
        subject: arguments.subject.map(Str::from),
        embedding: embedding(&space, &words).await?,
        words: Some(words),
        limit: arguments.limit,
        with_superseded: arguments.all,
        with_expired: arguments.all,
        ..MemoryQuery::default()
    };
    let mut table = entry_table();
    for found in store.search_entries(&space.id, query).await? {
        entry_row(&mut table, &found.entry);
    }
    table.print(arguments.output);
    Ok(ExitCode::SUCCESS)
}

/// The vector of a question, where the built-in model made those of the memory and is installed.
async fn embedding(space: &MemorySpace, words: &Str) -> Result<Option<Embedding>> {
    if space.model.as_deref() != Some(LOCAL_EMBEDDING_MODEL) {
        return Ok(None);
    }
    let settings = Settings::load()?;
    let library = local::Library::new(settings.models.clone());
    let Ok(embedder) = library.embedder() else { return Ok(None) };
    let vector = embedder.embed(std::slice::from_ref(words)).await?.into_iter().next();
    Ok(vector.map(|vector| Embedding { model: embedder.model().into(), vector }))
}

async fn delete(arguments: DeleteMemoryArgs) -> Result<ExitCode> {
    let store = wiring::open_store(&arguments.data.path())?;
    let space = match &arguments.memory {
        Some(named) => Some(find(&*store, named).await?),
        None => None,
    };
    let id = space.as_ref().map(|space| space.id.as_str());
    match (id, &arguments.entry, &arguments.subject) {
        (space, None, Some(subject)) => {
            let n_deleted = store.delete_subject(space, subject).await?;
            print_line(&format!("Deleted {n_deleted} entries and waiting turns."));
        }
        (Some(space), Some(entry), None) => {
            store.delete_entry(space, entry).await?;
            print_line("Deleted 1 entry.");
        }
        (Some(space), None, None) if arguments.everything => {
            store.delete_space(space).await?;
            print_line("Deleted the memory.");
        }
        _ => bail!("name what to delete: --entry ID, --subject USER or --everything"),
    }
    Ok(ExitCode::SUCCESS)
}

async fn find(store: &dyn Store, named: &str) -> Result<MemorySpace> {
    for which in [SpaceName::Name(named.into()), SpaceName::Id(named.into())] {
        match store.space(&which).await {
            Err(LongTermError::NoSpace { .. }) => {}
            other => return Ok(other?),
        }
    }
    None.with_context(|| {
        format!("memory '{named}' does not exist; `heddle memory list` shows the memories")
    })
}
