//! n8n's node for Google's Gemini.

mod files;
mod media;
mod params;
mod text;
mod video;

use super::unsupported_operation;
use crate::ai::batches::Batches;
use model::Kind;
use node_api::prelude::*;

pub(crate) struct GoogleGemini;

impl Node for GoogleGemini {
    fn spec() -> Spec {
        Spec::new(
            "@n8n/n8n-nodes-langchain.googleGemini",
            &[1.0, 1.1, 1.2],
            "Google Gemini",
            "Generate text and analyze files with Google models",
        )
        .untrusted()
        .sends_to("url")
        .sends_to("fileUrl")
        .sends_to_each("audioUrls")
        .sends_to_each("documentUrls")
        .sends_to_each("imageUrls")
        .sends_to_each("videoUrls")
        .group(NodeGroup::Ai)
        .inputs([Port::main(), Port::of(Kind::AiTool, "Tools")])
        .credential("googlePalmApi", true)
        .params(params::params())
        .hint(
            "For images, audio, videos and documents. For text, an agent or a chain with a model \
             node makes it easier to switch providers.",
        )
        .alias(&["google", "bard", "imagen", "transcribe", "ocr"])
        .records_steps()
        .differs_when(
            "resource",
            &["fileSearch", "cache"],
            "Managing stores and caches at the provider is not supported.",
        )
        .note("Files are sent with the prompt, up to the provider's inline limit of 20 MB.")
        .note(
            "Every response is stored on disk before the node continues. After a crash nothing is \
             requested or paid for again.",
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let made = |index: usize| {
            let item = items.get(index).unwrap_or_default();
            async move { run_operation(ctx, index, &item).await }
        };
        Batches::one_by_one().output(ctx, &items, made).await
    }
}

async fn run_operation(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Vec<Item>, NodeError> {
    let (resource, operation) = (ctx.text("resource", index)?, ctx.text("operation", index)?);
    match (resource.as_str(), operation.as_str()) {
        ("text", "message") => text::message(ctx, index).await,
        ("audio" | "document" | "image" | "video", "analyze") => {
            media::analyze(ctx, index, item, &resource).await
        }
        ("audio", "transcribe") => media::transcribe(ctx, index, item).await,
        ("image", "generate") => media::generate(ctx, index).await,
        ("image", "edit") => media::edit(ctx, index, item).await,
        ("video", "generate") => video::generate(ctx, index).await,
        ("video", "download") => video::download(ctx, index).await,
        ("file", "upload") => files::upload(ctx, index, item).await,
        _ => Err(unsupported_operation(
            &resource,
            &operation,
            "Use an HTTP Request node with the Google Gemini credential.",
        )),
    }
    .map_err(|error| error.on_item(index))
}
