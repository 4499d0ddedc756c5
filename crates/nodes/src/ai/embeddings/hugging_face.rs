//! n8n's Embeddings Hugging Face Inference.

use super::{embedding_spec, model_param, supply};
use crate::ai::models::{access, chosen_model, secret};
use node_api::ai::Supply;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use providers::models::catalog::Catalog;
use providers::models::endpoint::ModelEndpoint;
use providers::models::hugging_face::{BASE_URL, HuggingFaceEmbedder, HuggingFaceSettings};

const MODEL: &str = "sentence-transformers/distilbert-base-nli-mean-tokens";

/// The service's own servers, by the names that it has had.
const OWN: [&str; 3] = ["", "auto", "hf-inference"];

pub(crate) struct EmbeddingsHuggingFaceInference;

impl Supplier for EmbeddingsHuggingFaceInference {
    fn spec() -> Spec {
        let options = [
            Param::text("endpointUrl", "Custom inference endpoint", "").help(
                "URL of an endpoint of your own. Its host must be among the allowed hosts of the \
                 credential.",
            ),
            Param::text("provider", "Inference provider", "auto")
                .help("Only hf-inference, which is the default, is supported."),
        ];
        embedding_spec(
            "embeddingsHuggingFaceInference",
            &[1.0],
            "Embeddings Hugging Face Inference",
        )
        .credential("huggingFaceApi", true)
        .params([
            model_param("modelName", MODEL),
            Param::collection("options", "Options", options).help("Request options."),
        ])
        .alias(&["huggingface", "sentence transformers"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (inner, item) = (ctx.ctx(), ctx.item());
        let credential = inner.host().credential("huggingFaceApi", item)?;
        let endpoint = inner.text("options.endpointUrl", item)?;
        let provider = inner.text("options.provider", item)?;
        let is_endpoint = !endpoint.trim().is_empty();
        if !is_endpoint && !OWN.contains(&provider.as_str()) {
            return Err(NodeError::parameter(
                "options.provider",
                format!("The inference provider '{provider}' is not supported"),
            )
            .hint("Choose hf-inference, or enter the URL of an endpoint."));
        }
        let url = if is_endpoint { endpoint.trim() } else { BASE_URL };
        let place = ModelEndpoint::new(url, secret(&credential, "apiKey"));
        let info = Catalog::current().find("hugging face", &chosen_model(&ctx, "modelName")?).info;
        let settings = HuggingFaceSettings { is_endpoint };
        let access = access(&ctx, &Value::Undefined)?;
        Ok(supply(HuggingFaceEmbedder::new(info, settings, place, &access)))
    }
}
