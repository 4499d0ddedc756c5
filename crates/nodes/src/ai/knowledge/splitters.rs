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
        spec(
            "textSplitterCharacterTextSplitter",
            "Character Text Splitter",
            "Split texts at a separator",
        )
        .param(
            Param::text("separator", "Separator", "")
                .help("Separator to split at. If empty, texts are split anywhere."),
        )
        .params(length_params(1000, "Letters"))
        .hint(
            "For texts with a separator between their parts. Otherwise use the Recursive \
                 Character Text Splitter.",
        )
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
            .help("Language of the texts, which are then split at its functions or headings.");
        spec(
            "textSplitterRecursiveCharacterTextSplitter",
            "Recursive Character Text Splitter",
            "Split texts at paragraphs, then lines, then words",
        )
        .params(length_params(1000, "Letters"))
        .param(Param::collection("options", "Options", [code]).help("Type of the texts."))
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
            "Split texts by the tokens of OpenAI models",
        )
        .params(length_params(1000, "Tokens"))
        .hint("For models with a fixed token limit. Words can be split.")
        .differs("Tokens of long repetitive texts are counted exactly, where n8n estimates them.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        Ok(supply_splitter(TiktokenSplitter(lengths(&ctx)?)))
    }
}

fn spec(node: &str, name: &str, summary: &str) -> Spec {
    Spec::new(&format!("@n8n/n8n-nodes-langchain.{node}"), &[1.0], name, summary)
        .group(NodeGroup::Ai)
        .inputs([])
        .icon("scissors")
        .outputs([Port::of(Kind::AiTextSplitter, "Text Splitter")])
        .alias(&["chunk", "chunking", "split"])
}

fn length_params(size: i32, what: &str) -> [Param; 2] {
    [
        Param::number("chunkSize", "Chunk size", size)
            .at_least(1.0)
            .help(&format!("{what} per chunk, at most.")),
        Param::number("chunkOverlap", "Chunk overlap", 0)
            .at_least(0.0)
            .help(&format!("{what} shared by two chunks.")),
    ]
}

fn lengths(ctx: &SupplyCtx) -> Result<ChunkLengths, NodeError> {
    let number = |name: &str| ctx.ctx().number(name, ctx.item());
    ChunkLengths::new(number("chunkSize")?, number("chunkOverlap")?)
}

fn supply_splitter(splitter: impl Splitter + 'static) -> Supply {
    Supply::Splitter(Arc::new(splitter))
}
