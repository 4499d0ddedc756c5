//! Chat models for agents: what the nodes of all providers have in common.

pub(super) mod anthropic;
pub(super) mod aws;
pub(super) mod azure;
pub(super) mod bedrock;
pub(super) mod fallback;
pub(super) mod gemini;
pub(super) mod local;
pub(super) mod ollama;
pub(super) mod openai;
pub(super) mod openai_compatible;
pub(super) mod openai_n8n;
pub(super) mod options;
pub(super) mod selector;

use model::Kind;
use node_api::ai::{ChatModel, Supply};
use node_api::prelude::*;
use node_api::{Credential, SupplyCtx};
use providers::models::catalog::{Catalog, CatalogModel};
use providers::models::endpoint::ModelEndpoint;
use providers::models::requester::ModelAccess;
use providers::models::secret::Secret;
use std::sync::Arc;

/// The description of a node that supplies a chat model.
pub(super) fn model_spec(spec: Spec) -> Spec {
    spec.group(NodeGroup::Ai)
        .icon("sparkles")
        .inputs([])
        .outputs([Port::of(Kind::AiLanguageModel, "Model")])
}

/// The name of the chosen model, which may be a text or an entry of a list.
pub(super) fn chosen_model(ctx: &SupplyCtx, param: &str) -> Result<Str, NodeError> {
    let value = ctx.ctx().param(param, ctx.item())?;
    let name = match &value {
        Value::Object(locator) => locator.get("value").map(Value::to_js_string).unwrap_or_default(),
        Value::Undefined | Value::Null => Str::new(),
        other => other.to_js_string(),
    };
    if name.trim().is_empty() {
        return Err(
            NodeError::parameter(param, "No model is chosen").hint("Enter the name of a model.")
        );
    }
    Ok(name.trim().into())
}

/// What is known of a model. To one that nobody knows everything is sent that the author of a
/// workflow has set.
pub(super) fn known_or_open(provider: &str, model: &str) -> CatalogModel {
    let mut known = Catalog::current().find(provider, model);
    known.info.capabilities.sampling |= known.info.price.is_none();
    known
}

/// How models are reached, with the time and the retries that the node's options allow.
pub(super) fn access(ctx: &SupplyCtx, options: &Value) -> Result<ModelAccess, NodeError> {
    let http = ctx
        .host()
        .shared_http()
        .ok_or_else(|| NodeError::failed("HTTP access to models is not available"))?;
    let mut access = ModelAccess::new(http);
    if let Some(timeout) =
        options.get("timeout").and_then(Value::as_f64).filter(|timeout| *timeout > 0.0)
    {
        access.limits.whole_ms = timeout as u64;
    }
    if let Some(retries) =
        options.get("maxRetries").and_then(Value::as_f64).filter(|retries| *retries >= 0.0)
    {
        access.retry.max_retries = retries as u32;
    }
    Ok(access)
}

/// The address and the key of a credential, and the header that it adds.
pub(super) fn endpoint(
    credential: &Credential,
    url_field: &str,
    default_url: &str,
) -> ModelEndpoint {
    let url = field(credential, url_field);
    let mut place = ModelEndpoint::new(
        if url.trim().is_empty() { default_url } else { &url },
        secret(credential, "apiKey"),
    );
    place.headers.extend(custom_header(credential));
    place
}

/// The header of the user's own that credentials of n8n may carry.
pub(super) fn custom_header(credential: &Credential) -> Option<(String, Secret)> {
    let wanted = credential.get("header").is_some_and(Value::is_truthy);
    let name = field(credential, "headerName");
    (wanted && !name.is_empty()).then(|| (name, secret(credential, "headerValue")))
}

/// A field that goes nowhere but to the hosts of its credential.
pub(super) fn secret(credential: &Credential, name: &str) -> Secret {
    Secret::of(credential, field(credential, name))
}

pub(super) fn field(credential: &Object, name: &str) -> String {
    credential.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub(super) fn supply(model: impl ChatModel + 'static) -> Supply {
    Supply::Model(Arc::new(model))
}
