//! n8n's node for Anthropic.

mod files;
mod media;
mod params;
mod prompts;
mod text;

use super::api::VendorApi;
use super::unsupported_operation;
use crate::ai::batches::Batches;
use crate::ai::models::{custom_header, field, secret};
use model::Kind;
use node_api::Credential;
use node_api::prelude::*;
use providers::models::anthropic::{BASE_URL, OLD_VERSION};
use providers::models::secret::Secret;

/// Parts of the API that it offers only to those who name them.
const FILES_BETA: &str = "files-api-2025-04-14";
const PROMPTS_BETA: &str = "prompt-tools-2025-04-02";
const CODE_BETA: &str = "code-execution-2025-05-22";

pub(crate) struct AnthropicNode;

impl Node for AnthropicNode {
    fn spec() -> Spec {
        Spec::new(
            "@n8n/n8n-nodes-langchain.anthropic",
            &[1.0],
            "Anthropic",
            "Generate text, analyze images and documents, and manage files with Anthropic",
        )
        .untrusted()
        .sends_to("fileUrl")
        .sends_to_each("attachmentsUrls")
        .sends_to_each("documentUrls")
        .sends_to_each("imageUrls")
        .group(NodeGroup::Ai)
        .inputs([Port::main(), Port::of(Kind::AiTool, "Tools")])
        .credential("anthropicApi", true)
        .params(params::params())
        .hint(
            "For images, documents and files at the provider. For text, an agent or a chain with \
             a model node makes it easier to switch providers.",
        )
        .alias(&["claude", "sonnet", "opus", "haiku", "llm", "ocr", "pdf"])
        .records_steps()
        .differs_when(
            "options.codeExecution",
            &[true],
            "Attachments are shown to the model, not copied to where it runs code.",
        )
        .note("Documents can be PDF files or text.")
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
        ("text", "message") => text::message(ctx, index, item).await,
        ("document" | "image", "analyze") => text::analyze(ctx, index, item, &resource).await,
        ("file", "upload") => files::upload(ctx, index, item).await,
        ("file", "get") => files::get(ctx, index).await,
        ("file", "list") => files::list(ctx, index).await,
        ("file", "delete") | ("file", "deleteFile") => files::delete(ctx, index).await,
        ("prompt", "generate" | "improve" | "templatize") => {
            prompts::call(ctx, index, &operation).await
        }
        _ => Err(unsupported_operation(
            &resource,
            &operation,
            "Use an HTTP Request node with the Anthropic credential.",
        )),
    }
    .map_err(|error| error.on_item(index))
}

/// The provider beside its conversations.
fn api(ctx: &Ctx<'_>, index: usize, beta: &str) -> Result<VendorApi, NodeError> {
    let credential = ctx.host().credential("anthropicApi", index)?;
    let mut headers = vec![
        ("x-api-key".to_owned(), secret(&credential, "apiKey")),
        ("anthropic-version".to_owned(), Secret::new(OLD_VERSION)),
        ("anthropic-beta".to_owned(), Secret::new(beta)),
    ];
    headers.extend(custom_header(&credential));
    Ok(VendorApi::new(&base_url(&credential), headers))
}

fn base_url(credential: &Credential) -> String {
    match field(credential, "url").trim().trim_end_matches('/') {
        "" => BASE_URL.to_owned(),
        url => url.strip_suffix("/v1").unwrap_or(url).to_owned(),
    }
}
