//! n8n's vector store nodes. What they do is written here once; a store is a description and a way
//! to open it.

pub(super) mod in_memory;
pub(super) mod pgvector;
pub(super) mod pinecone;
pub(super) mod qdrant;
pub(super) mod supabase;
pub(super) mod zep;

use super::knowledge::{metadata, metadata_param, strings};
use super::memory::unavailable::unavailable;
use super::sub_nodes;
use super::tools::fn_tool::{ToolInvocation, supply_tool};
use model::Kind;
use node_api::ai::{
    DataFlow, Document, Reranker, ScoredDocument, SearchableStore, Supply, ToolDefinition,
    ToolEffect, ToolOutput, VectorStore, cannot_update,
};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx, tool_name, tool_name_of};
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

/// The modes in which a store is a step of the flow; in the others it serves another node.
const STEP_MODES: [&str; 3] = ["load", "insert", "update"];

/// One kind of store.
pub(crate) trait VectorBackend: Send + Sync + 'static {
    /// Why the store cannot be used here, and what to use instead.
    const UNAVAILABLE: Option<&'static str> = None;

    fn store_spec() -> VectorStoreSpec;
    fn open(
        ctx: &Ctx<'_>,
        item: usize,
        purpose: StorePurpose,
    ) -> impl Future<Output = Result<Arc<dyn VectorStore>, NodeError>> + Send;
}

/// How a store is described.
pub(crate) struct VectorStoreSpec {
    node: &'static str,
    name: &'static str,
    summary: &'static str,
    credential: Option<&'static str>,
    /// Which store it is, in every mode.
    shared: Vec<Param>,
    insert_options: Vec<Param>,
    search_options: Vec<Param>,
    can_update: bool,
}

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StorePurpose {
    Search,
    /// What the options say to clear is cleared.
    InsertFirst,
    InsertMore,
}

/// The node of a store.
pub(crate) struct VectorStoreNode<B>(PhantomData<B>);

impl<B: VectorBackend> Node for VectorStoreNode<B> {
    fn spec() -> Spec {
        let about = B::store_spec();
        let id = format!("@n8n/n8n-nodes-langchain.{}", about.node);
        let spec = Spec::new(&id, &[1.0, 1.1, 1.2, 1.3], about.name, about.summary)
            .untrusted()
            .private()
            .group(NodeGroup::Ai)
            .icon("library")
            .initial_for(Kind::AiTool, json!({ "mode": "retrieve-as-tool" }))
            .initial_for(Kind::AiVectorStore, json!({ "mode": "retrieve" }))
            .initial_for(Kind::Main, json!({ "mode": "load" }))
            .initial(json!({ "mode": "insert" }))
            .inputs([
                Port::main().show("mode", &STEP_MODES),
                Port::of(Kind::AiEmbedding, "Embedding"),
                Port::of(Kind::AiDocument, "Document").show("mode", &["insert"]),
                Port::of(Kind::AiReranker, "Reranker").show("useReranker", &[true]),
            ])
            .outputs([
                Port::main().show("mode", &STEP_MODES),
                Port::of(Kind::AiVectorStore, "Vector Store").show("mode", &["retrieve"]),
                Port::of(Kind::AiTool, "Tool").show("mode", &["retrieve-as-tool"]),
            ])
            .repeatable_when("mode", &["load"])
            .computes()
            .hint("Insert documents in one workflow, and search them in another or let an agent do it \
                 with the mode Retrieve as tool.")
            .alias(&["vector", "rag", "embeddings", "semantic search"]);
        let spec =
            about.credential.into_iter().fold(spec, |spec, kind| spec.credential(kind, true));
        let spec = B::UNAVAILABLE.into_iter().fold(spec, |spec, why| spec.legacy().differs(why));
        // The name and the description are read before the model calls the tool.
        let params = params(about);
        let told = ["mode", "toolName", "toolDescription"];
        let asked: Vec<String> = params
            .iter()
            .filter(|param| !told.contains(&param.name.as_str()))
            .map(|param| param.name.to_string())
            .collect();
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        spec.model_fills(&asked).params(params)
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        check_available::<B>()?;
        match ctx.text("mode", 0)?.as_str() {
            "load" => load::<B>(ctx, &items).await,
            "insert" => insert::<B>(ctx, &items).await,
            "update" if B::store_spec().can_update => update::<B>(ctx, &items).await,
            "update" => Err(cannot_update()),
            _ => Err(NodeError::failed(
                "Only the \"load\", \"update\" and \"insert\" operation modes are supported with execute",
            )),
        }
    }
}

impl<B: VectorBackend> Supplier for VectorStoreNode<B> {
    fn spec() -> Spec {
        <Self as Node>::spec()
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        check_available::<B>()?;
        let (inner, item) = (ctx.ctx(), ctx.item());
        match inner.text("mode", item)?.as_str() {
            "retrieve" => Ok(Supply::VectorStore(searchable::<B>(&inner, item).await?)),
            "retrieve-as-tool" => {
                let given = inner.text("toolName", item)?;
                let name =
                    if ctx.node().version < 1.3 { tool_name(given.trim()) } else { Str::new() };
                let name = if name.is_empty() { tool_name_of(ctx.node()) } else { name };
                let description = inner.text("toolDescription", item)?;
                let parameters = with_input(ctx.host().ai_input_schema()?);
                let definition = ToolDefinition {
                    name,
                    description,
                    parameters,
                    effect: ToolEffect::None,
                    flow: DataFlow::STORED,
                };
                Ok(supply_tool(ctx, definition, |call| async move { answer::<B>(&call).await }))
            }
            _ => Err(NodeError::failed(
                "Only the \"retrieve\" and \"retrieve-as-tool\" operation mode is supported to supply data",
            )),
        }
    }
}

/// Before anything is embedded, which costs money.
fn check_available<B: VectorBackend>() -> Result<(), NodeError> {
    B::UNAVAILABLE.map_or(Ok(()), |why| Err(unavailable(B::store_spec().name, why)))
}

fn params(about: VectorStoreSpec) -> Vec<Param> {
    let modes: Vec<(&str, &str)> = [
        ("retrieve", "Retrieve documents (as vector store for chain/tool)"),
        ("load", "Get many"),
        ("insert", "Insert documents"),
        ("retrieve-as-tool", "Retrieve documents (as tool for AI agent)"),
        ("update", "Update documents"),
    ]
    .into_iter()
    .filter(|(mode, _)| about.can_update || *mode != "update")
    .collect();
    let (as_tool, insert, load, update) =
        (&["retrieve-as-tool"], &["insert"], &["load"], &["update"]);
    let (results, searches) =
        (&["load", "retrieve-as-tool"], &["load", "retrieve", "retrieve-as-tool"]);
    let mut params = vec![
        Param::choice("mode", "Operation mode", &modes)
            .raw()
            .help("Operation mode: process items, or serve another node."),
        Param::text("toolName", "Name", "")
            .until(1.2)
            .help("Name of the store for the agent.")
            .show("mode", as_tool),
        Param::long_text("toolDescription", "Description", "")
            .help("Tells the agent what is in the store and when to search it.")
            .show("mode", as_tool),
    ];
    params.extend(about.shared);
    params.push(
        Param::number("embeddingBatchSize", "Embedding batch size", 200)
            .at_least(1.0)
            .since(1.1)
            .help("Number of documents to embed and insert at once.")
            .show("mode", insert),
    );
    params.extend([
        Param::text("prompt", "Prompt", "").help("What to search for.").show("mode", load),
        Param::number("topK", "Limit", 4)
            .at_least(1.0)
            .help("Maximum number of results.")
            .show("mode", results),
        Param::flag("includeDocumentMetadata", "Include metadata", true)
            .help("Whether to include metadata in the results.")
            .show("mode", results),
        Param::flag("useReranker", "Rerank results", false)
            .help("Whether to rerank the results with the connected reranker.")
            .show("mode", searches),
        Param::text("id", "ID", "").help("ID of the entry to replace.").show("mode", update),
    ]);
    let options = |params: Vec<Param>| {
        Param::collection("options", "Options", params).help("Further settings.")
    };
    if !about.insert_options.is_empty() {
        params.push(options(about.insert_options).show("mode", insert));
    }
    if !about.search_options.is_empty() {
        params.push(options(about.search_options).show("mode", searches));
    }
    params
}

/// The option by which only some documents are found.
fn filter_param() -> Param {
    metadata_param("Metadata filter", "Metadata that documents must have to be found.")
}

/// Where something chosen from a list, or written, is.
fn chosen(ctx: &Ctx<'_>, name: &str, item: usize) -> Result<Str, NodeError> {
    let value = ctx.param(name, item)?;
    let value = value.get("value").unwrap_or(&value);
    let text = if value.is_nullish() { Str::new() } else { Str::from(value.to_js_string().trim()) };
    match text.is_empty() || value.is_object() {
        true => {
            Err(NodeError::parameter(name, format!("The parameter '{name}' is empty"))
                .on_item(item))
        }
        false => Ok(text),
    }
}

async fn searchable<B: VectorBackend>(
    ctx: &Ctx<'_>,
    item: usize,
) -> Result<SearchableStore, NodeError> {
    let reranker =
        if ctx.flag("useReranker", item)? { Some(reranker(ctx, item).await?) } else { None };
    Ok(SearchableStore {
        embedder: sub_nodes::embedder(ctx, item).await?,
        store: B::open(ctx, item, StorePurpose::Search).await?,
        metadata: metadata(ctx, "options.metadata", item)?,
        reranker,
    })
}

async fn reranker(ctx: &Ctx<'_>, item: usize) -> Result<Arc<dyn Reranker>, NodeError> {
    let supplied = ctx.host().supplies(Kind::AiReranker, item).await?;
    let reranker = supplied.into_iter().find_map(|supplied| {
        if let Supply::Reranker(found) = supplied.supply { Some(found) } else { None }
    });
    reranker.ok_or_else(|| sub_nodes::not_connected("reranker"))
}

async fn find<B: VectorBackend>(
    ctx: &Ctx<'_>,
    item: usize,
    question: &str,
) -> Result<Vec<ScoredDocument>, NodeError> {
    let limit = ctx.number("topK", item)?.max(1.0) as usize;
    searchable::<B>(ctx, item).await?.find(question, limit).await
}

async fn load<B: VectorBackend>(ctx: &Ctx<'_>, items: &Items) -> Result<Outputs, NodeError> {
    let mut output = ctx.builder();
    for index in 0..items.len() {
        let made = match ctx.text("prompt", index) {
            Ok(prompt) => find::<B>(ctx, index, &prompt).await,
            Err(error) => Err(error),
        };
        match made {
            Ok(found) => {
                let with_metadata = ctx.flag("includeDocumentMetadata", index)?;
                for found in found {
                    let json = [
                        ("document", shown(found.document, with_metadata)),
                        ("score", found.score.into()),
                    ];
                    output.push(Item::new(Object::from_iter(json)).paired_with(index));
                }
            }
            Err(error) => output.push(ctx.failed_item(index, error)?),
        }
    }
    Ok(vec![output.finish()])
}

fn shown(document: Document, with_metadata: bool) -> Value {
    let mut shown = Object::from_iter([("pageContent", document.content)]);
    if with_metadata {
        shown.insert("metadata", document.metadata);
    }
    shown.into()
}

async fn insert<B: VectorBackend>(ctx: &Ctx<'_>, items: &Items) -> Result<Outputs, NodeError> {
    let mut output = ctx.builder();
    let mut documents = Vec::new();
    let embedder = sub_nodes::embedder(ctx, 0).await?;
    for (index, item) in items.iter().enumerate() {
        let loaded = sub_nodes::loader(ctx, index).await?.load(&item, index).await?;
        for document in &loaded {
            let json = [
                ("metadata", Value::from(document.metadata.clone())),
                ("pageContent", document.content.clone().into()),
            ];
            output.push(Item::new(Object::from_iter(json)).paired_with(index));
        }
        documents.extend(loaded);
    }
    let batch =
        ctx.param("embeddingBatchSize", 0)?.as_f64().filter(|batch| *batch >= 1.0).unwrap_or(200.0)
            as usize;
    let mut purpose = StorePurpose::InsertFirst;
    for documents in documents.chunks(batch) {
        if ctx.host().is_cancelled() {
            return Err(NodeError::cancelled());
        }
        let texts: Vec<Str> = documents.iter().map(|document| document.content.clone()).collect();
        let vectors = embedder.embed(&texts).await?;
        if vectors.len() != documents.len() {
            return Err(NodeError::failed(format!(
                "The embedding model returned {} vectors for {} texts",
                vectors.len(),
                documents.len()
            )));
        }
        let store = B::open(ctx, 0, purpose).await?;
        store.insert(documents.to_vec(), vectors).await?;
        purpose = StorePurpose::InsertMore;
    }
    Ok(vec![output.finish()])
}

/// The one text of each item takes the place of an entry.
async fn update<B: VectorBackend>(ctx: &Ctx<'_>, items: &Items) -> Result<Outputs, NodeError> {
    let mut output = ctx.builder();
    let embedder = sub_nodes::embedder(ctx, 0).await?;
    for (index, item) in items.iter().enumerate() {
        let texts = strings(&item.json, "");
        let [text] = texts.as_slice() else {
            return Err(NodeError::input("Single document per item expected").on_item(index));
        };
        let metadata = Object::from_iter([("source", "blob"), ("blobType", "application/json")]);
        let document = Document { content: text.clone(), metadata };
        let vectors = embedder.embed(std::slice::from_ref(text)).await?;
        let vector = vectors
            .into_iter()
            .next()
            .ok_or_else(|| NodeError::failed("The embedding model returned no vector"))?;
        let store = B::open(ctx, index, StorePurpose::InsertMore).await?;
        store
            .update(&chosen(ctx, "id", index)?, document.clone(), vector)
            .await
            .map_err(|error| error.on_item(index))?;
        let json = [
            ("metadata", Value::from(document.metadata)),
            ("pageContent", document.content.into()),
        ];
        output.push(Item::new(Object::from_iter(json)).paired_with(index));
    }
    Ok(vec![output.finish()])
}

/// The model gives what to look for, beside what the parameters ask of it.
fn with_input(mut schema: Value) -> Value {
    let input = json!({ "type": "string", "description": "Query to search for. Required" });
    let fields = schema.make_object();
    let mut properties =
        fields.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    properties.insert("input", input);
    fields.insert("properties", properties);
    let mut required =
        fields.get("required").and_then(Value::as_array).unwrap_or_default().to_vec();
    required.push("input".into());
    fields.insert("required", Value::array(required));
    schema
}

async fn answer<B: VectorBackend>(call: &ToolInvocation) -> Result<ToolOutput, NodeError> {
    let (ctx, item) = (call.ctx.ctx(), call.ctx.item());
    let question = call.text("input");
    let with_metadata = ctx.flag("includeDocumentMetadata", item)?;
    let found = find::<B>(&ctx, item, &question).await?;
    let told = found.iter().map(|found| {
        let text = model::json::to_string(&shown(found.document.clone(), with_metadata));
        Object::from_iter([("type", Value::from("text")), ("text", text.into())]).into()
    });
    Ok(ToolOutput::new(Value::array(told.collect())).found_in(&found))
}
