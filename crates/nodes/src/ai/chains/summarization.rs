//! Sums a text up, piece by piece if it is long.

use super::text_chunks::chunk_text;
use super::{chain_spec, fill_template};
use crate::ai::agent_host::NodeAgentHost;
use crate::ai::batches::Batches;
use crate::ai::sub_nodes::model;
use agent::{AgentError, ask_for_text};
use model::Kind;
use node_api::ai::{ChatModel, Message, Supply};
use node_api::prelude::*;

const SUMMARIZE: &str = "Sum this text up in few words:\n\n\"{text}\"";
const REFINE: &str = "This is a summary of the beginning of a text:\n\n\"{existing_answer}\"\n\nThe text goes on:\n\n\"{text}\"\n\nGive the summary again with what is new in it. If nothing is, give it as it is.";
/// Texts that are longer together are summed up one by one before they are put together, as far as
/// letters tell tokens.
const MAX_LETTERS: usize = 3000 * 4;
/// How often summaries are summed up again.
const MAX_ROUNDS: usize = 10;

pub(crate) struct ChainSummarization;

impl Node for ChainSummarization {
    fn spec() -> Spec {
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.chainSummarization",
            &[1.0, 2.0, 2.1],
            "Summarization Chain",
            "Summarize texts of any length",
        )
        .icon("file-text");
        chain_spec(spec)
            .inputs([
                Port::main(),
                Port::of(Kind::AiLanguageModel, "Model"),
                Port::of(Kind::AiDocument, "Document").optional(),
                Port::of(Kind::AiTextSplitter, "Text Splitter"),
            ])
            .params(params())
            .hint("For texts that exceed a model's context window: each chunk is summarized and the \
                 summaries are combined.")
            .alias(&["summary", "tldr", "condense"])
            .computes()
            .note("Every model response is stored on disk before the node continues. After a crash no \
                 chunk is summarized again.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let batches =
            Batches::read(ctx, "options.batching", if ctx.version() >= 2.1 { 5 } else { 1 })?;
        let field = if ctx.version() >= 2.1 { "output" } else { "response" };
        let summary = |index: usize| {
            let item = items.get(index).unwrap_or_default();
            async move {
                let text = summary(ctx, index, &item).await?;
                Ok(vec![Item::new(Object::from_iter([(
                    field,
                    Object::from_iter([("text", text)]),
                )]))])
            }
        };
        batches.output(ctx, &items, summary).await
    }
}

fn params() -> Vec<Param> {
    let sources = [
        ("nodeInputJson", "Node input (JSON)"),
        ("nodeInputBinary", "Node input (binary)"),
        ("documentLoader", "Document loader"),
    ];
    let methods = [("map_reduce", "Map reduce"), ("refine", "Refine"), ("stuff", "Stuff")];
    let prompts = || {
        [
            Param::long_text("combineMapPrompt", "Individual summary prompt", SUMMARIZE)
                .help("Prompt to summarize a chunk. {text} is replaced with the chunk."),
            Param::long_text("prompt", "Final prompt", SUMMARIZE)
                .help("Prompt to combine the summaries, or to summarize everything at once."),
            Param::long_text("refinePrompt", "Subsequent prompt", REFINE).help(
                "Prompt to refine a summary. {existing_answer} is replaced with the summary, \
                     {text} with the next chunk.",
            ),
            Param::long_text("refineQuestionPrompt", "Initial prompt", SUMMARIZE)
                .help("Prompt to summarize the first chunk when refining."),
        ]
    };
    let method = || {
        Param::choice("summarizationMethod", "Summarization method", &methods)
            .help("Summarize chunks separately, one after the other, or all at once.")
    };
    let values = FieldGroup::new("values", "Values", [method()].into_iter().chain(prompts()));
    let options = [
        Param::text("binaryDataKey", "Input data field name", "data")
            .help("Binary field of the item to summarize."),
        Param::group("summarizationMethodAndPrompts", "Method and prompts", [values])
            .help("Additional options."),
        Batches::param(5).since(2.1),
    ];
    vec![
        Param::choice("type", "Type", &methods)
            .until(1.0)
            .help("Summarize chunks separately, one after the other, or all at once."),
        Param::choice("operationMode", "Data to summarize", &sources)
            .raw()
            .since(2.0)
            .help("Source of the text."),
        Param::choice(
            "chunkingMode",
            "Chunking strategy",
            &[("simple", "Simple"), ("advanced", "Advanced: a text splitter")],
        )
        .raw()
        .since(2.0)
        .show("operationMode", &["nodeInputJson", "nodeInputBinary"])
        .help("How to split the text into chunks."),
        Param::number("chunkSize", "Characters per chunk", 1000)
            .since(2.0)
            .at_least(1.0)
            .show("chunkingMode", &["simple"])
            .help("Maximum chunk size."),
        Param::number("chunkOverlap", "Chunk overlap", 200)
            .since(2.0)
            .at_least(0.0)
            .show("chunkingMode", &["simple"])
            .help("Number of characters a chunk shares with the previous one."),
        Param::collection("options", "Options", prompts()).until(1.0).help("The prompts."),
        Param::collection("options", "Options", options)
            .since(2.0)
            .help("The method and the prompts."),
    ]
}

async fn summary(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Str, NodeError> {
    let texts = texts(ctx, index, item).await?;
    let (method, prompts) = match ctx.version() < 2.0 {
        true => (ctx.text("type", index)?, ctx.param("options", index)?),
        false => {
            let values = ctx.param("options.summarizationMethodAndPrompts.values", index)?;
            (values.get("summarizationMethod").map(Value::to_js_string).unwrap_or_default(), values)
        }
    };
    let asker = Summarizer { ctx, index, model: &*model(ctx, index).await?, prompts };
    match method.as_str() {
        "stuff" => asker.ask("all", "prompt", &texts.join("\n\n"), "").await,
        "refine" => asker.refine(&texts).await,
        _ => asker.map_reduce(texts).await,
    }
}

struct Summarizer<'c> {
    ctx: &'c Ctx<'c>,
    index: usize,
    model: &'c dyn ChatModel,
    prompts: Value,
}

impl Summarizer<'_> {
    async fn ask(
        &self,
        key: &str,
        prompt: &str,
        text: &str,
        so_far: &str,
    ) -> Result<Str, NodeError> {
        let default = if prompt == "refinePrompt" { REFINE } else { SUMMARIZE };
        let given = self
            .prompts
            .get(prompt)
            .and_then(Value::as_str)
            .filter(|prompt| !prompt.trim().is_empty());
        let words =
            fill_template(given.unwrap_or(default), &[("text", text), ("existing_answer", so_far)]);
        let world = NodeAgentHost::silent(self.ctx, self.index);
        let turn = ask_for_text(&world, self.model, key, vec![Message::user(words)]).await;
        Ok(turn.map_err(AgentError::into_node_error)?.message.text())
    }

    async fn refine(&self, texts: &[String]) -> Result<Str, NodeError> {
        let mut so_far = Str::new();
        for (number, text) in texts.iter().enumerate() {
            let prompt = if number == 0 { "refineQuestionPrompt" } else { "refinePrompt" };
            so_far = self.ask(&format!("piece {number}"), prompt, text, &so_far).await?;
        }
        Ok(so_far)
    }

    /// Sums pieces up until they are short enough together, then puts them together.
    async fn map_reduce(&self, mut texts: Vec<String>) -> Result<Str, NodeError> {
        for round in 0..MAX_ROUNDS {
            if texts.iter().map(String::len).sum::<usize>() < MAX_LETTERS {
                break;
            }
            let mut shorter = Vec::with_capacity(texts.len());
            for (number, text) in texts.iter().enumerate() {
                let key = format!("round {round}, piece {number}");
                shorter.push(self.ask(&key, "combineMapPrompt", text, "").await?.to_string());
            }
            texts = shorter;
        }
        self.ask("all", "prompt", &texts.join("\n\n"), "").await
    }
}

/// The pieces of an item's text.
async fn texts(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Vec<String>, NodeError> {
    let source = if ctx.version() < 2.0 {
        "documentLoader".into()
    } else {
        ctx.text("operationMode", index)?
    };
    let whole = match source.as_str() {
        "documentLoader" => return load_documents(ctx, index, item).await,
        "nodeInputBinary" => vec![file_text(ctx, index, item)?],
        _ => strings(&item.json),
    };
    if ctx.param("chunkingMode", index)?.as_str() == Some("advanced") {
        let supplied = ctx.host().supplies(Kind::AiTextSplitter, index).await?;
        let splitter = supplied.into_iter().find_map(|supplied| {
            if let Supply::Splitter(splitter) = supplied.supply { Some(splitter) } else { None }
        });
        return Ok(match splitter {
            Some(splitter) => whole
                .iter()
                .flat_map(|text| splitter.split(text))
                .map(|piece| piece.to_string())
                .collect(),
            None => whole,
        });
    }
    let (size, overlap) = (
        ctx.number("chunkSize", index)?.max(1.0) as usize,
        ctx.number("chunkOverlap", index)?.max(0.0) as usize,
    );
    Ok(whole.iter().flat_map(|text| chunk_text(text, size, overlap)).collect())
}

async fn load_documents(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
) -> Result<Vec<String>, NodeError> {
    let supplied = ctx.host().supplies(Kind::AiDocument, index).await?;
    let loader = supplied.into_iter().find_map(|supplied| {
        if let Supply::Loader(loader) = supplied.supply { Some(loader) } else { None }
    });
    let loader = loader.ok_or_else(|| {
        NodeError::failed("A document loader is not connected")
            .hint("Connect one, or use the node's input.")
    })?;
    Ok(loader
        .load(item, index)
        .await?
        .into_iter()
        .map(|document| document.content.to_string())
        .collect())
}

fn file_text(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<String, NodeError> {
    let name = ctx.param("options.binaryDataKey", index)?;
    let file = ctx.binary(item, index, name.as_str().unwrap_or("data"))?;
    String::from_utf8(file.data.to_vec()).map_err(|_| {
        NodeError::input(format!("The file is not text but {}", file.mime_type))
            .hint("Add a node before this one that extracts the text from the file.")
            .on_item(index)
    })
}

/// Every text in an item, wherever it stands.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.to_string()],
        Value::Array(values) => values.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
