//! n8n's nodes for models of OpenAI.

use super::openai::{openai_settings, with_json_mode};
use super::options::{collection, read, split_list};
use super::{access, chosen_model, known_or_open, model_spec, supply};
use node_api::ai::Supply;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use providers::models::openai::{OpenAiApi, OpenAiChat, OpenAiSettings};

pub(crate) struct LmChatOpenAi;

impl Supplier for LmChatOpenAi {
    fn spec() -> Spec {
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.lmChatOpenAi",
            &[1.0, 1.1, 1.2, 1.3, 1.4],
            "OpenAI Chat Model",
            "OpenAI chat model, compatible with n8n",
        )
        .compatible();
        let options = [
            "baseURL",
            "frequencyPenalty",
            "maxTokens",
            "responseFormat",
            "presencePenalty",
            "temperature",
            "reasoningEffort",
            "timeout",
            "maxRetries",
            "topP",
        ];
        let newest = json!({ "__rl": true, "mode": "list", "value": "gpt-5-mini" });
        model_spec(spec)
            .credential("openAiApi", true)
            .params([
                Param::text("model", "Model", "gpt-5-mini")
                    .until(1.1)
                    .help("Model name as used by the provider."),
                Param::locator("model", "Model", &["list", "id"])
                    .preset(newest)
                    .since(1.2)
                    .help("From the list, or by ID."),
                Param::flag("responsesApiEnabled", "Use Responses API", true)
                    .since(1.3)
                    .help("Use the newer Responses API of the provider."),
                built_in_tools().since(1.3).show("responsesApiEnabled", &[true]),
                collection(&options),
            ])
            .hint(
                "Connect it to an agent or a chain. Requires an API key for OpenAI or an \
                 OpenAI-compatible server.",
            )
            .alias(&["gpt", "chatgpt", "llm"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (inner, item) = (ctx.ctx(), ctx.item());
        let mut settings = openai_settings(&inner.host().credential("openAiApi", item)?);
        let raw = inner.param("options", item)?;
        if let Some(url) =
            raw.get("baseURL").and_then(Value::as_str).filter(|url| !url.trim().is_empty())
        {
            settings.base_url = url.to_owned();
        }
        let answers = inner.version() >= 1.3 && inner.flag("responsesApiEnabled", item)?;
        let mut options = read(&raw);
        if answers {
            settings.api = OpenAiApi::Responses;
            let fields = responses_fields(&raw, &inner.param("builtInTools", item)?);
            options.extra = (!fields.is_empty()).then(|| fields.into());
        } else {
            options = with_json_mode(options, &raw);
        }
        let info = known_or_open("openai", &chosen_model(&ctx, "model")?).info;
        Ok(supply(OpenAiChat::new(
            info,
            OpenAiSettings { options, ..settings },
            &access(&ctx, &raw)?,
        )))
    }
}

/// n8n's older node for models that complete texts; those that are left are asked like all others.
pub(crate) struct LmOpenAi;

impl Supplier for LmOpenAi {
    fn spec() -> Spec {
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.lmOpenAi",
            &[1.0],
            "OpenAI Model",
            "OpenAI model, compatible with n8n's first version",
        )
        .legacy();
        let default = json!({ "__rl": true, "mode": "list", "value": "gpt-3.5-turbo-instruct" });
        model_spec(spec)
            .credential("openAiApi", true)
            .params([
                Param::locator("model", "Model", &["list", "id"])
                    .preset(default)
                    .help("From the list, or by ID."),
                collection(&[
                    "baseURL",
                    "frequencyPenalty",
                    "maxTokens",
                    "presencePenalty",
                    "temperature",
                    "timeout",
                    "maxRetries",
                    "topP",
                ]),
            ])
            .differs(
                "Completion-only models are no longer available from the provider, so this node \
                 uses the chat API.",
            )
            .hint("Use the OpenAI Chat Model in new workflows.")
            .alias(&["gpt", "llm"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (inner, item) = (ctx.ctx(), ctx.item());
        let mut settings = openai_settings(&inner.host().credential("openAiApi", item)?);
        let raw = inner.param("options", item)?;
        if let Some(url) =
            raw.get("baseURL").and_then(Value::as_str).filter(|url| !url.trim().is_empty())
        {
            settings.base_url = url.to_owned();
        }
        let info = known_or_open("openai", &chosen_model(&ctx, "model")?).info;
        Ok(supply(OpenAiChat::new(
            info,
            OpenAiSettings { options: read(&raw), ..settings },
            &access(&ctx, &raw)?,
        )))
    }
}

/// The form of the tools that the provider runs itself.
pub(in crate::ai) fn built_in_tools() -> Param {
    let web = [
        Param::text("searchContextSize", "Search context size", "medium")
            .help("low, medium or high."),
        Param::text("allowedDomains", "Allowed domains", "")
            .help("Comma-separated. If empty, all are used."),
        Param::text("country", "Country", "").help("Country to search from, such as US."),
        Param::text("city", "City", "").help("Location to search from."),
        Param::text("region", "Region", "").help("Location to search from."),
    ];
    let files = [
        Param::json("vectorStoreIds", "Vector store ids", "[]")
            .help("List of vector store IDs at the provider."),
        Param::json("filters", "Filters", "{}").help("Filter for the files to search."),
        Param::number("maxResults", "Max results", 1)
            .between(1.0, 50.0)
            .help("Maximum number of results."),
    ];
    let tools = [
        Param::collection("webSearch", "Web search", web).help("The provider searches the web."),
        Param::collection("fileSearch", "File search", files)
            .help("The provider searches uploaded files."),
        Param::flag("codeInterpreter", "Code interpreter", true)
            .help("The provider runs code written by the model."),
    ];
    Param::collection("builtInTools", "Built-in tools", tools)
        .help("Tools executed by the provider.")
}

/// What the responses API takes beside what all models have.
pub(in crate::ai) fn responses_fields(raw: &Value, built_in: &Value) -> Object {
    let mut fields = Object::new();
    let tools = provider_tools(built_in);
    if !tools.is_empty() {
        fields.insert("tools", tools);
    }
    if let Some(format) = raw.get("textFormat").and_then(|format| format.get("textOptions")) {
        // One entry, or a list with one.
        let format = format.at(0).cloned().unwrap_or_else(|| format.clone());
        fields.insert("text", text_field(&format));
    }
    let plain = [
        ("conversationId", "conversation"),
        ("promptCacheKey", "prompt_cache_key"),
        ("safetyIdentifier", "safety_identifier"),
        ("serviceTier", "service_tier"),
        ("topLogprobs", "top_logprobs"),
    ];
    for (name, key) in plain {
        if let Some(value) =
            raw.get(name).filter(|value| !value.is_nullish() && value.as_str() != Some(""))
        {
            fields.insert(key, value.clone());
        }
    }
    if let Some(metadata) =
        raw.get("metadata").and_then(as_json).filter(|metadata| metadata.is_object())
    {
        fields.insert("metadata", metadata);
    }
    fields.extend(prompt_template(raw).map(|prompt| ("prompt", prompt)));
    fields
}

/// A prompt that is stored at the provider, and what goes into it.
fn prompt_template(raw: &Value) -> Option<Value> {
    let chosen = raw.get_path("promptConfig.promptOptions")?;
    // One entry, or a list with one.
    let chosen = chosen.at(0).unwrap_or(chosen);
    let text = |name: &str| chosen.get(name).and_then(Value::as_str).filter(|it| !it.is_empty());
    let mut prompt = Object::from_iter([("id", Value::from(text("promptId")?))]);
    prompt.extend(text("version").map(|version| ("version", Value::from(version))));
    let variables = chosen.get("variables").and_then(as_json);
    let is_given = |it: &Value| it.as_object().is_some_and(|fields| !fields.is_empty());
    prompt.extend(variables.filter(is_given).map(|variables| ("variables", variables)));
    Some(prompt.into())
}

fn text_field(format: &Value) -> Value {
    let mut text = Object::new();
    match format.get("type").and_then(Value::as_str) {
        Some("json_object") => drop(text.insert("format", json!({ "type": "json_object" }))),
        Some("json_schema") => {
            let mut schema = Object::from_iter([("type", Value::from("json_schema"))]);
            schema
                .insert("name", format.get("name").and_then(Value::as_str).unwrap_or("my_schema"));
            schema.insert(
                "schema",
                format.get("schema").and_then(as_json).unwrap_or_else(Value::empty_object),
            );
            schema.insert("strict", format.get("strict").is_some_and(Value::is_truthy));
            if let Some(words) =
                format.get("description").and_then(Value::as_str).filter(|words| !words.is_empty())
            {
                schema.insert("description", words);
            }
            text.insert("format", schema);
        }
        _ => {}
    }
    if let Some(verbosity) =
        format.get("verbosity").and_then(Value::as_str).filter(|words| !words.is_empty())
    {
        text.insert("verbosity", verbosity);
    }
    text.into()
}

fn provider_tools(built_in: &Value) -> Vec<Value> {
    let mut tools = Vec::new();
    if let Some(search) = built_in.get("webSearch").filter(|search| search.is_object()) {
        let mut tool = Object::from_iter([("type", "web_search")]);
        let text =
            |name: &str| search.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        tool.insert("search_context_size", text("searchContextSize").unwrap_or("medium"));
        let domains: Vec<Value> =
            text("allowedDomains").into_iter().flat_map(split_list).map(Value::from).collect();
        if !domains.is_empty() {
            tool.insert("filters", Object::from_iter([("allowed_domains", domains)]));
        }
        let place: Object = ["country", "city", "region"]
            .into_iter()
            .filter_map(|name| Some((name, Value::from(text(name)?))))
            .collect();
        if !place.is_empty() {
            let place = [("type", Value::from("approximate"))]
                .into_iter()
                .chain(place.iter().map(|(key, value)| (key.as_str(), value.clone())));
            tool.insert("user_location", place.collect::<Object>());
        }
        tools.push(tool.into());
    }
    if built_in.get("codeInterpreter").is_some_and(Value::is_truthy) {
        tools.push(json!({ "type": "code_interpreter", "container": { "type": "auto" } }));
    }
    if let Some(search) = built_in.get("fileSearch").filter(|search| search.is_object()) {
        let mut tool = Object::from_iter([("type", "file_search")]);
        tool.insert(
            "vector_store_ids",
            search
                .get("vectorStoreIds")
                .and_then(as_json)
                .unwrap_or_else(|| Value::array(Vec::new())),
        );
        if let Some(filters) = search
            .get("filters")
            .and_then(as_json)
            .filter(|filters| filters.as_object().is_some_and(|it| !it.is_empty()))
        {
            tool.insert("filters", filters);
        }
        tool.insert(
            "max_num_results",
            search.get("maxResults").and_then(Value::as_f64).unwrap_or(1.0),
        );
        tools.push(tool.into());
    }
    tools
}

/// JSON, also where it is written as text.
fn as_json(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => model::json::parse(text).ok(),
        other => Some(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_providers_own_tools_are_asked_for() {
        let built_in = json!({
            "webSearch": { "searchContextSize": "low", "allowedDomains": "a.org, b.org", "country": "US" },
            "codeInterpreter": true,
            "fileSearch": { "vectorStoreIds": "[\"vs_1\"]", "filters": "{}", "maxResults": 3 }
        });
        let wanted = json!([
            { "type": "web_search", "search_context_size": "low", "filters": { "allowed_domains": ["a.org", "b.org"] },
              "user_location": { "type": "approximate", "country": "US" } },
            { "type": "code_interpreter", "container": { "type": "auto" } },
            { "type": "file_search", "vector_store_ids": ["vs_1"], "max_num_results": 3 }
        ]);
        assert_eq!(Value::from(provider_tools(&built_in)), wanted);
    }

    #[test]
    fn the_form_of_the_answer_is_a_field_of_its_own() {
        let schema = r#"{ "type": "object" }"#;
        let raw = json!({ "textFormat": { "textOptions": [{ "type": "json_schema", "name": "n", "schema": schema, "strict": true, "verbosity": "low" }] } });
        let wanted = json!({ "text": {
            "format": { "type": "json_schema", "name": "n", "schema": { "type": "object" }, "strict": true }, "verbosity": "low"
        } });
        assert_eq!(Value::from(responses_fields(&raw, &Value::Undefined)), wanted);
        assert!(responses_fields(&json!({}), &json!({})).is_empty());
    }

    #[test]
    fn a_stored_prompt_goes_with_its_variables() {
        let chosen =
            json!({ "promptId": "pmpt_1", "version": "2", "variables": "{\"city\":\"Oslo\"}" });
        let raw = |entry: Value| {
            Value::from(Object::from_iter([(
                "promptConfig",
                Object::from_iter([("promptOptions", entry)]),
            )]))
        };
        let wanted = json!({ "prompt": { "id": "pmpt_1", "version": "2", "variables": { "city": "Oslo" } } });
        for entry in [chosen.clone(), Value::array(vec![chosen])] {
            assert_eq!(Value::from(responses_fields(&raw(entry), &Value::Undefined)), wanted);
        }
        let unnamed = raw(json!({ "promptId": "", "variables": "{}" }));
        assert!(responses_fields(&unnamed, &Value::Undefined).is_empty());
    }
}
