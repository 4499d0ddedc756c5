//! n8n's text splitters.

use super::split::{
    CharacterSplitter, ChunkLengths, DEFAULT_SEPARATORS, LANGUAGES, RecursiveSplitter,
    TiktokenSplitter, separators_of,
};
use model::Kind;
use node_api::ai::{Splitter, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use std::sync::Arc;

pub(crate) struct CharacterTextSplitter;

impl Supplier for CharacterTextSplitter {
    fn spec() -> Spec {
        spec("textSplitterCharacterTextSplitter", "Character Text Splitter", "Cut texts at a separator")
            .param(Param::text("separator", "Separator", "").help("Where texts are cut; anywhere if empty."))
            .params(length_params(1000, "Letters"))
            .hint("For texts with a mark between their parts; else use the Recursive Character Text Splitter.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let separator = ctx.ctx().text("separator", ctx.item())?;
        Ok(supply_splitter(CharacterSplitter { separator, lengths: lengths(&ctx)? }))
    }
}

pub(crate) struct RecursiveCharacterTextSplitter;

impl Supplier for RecursiveCharacterTextSplitter {
    fn spec() -> Spec {
        let languages: Vec<(&str, &str)> =
            LANGUAGES.iter().map(|(name, _)| (*name, *name)).collect();
        let code = Param::choice("splitCode", "Split code", &languages)
            .preset("markdown")
            .help("The language of the texts, which are then cut at its functions or headings.");
        spec(
            "textSplitterRecursiveCharacterTextSplitter",
            "Recursive Character Text Splitter",
            "Cut texts at paragraphs, then lines, then words",
        )
        .params(length_params(1000, "Letters"))
        .param(Param::collection("options", "Options", [code]).help("What the texts are."))
        .hint("The best choice for most texts. Connect it to a document loader.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let language = ctx.ctx().text("options.splitCode", ctx.item())?;
        let separators = separators_of(&language).unwrap_or(DEFAULT_SEPARATORS);
        Ok(supply_splitter(RecursiveSplitter {
            separators,
            lengths: lengths(&ctx)?,
            keeps_separators: false,
        }))
    }
}

pub(crate) struct TokenSplitter;

impl Supplier for TokenSplitter {
    fn spec() -> Spec {
        spec(
            "textSplitterTokenSplitter",
            "Token Splitter",
            "Cut texts by the tokens of OpenAI's models",
        )
        .params(length_params(1000, "Tokens"))
        .hint("For models that take a fixed number of tokens. Words may be cut in two.")
        .differs("The tokens of long repeated texts are counted too, where n8n estimates them.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        Ok(supply_splitter(TiktokenSplitter(lengths(&ctx)?)))
    }
}

fn spec(node: &str, name: &str, summary: &str) -> Spec {
    Spec::new(&format!("@n8n/n8n-nodes-langchain.{node}"), &[1.0], name, summary)
        .group(NodeGroup::Ai)
        .inputs([])
        .outputs([Port::of(Kind::AiTextSplitter, "Text Splitter")])
        .alias(&["chunk", "chunking", "split"])
}

fn length_params(size: i32, what: &str) -> [Param; 2] {
    [
        Param::number("chunkSize", "Chunk size", size)
            .at_least(1.0)
            .help(&format!("{what} of a chunk at most.")),
        Param::number("chunkOverlap", "Chunk overlap", 0)
            .at_least(0.0)
            .help(&format!("{what} that two chunks share.")),
    ]
}

fn lengths(ctx: &SupplyCtx) -> Result<ChunkLengths, NodeError> {
    let number = |name: &str| ctx.ctx().number(name, ctx.item());
    ChunkLengths::new(number("chunkSize")?, number("chunkOverlap")?)
}

fn supply_splitter(splitter: impl Splitter + 'static) -> Supply {
    Supply::Splitter(Arc::new(splitter))
}
