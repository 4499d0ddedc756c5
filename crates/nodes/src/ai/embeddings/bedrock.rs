//! n8n's Embeddings AWS Bedrock.

use super::{embedding_spec, supply};
use crate::ai::models::aws::{authentication_param, bedrock_endpoint, with_access_key};
use crate::ai::models::{access, chosen_model};
use node_api::ai::Supply;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use providers::models::bedrock::{CohereOnBedrock, TitanOnBedrock};
use providers::models::catalog::Catalog;
use providers::models::client::EmbeddingClient;

pub(crate) struct EmbeddingsAwsBedrock;

impl Supplier for EmbeddingsAwsBedrock {
    fn spec() -> Spec {
        with_access_key(embedding_spec("embeddingsAwsBedrock", &[1.0], "Embeddings AWS Bedrock"))
            .params([
                authentication_param(),
                Param::text("model", "Model", "")
                    .required()
                    .help("Model ID or ARN, such as amazon.titan-embed-text-v2:0."),
            ])
            .note(
                "Models of Amazon Titan and Cohere are supported. Titan takes one text a request.",
            )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let model = chosen_model(&ctx, "model")?;
        let place = bedrock_endpoint(&ctx, &model)?;
        let access = access(&ctx, &Value::Undefined)?;
        let info = Catalog::current().find("bedrock", &model).info;
        Ok(match model.contains("cohere.") {
            true => supply(EmbeddingClient::new(info, CohereOnBedrock, place, &access)),
            false => supply(EmbeddingClient::new(info, TitanOnBedrock, place, &access)),
        })
    }
}
