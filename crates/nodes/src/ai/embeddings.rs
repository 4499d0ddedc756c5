//! Embedding models: what turns texts into vectors.

pub(super) mod bedrock;
pub(super) mod embed_texts;
pub(super) mod hugging_face;
pub(super) mod local;
pub(super) mod openai;
pub(super) mod other_providers;

use crate::ai::models::azure::{azure_settings, deployment};
use crate::ai::models::openai::openai_settings;
use model::Kind;
use node_api::Credential;
use node_api::ai::{Embedder, ModelInfo, Supply};
use node_api::http::Http;
use node_api::prelude::*;
use providers::models::catalog::Catalog;
use providers::models::openai::OpenAiEmbedder;
use providers::models::requester::ModelAccess;
use std::sync::Arc;

/// The description of one of n8n's nodes that supply an embedding model.
fn embedding_spec(node: &str, versions: &[f64], name: &str) -> Spec {
    let id = format!("@n8n/n8n-nodes-langchain.{node}");
    Spec::new(&id, versions, name, "Create embeddings, compatible with n8n")
        .group(NodeGroup::Ai)
        .inputs([])
        .icon("brain-circuit")
        .outputs([Port::of(Kind::AiEmbedding, "Embeddings")])
        .hint("Connect it to a vector store. Vectors of different models are not compatible.")
        .alias(&["vector", "semantic search"])
}

fn model_param(name: &str, default: &str) -> Param {
    Param::text(name, "Model", default).help("Model name as used by the provider.")
}

fn supply(embedder: impl Embedder + 'static) -> Supply {
    Supply::Embedder(Arc::new(embedder))
}

/// The embedding model that a credential of a provider pays for; the provider's usual one if none
/// is named.
pub(super) fn embedder_of(
    kind: &str,
    credential: &Credential,
    model: Option<&Str>,
    http: Arc<dyn Http>,
) -> Result<Arc<dyn Embedder>, NodeError> {
    let access = ModelAccess::new(http);
    let named = |usual: &str| model.cloned().unwrap_or_else(|| usual.into());
    let known = |provider: &str, usual: &str| Catalog::current().find(provider, &named(usual)).info;
    let of_openai = |info: ModelInfo, settings| {
        Arc::new(OpenAiEmbedder::new(info, settings, &access)) as Arc<dyn Embedder>
    };
    Ok(match kind {
        "openAiApi" => {
            of_openai(known("openai", "text-embedding-3-small"), openai_settings(credential))
        }
        "mistralCloudApi" => {
            of_openai(known("mistral", "mistral-embed"), openai::mistral_settings(credential))
        }
        "azureOpenAiApi" => {
            of_openai(deployment(&named("text-embedding-3-small")), azure_settings(credential)?)
        }
        "googlePalmApi" => {
            other_providers::gemini(&named("models/gemini-embedding-001"), credential, &access)
        }
        "ollamaApi" => other_providers::ollama(&named("nomic-embed-text"), credential, &access),
        "cohereApi" => other_providers::cohere(&named("embed-v4.0"), credential, &access),
        other => {
            return Err(NodeError::credential(format!(
                "Credentials of type '{}' do not support embedding models",
                other.chars().take(100).collect::<String>()
            ))
            .hint("Choose a credential for OpenAI, Azure, Mistral, Gemini, Cohere or Ollama."));
        }
    })
}
