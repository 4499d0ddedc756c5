//! `heddle knowledge`: the collections of a data folder, beside a server or without one.

use super::block_on;
use crate::cli::{AddKnowledgeArgs, DataFolder, KnowledgeCommand, SearchKnowledgeArgs};
use crate::settings::Settings;
use crate::terminal::table::{Cell, ListOutput, Table};
use crate::terminal::{eprint_line, print_line};
use crate::wiring;
use anyhow::{Context as _, Result, bail};
use model::{Binary, Object, Str, Value};
use node_api::ai::{Embedder, VectorQuery};
use node_api::collections::{
    ChunkSearch, Collection, CollectionChange, CollectionError, CollectionName, Ingestor as _,
    NewCollection, add_documents,
};
use nodes::ai::knowledge::NodeIngestor;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use store::Store;
use store::credentials::StoredCredential;

/// Letters of a result that are shown.
const MAX_SHOWN_CHARS: usize = 300;

pub(super) fn run(arguments: KnowledgeCommand) -> Result<ExitCode> {
    block_on(async {
        match arguments {
            KnowledgeCommand::Add(arguments) => add(&arguments).await,
            KnowledgeCommand::List { data, output, collection } => {
                list(&data, output, collection.as_deref()).await
            }
            KnowledgeCommand::Search(arguments) => search(&arguments).await,
        }
    })?
}

async fn add(arguments: &AddKnowledgeArgs) -> Result<ExitCode> {
    let store = wiring::open_store(&arguments.data.path())?;
    let credential_id = match &arguments.credential {
        Some(named) => Some(credential(&*store, named).await?.id),
        None => None,
    };
    let mut collection = match find(&*store, &arguments.collection).await? {
        Some(found) => found,
        None => {
            let model = arguments.model.as_deref().map(Str::from);
            let name = arguments.collection.as_str().into();
            let new = NewCollection {
                name,
                model,
                credential_id: credential_id.clone(),
                ..NewCollection::default()
            };
            store.create_collection(new).await?
        }
    };
    if credential_id.is_some() && collection.credential_id != credential_id {
        let change = CollectionChange { credential_id, ..CollectionChange::default() };
        collection = store.change_collection(&collection.id, change).await?;
    }
    let ingestor = new_ingestor()?;
    let embedder = embedder(&*store, &ingestor, &collection).await?;
    for path in &arguments.files {
        let data =
            std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let name = source(path);
        let documents =
            ingestor.read(Binary::new(data, "application/octet-stream", Some(name.clone()))).await;
        let documents = documents.with_context(|| format!("{} cannot be used", path.display()))?;
        let count =
            add_documents(&*store, &collection.id, embedder.as_ref(), name.clone(), documents)
                .await?;
        print_line(&format!("{name}: {count} chunks"));
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(data: &DataFolder, output: ListOutput, named: Option<&str>) -> Result<ExitCode> {
    let store = wiring::open_store(&data.path())?;
    if let Some(named) = named {
        let collection = find(&*store, named)
            .await?
            .with_context(|| format!("collection '{named}' does not exist"))?;
        let mut table = Table::new(&["name", ">chunks"]);
        for source in store.sources(&collection.id).await? {
            table.row([Cell::text(source.name), chunks(source.n_chunks)]);
        }
        table.print(output);
        return Ok(ExitCode::SUCCESS);
    }
    let found = store.collections().await?;
    if found.is_empty() {
        output.note("No collections. Create one with `heddle knowledge add COLLECTION FILE`.");
    }
    let mut table = Table::new(&["id", "name", ">chunks", "model"]);
    for collection in found {
        let model = match collection.model {
            Some(model) => Cell::text(model),
            None => Cell::shown(Value::Null, "no model yet"),
        };
        table.row([
            Cell::text(collection.id),
            Cell::text(collection.name),
            chunks(collection.n_chunks),
            model,
        ]);
    }
    table.print(output);
    Ok(ExitCode::SUCCESS)
}

fn chunks(count: usize) -> Cell {
    Cell::shown(count as f64, format!("{count} chunks"))
}

async fn search(arguments: &SearchKnowledgeArgs) -> Result<ExitCode> {
    let store = wiring::open_store(&arguments.data.path())?;
    let named = &arguments.collection;
    let collection = find(&*store, named)
        .await?
        .with_context(|| format!("collection '{named}' does not exist"))?;
    let embedder = embedder(&*store, &new_ingestor()?, &collection).await?;
    let query = Str::from(arguments.query.as_str());
    let vector = embedder
        .embed(std::slice::from_ref(&query))
        .await?
        .into_iter()
        .next()
        .context("the model returned no vector")?;
    let metadata = arguments
        .metadata
        .iter()
        .map(|(field, value)| (Str::from(field.as_str()), Value::from(value.as_str())))
        .collect();
    let wanted =
        VectorQuery { limit: arguments.limit, min_score: Some(arguments.min_score), metadata };
    let words = arguments.hybrid.then_some(query);
    let question = ChunkSearch { model: embedder.model().into(), vector, query: wanted, words };
    let found = store.search_chunks(&collection.id, question).await?;
    if found.is_empty() && !arguments.quiet {
        eprint_line("No results.");
    }
    for found in found {
        let metadata = found.document.metadata;
        if arguments.json {
            let content = Value::from(found.document.content);
            print_line(&model::json::to_string(
                &Object::from_iter([
                    ("score", found.score.into()),
                    ("content", content),
                    ("metadata", metadata.into()),
                ])
                .into(),
            ));
            continue;
        }
        let source = metadata.get("source").map(Value::to_js_string).unwrap_or_default();
        if arguments.quiet {
            print_line(&source);
            continue;
        }
        print_line(&format!("{:.2}  {source}", found.score));
        let text: String = found
            .document
            .content
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(MAX_SHOWN_CHARS)
            .collect();
        print_line(&format!("      {text}"));
    }
    Ok(ExitCode::SUCCESS)
}

async fn find(store: &dyn Store, named: &str) -> Result<Option<Collection>> {
    for which in [CollectionName::Name(named.into()), CollectionName::Id(named.into())] {
        match store.collection(&which).await {
            Err(CollectionError::NoCollection { .. }) => {}
            other => return Ok(Some(other?)),
        }
    }
    Ok(None)
}

async fn credential(store: &dyn Store, named: &str) -> Result<StoredCredential> {
    let all = store.credentials(None, usize::MAX >> 1).await?;
    let mut found: Vec<StoredCredential> =
        all.into_iter().filter(|known| known.id == named || known.name == named).collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => bail!(
            "credential '{named}' does not exist; `heddle credentials list` shows the credentials"
        ),
        _ => bail!("several credentials have the name '{named}'; use the ID instead"),
    }
}

fn new_ingestor() -> Result<NodeIngestor> {
    let ports = wiring::ports(&Settings::load()?)?;
    let credentials = Arc::new(nodes::credentials::registry());
    Ok(NodeIngestor::new(ports.http, ports.local_models, credentials))
}

async fn embedder(
    store: &dyn Store,
    ingestor: &NodeIngestor,
    collection: &Collection,
) -> Result<Arc<dyn Embedder>> {
    let Some(id) = &collection.credential_id else {
        if !collection.uses_local_embeddings() {
            bail!(
                "the collection '{}' has no credential yet; choose one with --credential",
                collection.name
            );
        }
        return ingestor.local_embedder().map_err(|missing| {
            let hint = "choose a credential with --credential, or install the built-in model with `heddle \
                 models pull`";
            anyhow::anyhow!("{} ({}); {hint}", missing.message(), missing.code().name())
        });
    };
    let credential = credential(store, id).await?;
    let secret = store.open_credential(id).await?.context("the credential no longer exists")?;
    #[expect(
        clippy::disallowed_methods,
        reason = "the owner of the data folder chose the credential"
    )]
    let fields = secret.reveal();
    Ok(ingestor.embedder(&credential.kind, &fields, collection.model.as_ref())?)
}

/// What a file is called in a collection.
fn source(path: &Path) -> Str {
    path.file_name()
        .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
        .into()
}
