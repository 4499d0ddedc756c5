//! n8n's node for OpenAI.

mod audio;
mod files;
mod images;
mod params;
mod text;

use super::api::VendorApi;
use super::unsupported_operation;
use crate::ai::batches::Batches;
use crate::ai::models::{custom_header, field, secret};
use model::Kind;
use node_api::prelude::*;
use providers::models::secret::Secret;

const BASE_URL: &str = "https://api.openai.com/v1";
const NO_ASSISTANTS: &str =
    "The provider has discontinued assistants. Use an AI Agent with a model, tools and a memory.";

pub(crate) struct OpenAiNode;

impl Node for OpenAiNode {
    fn spec() -> Spec {
        let versions = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 2.0, 2.1, 2.2, 2.3];
        Spec::new(
            "@n8n/n8n-nodes-langchain.openAi",
            &versions,
            "OpenAI",
            "Generate text, images and speech, and manage files with OpenAI",
        )
        .untrusted()
        .sends_to_each("imageUrls")
        .sends_to("responses.values.*.imageUrl")
        .sends_to("responses.values.*.fileUrl")
        .group(NodeGroup::Ai)
        .inputs([Port::main(), Port::of(Kind::AiTool, "Tools")])
        .credential("openAiApi", true)
        .params(params::params())
        .hint(
            "For images, speech and moderation. For text, an agent or a chain with a model node \
                 makes it easier to switch providers.",
        )
        .alias(&["gpt", "chatgpt", "dall-e", "whisper", "tts", "moderation"])
        .records_steps()
        .differs_when(
            "resource",
            &["assistant", "conversation", "video"],
            "Assistants, conversations and videos are not available.",
        )
        .note(
            "Every response is stored on disk before the node continues. After a crash nothing \
                 is requested or paid for again.",
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
        ("text", "response") => text::response(ctx, index, item).await,
        ("text", "classify") => text::classify(ctx, index).await,
        ("image", "analyze") => images::analyze(ctx, index, item).await,
        ("image", "generate") => images::generate(ctx, index).await,
        ("image", "edit") => images::edit(ctx, index, item).await,
        ("audio", "generate") => audio::synthesize_speech(ctx, index).await,
        ("audio", "transcribe" | "translate") => {
            audio::transcribe(ctx, index, item, &operation).await
        }
        ("file", "upload") => files::upload(ctx, index, item).await,
        ("file", "list") => files::list(ctx, index).await,
        ("file", "deleteFile") => files::delete(ctx, index).await,
        ("assistant", _) => Err(unsupported_operation(&resource, &operation, NO_ASSISTANTS)),
        _ => Err(unsupported_operation(
            &resource,
            &operation,
            "Use an HTTP Request node with the OpenAI credential.",
        )),
    }
    .map_err(|error| error.on_item(index))
}

fn api(ctx: &Ctx<'_>, index: usize) -> Result<VendorApi, NodeError> {
    let credential = ctx.host().credential("openAiApi", index)?;
    let url = field(&credential, "url");
    let mut headers = vec![(
        "authorization".to_owned(),
        secret(&credential, "apiKey").map(|key| format!("Bearer {key}")),
    )];
    let organization = field(&credential, "organizationId");
    if !organization.is_empty() {
        headers.push(("openai-organization".to_owned(), Secret::of(&credential, organization)));
    }
    headers.extend(custom_header(&credential));
    Ok(VendorApi::new(if url.trim().is_empty() { BASE_URL } else { &url }, headers))
}
