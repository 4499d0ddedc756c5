//! n8n's AWS Bedrock Chat Model.

use super::aws::{authentication_param, bedrock_endpoint, with_access_key};
use super::options::read;
use super::{access, chosen_model, model_spec, supply};
use node_api::ai::{ModelInfo, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use providers::models::bedrock::{Bedrock, BedrockSettings};
use providers::models::catalog::Catalog;

pub(crate) struct LmChatAwsBedrock;

impl Supplier for LmChatAwsBedrock {
    fn spec() -> Spec {
        let sources =
            [("onDemand", "On-demand models"), ("inferenceProfile", "Inference profiles")];
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.lmChatAwsBedrock",
            &[1.0, 1.1],
            "AWS Bedrock Chat Model",
            "Chat models on Amazon Bedrock, compatible with n8n",
        )
        .compatible();
        with_access_key(model_spec(spec))
            .params([
                authentication_param(),
                Param::choice("modelSource", "Model source", &sources)
                    .since(1.1)
                    .help("Whether the model is an inference profile, as newer ones are."),
                Param::text("model", "Model", "")
                    .required()
                    .help("Model ID or ARN, such as us.anthropic.claude-sonnet-4-5-20250929-v1:0."),
                Param::collection("options", "Options", options()).help("Response options."),
            ])
            .hint("Connect it to an agent or a chain. Requires an AWS access key.")
            .alias(&["amazon", "claude", "nova", "llama", "mistral", "llm"])
            .note(
                "The key needs the permissions bedrock:InvokeModel and \
                   bedrock:InvokeModelWithResponseStream.",
            )
            .note("Images and documents are sent as files. URLs of images are not supported.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let raw = ctx.ctx().param("options", ctx.item())?;
        let model = chosen_model(&ctx, "model")?;
        let settings = BedrockSettings {
            options: read(&raw),
            model_fields: model_fields(&raw)?,
            latency: raw.get("latency").and_then(Value::as_str).map(str::to_owned),
            guardrail: guardrail(&raw),
            ..BedrockSettings::default()
        };
        let place = bedrock_endpoint(&ctx, &model)?;
        Ok(supply(Bedrock::new(info(&model), settings, place, &access(&ctx, &raw)?)))
    }
}

fn options() -> Vec<Param> {
    let guardrail = [
        Param::text("guardrailIdentifier", "Guardrail identifier", "").help("ID or ARN."),
        Param::text("guardrailVersion", "Guardrail version", "").help("Version of the guardrail."),
        Param::choice(
            "trace",
            "Trace",
            &[("disabled", "Disabled"), ("enabled", "Enabled"), ("enabled_full", "Full")],
        )
        .help("How much of the guardrail's work is reported."),
    ];
    vec![
        Param::number("maxTokensToSample", "Max tokens", 2000)
            .help("Maximum response length in tokens."),
        Param::number("temperature", "Sampling temperature", 0.7)
            .between(0.0, 1.0)
            .help("Lower values make responses more consistent."),
        Param::number("topP", "Top P", 1)
            .between(0.0, 1.0)
            .help("Change this or the temperature, not both."),
        Param::number("maxRetries", "Max retries", 2)
            .at_least(0.0)
            .help("Maximum number of retries of a failed request."),
        Param::json("additionalModelRequestFields", "Additional model request fields", "{}")
            .help("Parameters of the model's family, as JSON."),
        Param::choice(
            "latency",
            "Latency optimization",
            &[("standard", "Standard"), ("optimized", "Optimized")],
        )
        .help("Faster responses, for models and regions that support it."),
        Param::group("guardrail", "Guardrail", [FieldGroup::new("values", "Guardrail", guardrail)])
            .help("A guardrail of Amazon Bedrock that checks requests and responses."),
    ]
}

/// What the author adds as JSON.
fn model_fields(raw: &Value) -> Result<Option<Value>, NodeError> {
    let fields = match raw.get("additionalModelRequestFields") {
        Some(fields @ Value::Object(_)) => Some(fields.clone()),
        Some(Value::String(text)) if !text.trim().is_empty() => {
            let read = model::json::parse(text).ok().filter(Value::is_object);
            Some(read.ok_or_else(|| {
                NodeError::parameter(
                    "options.additionalModelRequestFields",
                    "The additional model request fields are not a JSON object",
                )
            })?)
        }
        _ => None,
    };
    Ok(fields.filter(|fields| fields.as_object().is_some_and(|fields| !fields.is_empty())))
}

fn guardrail(raw: &Value) -> Option<Value> {
    let given = raw.get_path("guardrail.values")?;
    let text = |name: &str| given.get(name).and_then(Value::as_str).filter(|it| !it.is_empty());
    text("guardrailIdentifier")?;
    let names = ["guardrailIdentifier", "guardrailVersion", "trace"];
    let fields = names.into_iter().filter_map(|name| Some((name, Value::from(text(name)?))));
    Some(fields.collect::<Object>().into())
}

/// What is known of a model: those of Anthropic can and cost what they do there.
fn info(model: &str) -> ModelInfo {
    let catalog = Catalog::current();
    let name = model.rsplit('/').next().unwrap_or(model);
    let known = name
        .split_once("anthropic.")
        .map(|(_, name)| catalog.find("anthropic", name).info)
        .filter(|info| info.price.is_some());
    let mut info = known.unwrap_or_else(|| catalog.find("bedrock", model).info);
    info.provider = "bedrock".into();
    info.model = model.into();
    // The format has no place for a schema.
    info.capabilities.json_schema = false;
    info
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_costs_what_it_costs_at_its_maker() {
        let info = info("eu.anthropic.claude-sonnet-4-5-20250929-v1:0");
        let direct = Catalog::current().find("anthropic", "claude-sonnet-4-5").info;
        assert_eq!((info.price, info.provider.as_str()), (direct.price, "bedrock"));
        assert_eq!(info.model, "eu.anthropic.claude-sonnet-4-5-20250929-v1:0");
        assert!(!info.capabilities.json_schema);
        let other = super::info("amazon.nova-pro-v1:0");
        assert!(other.price.is_none() && other.capabilities.tools && other.capabilities.sampling);
    }

    #[test]
    fn fields_that_are_no_object_are_refused() {
        let fields = |text: &str| {
            model_fields(&Object::from_iter([("additionalModelRequestFields", text)]).into())
        };
        assert_eq!(fields("{}").unwrap(), None);
        assert_eq!(fields(r#"{"top_k": 5}"#).unwrap(), Some(json!({ "top_k": 5 })));
        assert!(fields("[1]").is_err() && fields("{").is_err());
        let half = json!({ "guardrail": { "values": { "guardrailVersion": "1" } } });
        assert_eq!(guardrail(&half), None);
    }
}
