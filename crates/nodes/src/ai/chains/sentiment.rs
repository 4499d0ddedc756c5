//! Sends each item to the output of the feeling that its text shows.

use super::{RoutedItems, ask_json, auto_fixing_param, chain_spec, fill_template};
use crate::ai::batches::Batches;
use node_api::prelude::*;

const CATEGORIES: &str = "Positive, Neutral, Negative";
const SYSTEM_PROMPT: &str = "Say which feeling the user's text shows. Choose one of: {categories}.";

pub(crate) struct SentimentAnalysis;

impl Node for SentimentAnalysis {
    fn spec() -> Spec {
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.sentimentAnalysis",
            &[1.0, 1.1],
            "Sentiment Analysis",
            "Classify texts by sentiment, one output per category",
        )
        .icon("smile");
        let options = [
            Param::text("categories", "Sentiment categories", CATEGORIES)
                .raw()
                .help("Comma-separated sentiment categories."),
            Param::long_text("systemPromptTemplate", "System prompt template", SYSTEM_PROMPT).help(
                "System prompt for the model. {categories} is replaced with the sentiment \
                     categories.",
            ),
            Param::flag("includeDetailedResults", "Include detailed results", false).help(
                "Also return the strength and the confidence of the sentiment. Both are \
                     estimated by the model.",
            ),
            auto_fixing_param(),
            Batches::param(5).since(1.1),
        ];
        chain_spec(spec)
            .output_rule(PortRule::words("options.categories", CATEGORIES))
            .params([
                Param::long_text("inputText", "Text to analyze", "")
                    .required()
                    .help("The text of an item."),
                Param::collection("options", "Options", options).help("Classification options."),
            ])
            .hint("For reviews and mail: route angry messages to a human.")
            .alias(&["feeling", "mood", "opinion"])
            .note(
                "The model's response is stored on disk before the node continues. After a crash \
                 the model is not called again.",
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let batches =
            Batches::read(ctx, "options.batching", if ctx.version() >= 1.1 { 5 } else { 1 })?;
        let given = ctx.param("options.categories", 0)?;
        let categories: Vec<&str> = given
            .as_str()
            .unwrap_or(CATEGORIES)
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect();
        if categories.is_empty() {
            return Err(NodeError::parameter(
                "options.categories",
                "No sentiment categories provided",
            )
            .hint("Enter at least one category."));
        }
        let is_detailed = ctx.param("options.includeDetailedResults", 0)?.is_truthy();
        let judged =
            batches.map_items(ctx, items.len(), |index| judge(ctx, index, &categories)).await?;
        let mut sorted = RoutedItems::new(ctx, categories.len());
        for (index, (judgement, mut item)) in judged.into_iter().zip(items.iter()).enumerate() {
            match judgement {
                Ok(judgement) => {
                    let said =
                        judgement.get("sentiment").and_then(Value::as_str).unwrap_or_default();
                    let Some(output) = categories
                        .iter()
                        .position(|name| name.to_lowercase() == said.to_lowercase())
                    else {
                        continue;
                    };
                    let mut analysis = Object::from_iter([("category", said)]);
                    for detail in ["strength", "confidence"].into_iter().filter(|_| is_detailed) {
                        analysis.insert(detail, judgement.get(detail).cloned().unwrap_or_default());
                    }
                    item.json.make_object().insert("sentimentAnalysis", analysis);
                    sorted.put(output, item.paired_with(index));
                }
                Err(error) => sorted.put(0, ctx.failed_item(index, error)?),
            }
        }
        Ok(sorted.finish())
    }
}

async fn judge(ctx: &Ctx<'_>, index: usize, categories: &[&str]) -> Result<Value, NodeError> {
    let template = ctx.param("options.systemPromptTemplate", index)?;
    let values = [("categories", categories.join(", ")), ("format_instructions", String::new())];
    let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
    let system = fill_template(template.as_str().unwrap_or(SYSTEM_PROMPT), &values);
    ask_json(ctx, index, "judgement", system, ctx.text("inputText", index)?, &schema(categories))
        .await
}

fn schema(categories: &[&str]) -> Value {
    let share = |words: &str| {
        json!({ "type": "number", "minimum": 0, "maximum": 1 }).with_description(words)
    };
    let sentiment = Object::from_iter([
        ("type", Value::from("string")),
        ("enum", Value::array(categories.iter().map(|name| Value::from(*name)).collect())),
    ]);
    let properties = Object::from_iter([
        ("sentiment", Value::from(sentiment)),
        ("strength", share("How strong the feeling is, from 0 to 1")),
        ("confidence", share("How sure you are, from 0 to 1")),
    ]);
    let mut schema = json!({ "type": "object", "required": ["sentiment", "strength", "confidence"], "additionalProperties": false });
    schema.make_object().insert("properties", properties);
    schema
}

trait SchemaExt {
    fn with_description(self, words: &str) -> Value;
}

impl SchemaExt for Value {
    fn with_description(mut self, words: &str) -> Value {
        self.make_object().insert("description", words);
        self
    }
}
