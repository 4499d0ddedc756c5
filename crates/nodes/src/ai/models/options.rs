//! The options of chat models: one description of each and one reading for all nodes, whatever they
//! call them.

use node_api::SupplyCtx;
use node_api::ai::ModelOptions;
use node_api::prelude::*;

/// The parameters that every model node of our own begins with.
pub(in crate::ai) fn own_params(default_model: &str, hottest: f64, options: &[&str]) -> Vec<Param> {
    vec![
        Param::text("model", "Model", default_model)
            .required()
            .help("Model name as used by the provider. Any name is accepted."),
        Param::number("temperature", "Temperature", 0.7).between(0.0, hottest).help(
            "0 is the most deterministic, higher values vary more. Not sent to models that do \
                 not support it.",
        ),
        Param::number("maxTokens", "Max tokens", 1000)
            .at_least(1.0)
            .help("Maximum response length, in tokens."),
        collection(options),
    ]
}

/// The options with these names.
pub(in crate::ai) fn collection(names: &[&str]) -> Param {
    Param::collection("options", "Options", names.iter().map(|name| option(name)))
        .help("Response options.")
}

/// The answer of [`own_params`]: the temperature and the longest answer stand beside the options.
pub(in crate::ai) fn own_options(ctx: &SupplyCtx) -> Result<(ModelOptions, Value), NodeError> {
    let (inner, item) = (ctx.ctx(), ctx.item());
    let raw = inner.param("options", item)?;
    let options = ModelOptions {
        temperature: Some(inner.number("temperature", item)?),
        max_tokens: Some(inner.number("maxTokens", item)?.max(1.0) as u64),
        ..read(&raw)
    };
    Ok((options, raw))
}

/// What the options say. What is as the provider has it anyway is not said to it.
pub(in crate::ai) fn read(raw: &Value) -> ModelOptions {
    let number = |names: &[&str]| names.iter().find_map(|name| raw.get(name).and_then(as_number));
    let count =
        |names: &[&str]| number(names).filter(|number| *number >= 1.0).map(|number| number as u64);
    let text =
        |name: &str| raw.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    ModelOptions {
        temperature: number(&["temperature"]),
        max_tokens: count(&["maxTokens", "maxTokensToSample", "maxOutputTokens", "numPredict"]),
        top_p: number(&["topP"]).filter(|number| *number != 1.0),
        top_k: count(&["topK"]),
        frequency_penalty: number(&["frequencyPenalty"]).filter(|number| *number != 0.0),
        presence_penalty: number(&["presencePenalty"]).filter(|number| *number != 0.0),
        seed: number(&["seed", "randomSeed"]).map(|number| number as i64),
        stop: text("stop").into_iter().flat_map(split_list).take(4).collect(),
        effort: text("reasoningEffort").map(Str::from),
        extra: None,
    }
}

/// Words with commas between.
pub(in crate::ai) fn split_list(text: &str) -> impl Iterator<Item = Str> {
    text.split(',').map(|word| Str::from(word.trim())).filter(|word| !word.is_empty())
}

/// Texts that spell numbers count; nothing does not.
fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

fn option(name: &str) -> Param {
    let formats = [("text", "Text"), ("json_object", "JSON")];
    let efforts = [("low", "Low"), ("medium", "Medium"), ("high", "High")];
    match name {
        "temperature" => Param::number(name, "Sampling temperature", 0.7)
            .help("Lower values make responses more consistent."),
        "maxTokens" => Param::number(name, "Max tokens", -1)
            .help("Maximum response length in tokens. -1 uses the model's default."),
        "maxTokensToSample" => {
            Param::number(name, "Max tokens", 4096).help("Maximum response length in tokens.")
        }
        "maxOutputTokens" => {
            Param::number(name, "Max tokens", 2048).help("Maximum response length in tokens.")
        }
        "numPredict" => Param::number(name, "Max tokens", -1)
            .help("Maximum response length in tokens. -1 uses the model's default."),
        "topP" => Param::number(name, "Top P", 1)
            .between(0.0, 1.0)
            .help("Change this or the temperature, not both."),
        "topK" => Param::number(name, "Top K", -1)
            .help("Number of most likely tokens to consider. -1 or 0 for all."),
        "frequencyPenalty" => Param::number(name, "Frequency penalty", 0)
            .between(-2.0, 2.0)
            .help("Values above 0 penalize tokens by how often they have appeared."),
        "presencePenalty" => Param::number(name, "Presence penalty", 0)
            .between(-2.0, 2.0)
            .help("Values above 0 penalize tokens that have appeared at all."),
        "seed" => Param::text(name, "Seed", "")
            .help("Seed for repeatable responses, as far as the provider supports it."),
        "randomSeed" => Param::number(name, "Random seed", Value::Null)
            .help("Repeatable responses, as far as the provider supports it."),
        "stop" => {
            Param::text(name, "Stop", "").help("Comma-separated stop sequences, at most four.")
        }
        "jsonMode" => Param::flag(name, "JSON mode", false).help("Request a JSON object."),
        "responseFormat" => Param::choice(name, "Response format", &formats)
            .help("With JSON, the prompt must contain the word JSON."),
        "reasoningEffort" => Param::choice(name, "Reasoning effort", &efforts)
            .preset("medium")
            .help("Reasoning effort of the model."),
        "timeout" => Param::number(name, "Timeout", 60_000)
            .help("Timeout for the whole answer, in milliseconds."),
        "maxRetries" => Param::number(name, "Max retries", 2)
            .at_least(0.0)
            .help("Maximum number of retries of a failed request."),
        "thinking" => Param::flag(name, "Enable thinking", false)
            .help("Let the model reason before it responds."),
        "thinkingBudget" => {
            Param::number(name, "Thinking budget", 1024).help("Token budget for reasoning.")
        }
        "baseURL" => Param::text(name, "Base URL", "https://api.openai.com/v1")
            .help("URL of another OpenAI-compatible server."),
        "safeMode" => Param::flag(name, "Enable safe mode", false)
            .help("The provider puts a safety prompt before the conversation."),
        "keepAlive" => Param::text(name, "Keep alive", "5m")
            .help("How long the model stays in memory after use."),
        "numCtx" => {
            Param::number(name, "Context length", 2048).help("Context window size in tokens.")
        }
        "format" => {
            Param::choice(name, "Output format", &[("default", "Default"), ("json", "JSON")])
                .help("Format of the response.")
        }
        "priority" => Param::flag(name, "Enable priority", false)
            .help("Whether to use priority processing, at a higher price."),
        "reasoning" => Param::choice(
            name,
            "Reasoning effort",
            &[("none", "None"), ("low", "Low"), ("medium", "Medium"), ("high", "High")],
        )
        .preset("low")
        .help("Reasoning effort of the model."),
        other => Param::text(other, other, "").help("Provider-specific option."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_by_whichever_name_they_have() {
        let read = |value: Value| read(&value);
        assert_eq!(read(json!({ "maxTokens": -1 })).max_tokens, None);
        for name in ["maxTokens", "maxTokensToSample", "maxOutputTokens", "numPredict"] {
            let raw: Object = [(name, 7)].into_iter().collect();
            assert_eq!(read(raw.into()).max_tokens, Some(7), "{name}");
        }
        assert_eq!(read(json!({ "seed": "12" })).seed, Some(12));
        assert_eq!(read(json!({ "randomSeed": null })).seed, None);
        assert_eq!(read(json!({ "stop": "a, b,,c,d,e" })).stop, ["a", "b", "c", "d"]);
    }

    #[test]
    fn what_is_so_anyway_is_not_said() {
        let options =
            read(&json!({ "topP": 1, "topK": -1, "frequencyPenalty": 0, "presencePenalty": 0 }));
        assert_eq!(options, ModelOptions::default());
        assert_eq!(read(&json!({ "temperature": 0 })).temperature, Some(0.0));
    }
}
