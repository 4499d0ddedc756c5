//! Models on a server of Ollama: the node of our own and n8n's two.

use super::options::{collection, own_options, own_params, read};
use super::{access, chosen_model, endpoint, model_spec, supply};
use node_api::ai::{ModelOptions, Supply};
use node_api::prelude::*;
use node_api::{Credential, ParamKind, Supplier, SupplyCtx};
use providers::models::catalog::Catalog;
use providers::models::ollama::{BASE_URL, Ollama, OllamaSettings, abilities};

/// Options of n8n's nodes that go to the server as they are, under the server's names.
const SERVER_OPTIONS: &[(&str, &str)] = &[
    ("lowVram", "low_vram"),
    ("mainGpu", "main_gpu"),
    ("numBatch", "num_batch"),
    ("numGpu", "num_gpu"),
    ("numThread", "num_thread"),
    ("penalizeNewline", "penalize_newline"),
    ("repeatPenalty", "repeat_penalty"),
    ("useMLock", "use_mlock"),
    ("useMMap", "use_mmap"),
    ("vocabOnly", "vocab_only"),
];

pub(crate) struct OllamaModel;

impl Supplier for OllamaModel {
    fn spec() -> Spec {
        model_spec(
            Spec::new("ollama-model", &[1.0], "Ollama Model", "Chat model on an Ollama server")
                .recommended(),
        )
        .credential("ollamaApi", false)
        .params(own_params(
            "llama3.2",
            2.0,
            &[
                "topP",
                "topK",
                "seed",
                "stop",
                "numCtx",
                "keepAlive",
                "format",
                "timeout",
                "maxRetries",
            ],
        ))
        .param(Param::flag("supportsTools", "Takes tools", true).help(
            "Whether the model supports native tool calls. If not, tools are described \
                         in the prompt.",
        ))
        .hint(
            "For self-hosted models. Private addresses must be allowed with \
                 HEDDLE_EGRESS_ALLOW.",
        )
        .alias(&["local model", "llama", "qwen", "llm"])
        .note(
            "The server is asked once whether the model supports tools. If not, tools are \
                 described in the prompt.",
        )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (options, raw) = own_options(&ctx)?;
        let takes_tools = ctx.ctx().flag("supportsTools", ctx.item())?;
        // Without a credential it is the server on this machine.
        let credential = match ctx.ctx().host().has_credential("ollamaApi") {
            true => ctx.ctx().host().credential("ollamaApi", ctx.item())?,
            false => Credential::default(),
        };
        client(&ctx, &credential, options, &raw, takes_tools).await
    }
}

pub(crate) struct LmChatOllama;

impl Supplier for LmChatOllama {
    fn spec() -> Spec {
        n8n_spec("@n8n/n8n-nodes-langchain.lmChatOllama", "Ollama Chat Model").compatible()
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        n8n_client(&ctx).await
    }
}

/// n8n's older node for models that complete texts; here both are asked in the same way.
pub(crate) struct LmOllama;

impl Supplier for LmOllama {
    fn spec() -> Spec {
        n8n_spec("@n8n/n8n-nodes-langchain.lmOllama", "Ollama Model").legacy()
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        n8n_client(&ctx).await
    }
}

fn n8n_spec(id: &str, name: &str) -> Spec {
    let mut options = collection(&[
        "temperature",
        "topK",
        "topP",
        "frequencyPenalty",
        "presencePenalty",
        "keepAlive",
        "numCtx",
        "numPredict",
        "format",
    ]);
    if let ParamKind::Collection { params } = &mut options.kind {
        let help = "Passed to the server unchanged.";
        params.extend(
            SERVER_OPTIONS.iter().map(|(name, label)| Param::text(name, label, "").help(help)),
        );
    }
    model_spec(Spec::new(id, &[1.0], name, "Chat model on an Ollama server, compatible with n8n"))
        .credential("ollamaApi", true)
        .params([
            Param::text("model", "Model", "llama3.2")
                .required()
                .help("Model name as used by the server."),
            options,
        ])
        .hint("For self-hosted models. Private addresses must be allowed with HEDDLE_EGRESS_ALLOW.")
        .alias(&["local model", "llama", "llm"])
}

async fn n8n_client(ctx: &SupplyCtx) -> Result<Supply, NodeError> {
    let raw = ctx.ctx().param("options", ctx.item())?;
    let credential = ctx.ctx().host().credential("ollamaApi", ctx.item())?;
    client(ctx, &credential, read(&raw), &raw, true).await
}

async fn client(
    ctx: &SupplyCtx,
    credential: &Credential,
    mut options: ModelOptions,
    raw: &Value,
    may_take_tools: bool,
) -> Result<Supply, NodeError> {
    let mut known = Catalog::current().find("ollama", &chosen_model(ctx, "model")?);
    let (place, access) = (endpoint(credential, "baseUrl", BASE_URL), access(ctx, raw)?);
    let abilities = abilities(&known.info.model, &place, &access).await;
    known.info.capabilities.tools =
        may_take_tools && abilities.is_none_or(|abilities| abilities.tools);
    known.info.capabilities.vision = abilities.is_some_and(|abilities| abilities.vision);
    options.extra = server_fields(raw);
    let settings = OllamaSettings {
        context: raw
            .get("numCtx")
            .and_then(Value::as_f64)
            .filter(|count| *count >= 1.0)
            .map(|count| count as u64),
        keep_alive: raw
            .get("keepAlive")
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
            .map(Str::from),
        options,
        traits: known.traits,
        ..OllamaSettings::default()
    };
    Ok(supply(Ollama::new(known.info, settings, place, &access)))
}

/// What goes into the request beside what all models have.
fn server_fields(raw: &Value) -> Option<Value> {
    let given = |name: &str| {
        raw.get(name).filter(|value| !value.is_nullish() && value.as_str() != Some("")).cloned()
    };
    let options: Object =
        SERVER_OPTIONS.iter().filter_map(|(name, field)| Some((*field, given(name)?))).collect();
    let mut fields = Object::new();
    if !options.is_empty() {
        fields.insert("options", options);
    }
    if raw.get("format").and_then(Value::as_str) == Some("json") {
        fields.insert("format", "json");
    }
    (!fields.is_empty()).then(|| fields.into())
}
