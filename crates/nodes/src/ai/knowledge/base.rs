//! Fills, searches and clears a collection of documents.

use super::collections::{
    EmbeddedCollection, IfMissing, collection, collection_param, embedder, model_param,
};
use super::read::{chunks_of_file, chunks_of_text};
use super::split::ChunkLengths;
use super::{metadata, metadata_param, option};
use crate::ai::sub_nodes;
use model::Kind;
use node_api::ai::{Document, SearchableStore, Supply, VectorQuery};
use node_api::collections::{ChunkSelection, add_documents};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use std::sync::Arc;

pub(crate) struct KnowledgeBase;

impl Node for KnowledgeBase {
    fn spec() -> Spec {
        Spec::new("knowledge-base", &[1.0], "Knowledge Base", "Store documents in a collection and search them by meaning").icon("library")
            .untrusted()
            .private()
            .group(NodeGroup::Ai)
            .inputs([Port::main(), Port::of(Kind::AiEmbedding, "Embeddings").optional(), Port::of(Kind::AiDocument, "Document").optional()])
            .outputs([Port::main(), Port::of(Kind::AiVectorStore, "Vector store")])
            .credential("openAiApi", false)
            .params(params())
            .repeatable_when("operation", &["search"])
            .computes()
            .hint("Insert files or texts once, then connect a Knowledge Base Tool with the same collection to an agent.")
            .alias(&["rag", "vector store", "ingest", "embed", "semantic search"])
            .note("Supported files: PDF, Word (docx), CSV, JSON, HTML, Markdown and plain text.")
            .note("A collection belongs to the workflow's project and stores vectors of one embedding \
                 model.")
            .note("Connected as a vector store, it works with retrievers, such as the one of a \
                 Question and Answer Chain.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            let made = match ctx.text("operation", index)?.as_str() {
                "search" => search(ctx, index).await,
                "delete" => delete(ctx, index).await.map(|made| vec![made]),
                _ => insert(ctx, &item, index).await.map(|made| vec![made]),
            };
            match made {
                Ok(made) => made
                    .into_iter()
                    .for_each(|json| output.push(Item::new(json).paired_with(index))),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

impl Supplier for KnowledgeBase {
    fn spec() -> Spec {
        <Self as Node>::spec()
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (inner, item) = (ctx.ctx(), ctx.item());
        let (collections, found) = collection(&inner, item, IfMissing::Fail).await?;
        let embedder = embedder(&inner, item, &found).await?;
        let kept = EmbeddedCollection { collections, id: found.id, embedder };
        let metadata = metadata(&inner, "options.metadata", item)?;
        let embedder = kept.embedder.clone();
        Ok(Supply::VectorStore(SearchableStore {
            store: Arc::new(kept),
            embedder,
            metadata,
            reranker: None,
        }))
    }
}

fn params() -> Vec<Param> {
    let (insert, search, delete) = (&["insert"], &["search"], &["delete"]);
    vec![
        Param::choice(
            "operation",
            "Operation",
            &[("insert", "Insert"), ("search", "Search"), ("delete", "Delete")],
        )
        .raw()
        .help("Operation on the collection."),
        collection_param(),
        model_param().hide("operation", delete),
        Param::choice(
            "data",
            "Data",
            &[("text", "Text"), ("file", "File"), ("loader", "Connected loader")],
        )
        .help("What to insert for each item.")
        .show("operation", insert),
        Param::long_text("text", "Text", "={{ $json.text }}")
            .help("The text to insert.")
            .show("operation", insert)
            .show("data", &["text"]),
        Param::text("binaryPropertyName", "Input binary field", "data")
            .help("Binary field of the item with the file.")
            .show("operation", insert)
            .show("data", &["file"]),
        Param::text("source", "Source", "")
            .help(
                "Name of the text, such as the document name. Defaults to the file name. Existing \
                 chunks from the same source are replaced.",
            )
            .show("operation", insert),
        Param::text("query", "Query", "={{ $json.query }}")
            .help("What to search for.")
            .show("operation", search),
        Param::choice(
            "which",
            "Which",
            &[("source", "From a source"), ("metadata", "With matching metadata"), ("all", "All")],
        )
        .help("Which chunks are removed.")
        .show("operation", delete),
        Param::text("deleteSource", "Source", "")
            .help("The source whose chunks are removed.")
            .show("operation", delete)
            .show("which", &["source"]),
        Param::collection(
            "options",
            "Options",
            [
                metadata_param(
                    "Metadata",
                    "Metadata added to inserted chunks, or required of chunks to find or delete.",
                ),
                Param::number("chunkSize", "Chunk size", 1000)
                    .at_least(1.0)
                    .help("Maximum number of characters per chunk."),
                Param::number("chunkOverlap", "Chunk overlap", 200)
                    .at_least(0.0)
                    .help("Maximum number of characters shared by two chunks."),
                Param::number("topK", "Top K results", 5)
                    .between(1.0, 100.0)
                    .help("Maximum number of search results."),
                Param::number("minScore", "Minimum score", 0)
                    .between(0.0, 1.0)
                    .help("Minimum similarity score of a result."),
                Param::flag("hybrid", "Hybrid search", false)
                    .help("Whether to also match keywords of the query."),
            ],
        )
        .help("Chunking and search options."),
    ]
}

async fn insert(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<Object, NodeError> {
    let lengths = ChunkLengths::new(
        option(ctx, index, "chunkSize", 1000.0)?,
        option(ctx, index, "chunkOverlap", 200.0)?,
    )?;
    let mut source = ctx.text("source", index)?;
    let mut documents: Vec<Document> = match ctx.text("data", index)?.as_str() {
        "file" => {
            let file = ctx.binary(item, index, &ctx.text("binaryPropertyName", index)?)?;
            if source.is_empty() {
                source = file.file_name.clone().unwrap_or_default();
            }
            chunks_of_file(file, lengths).await?
        }
        "loader" => sub_nodes::loader(ctx, index).await?.load(item, index).await?,
        _ => {
            let text = ctx.text("text", index)?;
            if text.trim().is_empty() {
                return Err(NodeError::parameter("text", "The text is empty").on_item(index));
            }
            chunks_of_text(text, Object::new(), lengths)?
        }
    };
    let given = metadata(ctx, "options.metadata", index)?;
    for document in &mut documents {
        if !source.is_empty() {
            document.metadata.insert("source", source.clone());
        }
        document.metadata.extend(given.clone());
    }
    let (collections, found) = collection(ctx, index, IfMissing::Make).await?;
    let embedder = embedder(ctx, index, &found).await?;
    let n_chunks = add_documents(
        collections.as_ref(),
        &found.id,
        embedder.as_ref(),
        source.clone(),
        documents,
    )
    .await?;
    Ok(Object::from_iter([
        ("collection", Value::from(found.name)),
        ("collectionId", found.id.into()),
        ("source", source.into()),
        ("chunks", n_chunks.into()),
    ]))
}

async fn search(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Object>, NodeError> {
    let query = ctx.text("query", index)?;
    if query.trim().is_empty() {
        return Err(NodeError::parameter("query", "The query is empty").on_item(index));
    }
    let wanted = VectorQuery {
        limit: option(ctx, index, "topK", 5.0)?.max(1.0) as usize,
        min_score: Some(option(ctx, index, "minScore", 0.0)?),
        metadata: metadata(ctx, "options.metadata", index)?,
    };
    let (collections, found) = collection(ctx, index, IfMissing::Fail).await?;
    let embedder = embedder(ctx, index, &found).await?;
    let kept = EmbeddedCollection { collections, id: found.id, embedder };
    let found = kept.find(&query, wanted, ctx.flag("options.hybrid", index)?).await?;
    let shown = found.into_iter().map(|found| {
        Object::from_iter([
            ("id", Value::from(found.id)),
            ("content", found.document.content.into()),
            ("score", found.score.into()),
            ("metadata", found.document.metadata.into()),
        ])
    });
    Ok(shown.collect())
}

async fn delete(ctx: &Ctx<'_>, index: usize) -> Result<Object, NodeError> {
    let which = match ctx.text("which", index)?.as_str() {
        "all" => ChunkSelection::All,
        "metadata" => {
            let fields = metadata(ctx, "options.metadata", index)?;
            if fields.is_empty() {
                return Err(NodeError::parameter(
                    "options.metadata",
                    "No metadata is given to select the chunks to delete",
                )
                .on_item(index));
            }
            ChunkSelection::Metadata(fields)
        }
        _ => ChunkSelection::Source(ctx.text("deleteSource", index)?),
    };
    let (collections, found) = collection(ctx, index, IfMissing::Fail).await?;
    let n_deleted = collections.delete_chunks(&found.id, which).await?;
    Ok(Object::from_iter([("collection", Value::from(found.name)), ("deleted", n_deleted.into())]))
}
