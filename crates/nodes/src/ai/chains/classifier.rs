//! Sends each item to the outputs of the categories that its text has.

use super::{RoutedItems, ask_json, auto_fixing_param, chain_spec, fill_template};
use crate::ai::batches::Batches;
use node_api::prelude::*;

const SYSTEM_PROMPT: &str =
    "Say which of these categories the user's text has: {categories}. Do not explain.";

pub(crate) struct TextClassifier;

impl Node for TextClassifier {
    fn spec() -> Spec {
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.textClassifier",
            &[1.0, 1.1],
            "Text Classifier",
            "Classify texts into categories, one output per category",
        )
        .icon("tags");
        chain_spec(spec)
            .output_rule(PortRule::entries("categories.categories", "category").extra(
                "options.fallback",
                "other",
                "Other",
            ))
            .params(params())
            .hint(
                "Use it to route by meaning, for example to sort incoming mail. Describe each \
                 category.",
            )
            .alias(&["classify", "categorize", "route", "label"])
            .note(
                "The model's response is stored on disk before the node continues. After a crash \
                 the model is not called again.",
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let batches =
            Batches::read(ctx, "options.batching", if ctx.version() >= 1.1 { 5 } else { 1 })?;
        let given = ctx.param("categories.categories", 0)?;
        let categories: Vec<Category> =
            given.as_array().unwrap_or_default().iter().map(Category::read).collect();
        if categories.is_empty() {
            return Err(NodeError::parameter(
                "categories",
                "At least one category must be defined",
            )
            .hint("Add a category."));
        }
        let has_other = ctx.param("options.fallback", 0)?.as_str() == Some("other");
        let judged = batches
            .map_items(ctx, items.len(), |index| judge(ctx, index, &categories, has_other))
            .await?;
        let mut sorted = RoutedItems::new(ctx, categories.len() + usize::from(has_other));
        for (index, (judgement, item)) in judged.into_iter().zip(items.iter()).enumerate() {
            match judgement {
                Ok(judgement) => {
                    let has = |name: &str| judgement.get(name).is_some_and(Value::is_truthy);
                    for (output, _) in
                        categories.iter().enumerate().filter(|(_, category)| has(&category.name))
                    {
                        sorted.put(output, item.clone().paired_with(index));
                    }
                    if has_other && has("fallback") {
                        sorted.put(categories.len(), item.paired_with(index));
                    }
                }
                Err(error) => sorted.put(0, ctx.failed_item(index, error)?),
            }
        }
        Ok(sorted.finish())
    }
}

struct Category {
    name: Str,
    description: Str,
}

impl Category {
    fn read(entry: &Value) -> Self {
        let text = |name: &str| {
            entry
                .get(name)
                .filter(|value| !value.is_nullish())
                .map(Value::to_js_string)
                .unwrap_or_default()
        };
        Self { name: text("category"), description: text("description") }
    }
}

fn params() -> Vec<Param> {
    let category = [
        Param::text("category", "Category", "")
            .required()
            .help("The name of the category and of its output."),
        Param::text("description", "Description", "").help("Description for the model."),
    ];
    let unmatched = [("discard", "Discard item"), ("other", "Output on extra, 'Other' branch")];
    let options = [
        Param::flag("multiClass", "Allow multiple classes to be true", false)
            .help("Whether a text can match several categories."),
        Param::choice("fallback", "When no clear match", &unmatched)
            .help("Where to send items that match no category."),
        Param::long_text("systemPromptTemplate", "System prompt template", SYSTEM_PROMPT)
            .help("System prompt for the model. {categories} is replaced with the category names."),
        auto_fixing_param(),
        Batches::param(5).since(1.1),
    ];
    vec![
        Param::long_text("inputText", "Text to classify", "")
            .required()
            .help("The text of an item."),
        Param::repeated(
            "categories",
            "Categories",
            [FieldGroup::new("categories", "Categories", category)],
        )
        .help("Categories to choose from."),
        Param::collection("options", "Options", options).help("Classification options."),
    ]
}

async fn judge(
    ctx: &Ctx<'_>,
    index: usize,
    categories: &[Category],
    has_other: bool,
) -> Result<Value, NodeError> {
    let text = ctx.text("inputText", index)?;
    if text.is_empty() {
        let error = NodeError::parameter(
            "inputText",
            format!("Text to classify for item {index} is not defined"),
        );
        return Err(error.hint("Check the expression.").on_item(index));
    }
    let names: Vec<&str> = categories.iter().map(|category| category.name.as_str()).collect();
    let template = ctx.param("options.systemPromptTemplate", index)?;
    let several = match ctx.param("options.multiClass", index)?.is_truthy() {
        true => "A text may have several categories.",
        false => "A text has one category at most: only one may be true.",
    };
    let none = match has_other {
        true => "If it has none of them, say so with \"fallback\".",
        false => "If none of them fits well, all are false.",
    };
    let prompt = fill_template(
        template.as_str().unwrap_or(SYSTEM_PROMPT),
        &[("categories", &names.join(", ")), ("format_instructions", "")],
    );
    let system = format!("{prompt}\n{several}\n{none}");
    ask_json(ctx, index, "judgement", system.into(), text, &schema(categories, has_other)).await
}

fn schema(categories: &[Category], has_other: bool) -> Value {
    let field = |words: String| {
        Value::from(Object::from_iter([
            ("type", Value::from("boolean")),
            ("description", words.into()),
        ]))
    };
    let about = |category: &Category| match category.description.as_str() {
        "" => format!("Whether the text has the category \"{}\"", category.name),
        description => {
            format!("Whether the text has the category \"{}\": {description}", category.name)
        }
    };
    let mut properties: Object =
        categories.iter().map(|category| (category.name.clone(), field(about(category)))).collect();
    if has_other {
        properties.insert("fallback", field("Whether it has none of the others".to_owned()));
    }
    let required: Vec<Value> = properties.keys().map(|name| name.clone().into()).collect();
    Object::from_iter([
        ("type", Value::from("object")),
        ("properties", properties.into()),
        ("required", Value::array(required)),
        ("additionalProperties", false.into()),
    ])
    .into()
}
