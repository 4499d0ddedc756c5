//! Runs JavaScript on the items: the Code node and its two forerunners.

use node_api::host::{CodeFlavour, CodeOutput, CodeRequest};
use node_api::prelude::*;

pub(crate) struct CodeNode;

const ALL_ITEMS: &str =
    "// Loop over input items and add a new field called 'myNewField' to the JSON of each one
for (const item of $input.all()) {
  item.json.myNewField = 1;
}

return $input.all();";

impl Node for CodeNode {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.code", &[1.0, 2.0], "Code", "Run JavaScript on the items")
            .icon("code-xml")
            .subtitle(&["{language=python}Python", "{language=pythonNative}Python", "JavaScript"])
            .param(
                Param::choice(
                    "mode",
                    "Mode",
                    &[
                        ("runOnceForAllItems", "Run once for all items"),
                        ("runOnceForEachItem", "Run once for each item"),
                    ],
                )
                .help("Whether the code sees all items at once or one at a time."),
            )
            .param(
                Param::choice(
                    "language",
                    "Language",
                    &[
                        ("javaScript", "JavaScript"),
                        ("python", "Python"),
                        ("pythonNative", "Python"),
                    ],
                )
                .since(2.0)
                .help("Only JavaScript is supported."),
            )
            .param(Param::code("jsCode", "JavaScript", "javaScript", ALL_ITEMS).raw().help(
                "Return an array of items, or one object in the mode that runs once for \
                         each item.",
            ))
            .runs_code()
            .hint("Use it when no other node does the job. Prefer Edit Fields for simple changes.")
            .alias(&["javascript", "script", "function"])
            .differs_when("language", &["python", "pythonNative"], "Python is not supported.")
            .note(
                "Only the modules crypto, luxon, util, buffer, url and querystring are available.",
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let language = ctx.text("language", 0)?;
        if language.starts_with("python") {
            return Err(NodeError::parameter("language", "Python is not supported")
                .hint("Rewrite the code in JavaScript and set the language to JavaScript."));
        }
        let source = ctx.text("jsCode", 0)?;
        match ctx.text("mode", 0)?.as_str() {
            "runOnceForEachItem" => for_each(ctx, source, items, CodeFlavour::EachItem).await,
            _ => for_all(ctx, source, items, CodeFlavour::AllItems).await,
        }
    }
}

const FUNCTION: &str =
    "// Loop over the items and add a new field called 'myNewField' to the JSON of each one
for (item of items) {
  item.json.myNewField = 1;
}

return items;";

const FUNCTION_ITEM: &str = "// Add a new field called 'myNewField' to the JSON of the item
item.myNewField = 1;

return item;";

/// The older node that sees all items as `items`.
pub(crate) struct FunctionNode;

impl Node for FunctionNode {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.function",
            &[1.0, 2.0],
            "Function",
            "Run JavaScript once on all items",
        )
        .legacy()
        .icon("code-xml")
        .param(function_code(FUNCTION, "Gets the items as `items` and returns an array of items."))
        .runs_code()
        .hint(OLD)
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let source = ctx.text("functionCode", 0)?;
        for_all(ctx, source, items, CodeFlavour::Function).await
    }
}

/// The older node that sees one item's JSON as `item`.
pub(crate) struct FunctionItem;

impl Node for FunctionItem {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.functionItem",
            &[1.0],
            "Function Item",
            "Run JavaScript once for each item",
        )
        .legacy()
        .icon("code-xml")
        .param(function_code(
            FUNCTION_ITEM,
            "Gets the item's JSON as `item` and returns the new JSON.",
        ))
        .runs_code()
        .hint(OLD)
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let source = ctx.text("functionCode", 0)?;
        for_each(ctx, source, items, CodeFlavour::FunctionItem).await
    }
}

const OLD: &str = "Only in old workflows; use Code in new ones.";

fn function_code(preset: &str, help: &str) -> Param {
    Param::code("functionCode", "JavaScript", "javaScript", preset).raw().help(help)
}

async fn for_all(
    ctx: &Ctx<'_>,
    source: Str,
    items: Items,
    flavour: CodeFlavour,
) -> Result<Outputs, NodeError> {
    let mut collected = ResultCollector::new(ctx, flavour);
    let ran = ctx
        .host()
        .run_code(
            CodeRequest { source, flavour, items, first: 0, names: Object::new() },
            &mut |piece| collected.take(piece),
        )
        .await;
    match ran.and_then(|()| collected.check()) {
        Ok(()) => Ok(vec![collected.finish()]),
        Err(error) => {
            let mut failed = ctx.failed_item(0, error)?;
            failed.paired = Pairs::None;
            Ok(vec![Items::one(failed)])
        }
    }
}

async fn for_each(
    ctx: &Ctx<'_>,
    source: Str,
    items: Items,
    flavour: CodeFlavour,
) -> Result<Outputs, NodeError> {
    let mut output = ctx.builder();
    let mut first = 0;
    // After an item that failed the code goes on with the next one, if the node may.
    while first < items.len() {
        let job = CodeRequest {
            source: source.clone(),
            flavour,
            items: items.clone(),
            first,
            names: Object::new(),
        };
        let mut at = first;
        let ran = ctx
            .host()
            .run_code(job, &mut |piece| {
                if let CodeOutput::ForItem { item, value } = piece {
                    at = item;
                    if let Some(made) = item_of(flavour, item, value)? {
                        output.push(made.paired_with(item));
                    }
                    at = item + 1;
                }
                Ok(())
            })
            .await;
        match ran {
            Ok(()) => break,
            Err(error) => {
                let index = error.item().unwrap_or(at).min(items.len() - 1);
                output.push(ctx.failed_item(index, error)?);
                first = index + 1;
            }
        }
    }
    Ok(vec![output.finish()])
}

/// The item that the code returned for one input item; nothing for `null`.
fn item_of(flavour: CodeFlavour, index: usize, value: Value) -> Result<Option<Item>, NodeError> {
    if flavour == CodeFlavour::FunctionItem {
        if !value.get("json").is_some_and(Value::is_object) {
            return Err(NodeError::failed(
                "Did not return data. At least an object with data has to be returned!",
            )
            .on_item(index));
        }
        return Ok(Some(Item::from_value(&value)));
    }
    let instead = match &value {
        Value::Null => return Ok(None),
        Value::Object(_) | Value::Date(_) => None,
        Value::Array(_) => Some(("Code doesn't return a single object", "an array".to_owned())),
        other => Some(("Code doesn't return an object", format!("'{}'", other.to_js_string()))),
    };
    if let Some((message, found)) = instead {
        return Err(NodeError::failed(format!("{message} [item {index}]"))
            .describe(format!("Please return an object representing the output item. ({found} was returned instead.)"))
            .on_item(index));
    }
    let has_item_keys = value
        .as_object()
        .is_some_and(|object| object.keys().any(|key| ITEM_KEYS.contains(&key.as_str())));
    let item = if has_item_keys { check_item(&value, index)? } else { Item::new(value) };
    Ok(Some(item))
}

/// Keys that tell a whole item from its JSON.
const ITEM_KEYS: [&str; 4] = ["json", "binary", "pairedItem", "error"];

/// Keys a returned item may have beside them.
const OTHER_KEYS: [&str; 5] = ["index", "evaluationData", "metadata", "sendMessage", "redaction"];

/// A whole item, if its parts are what they must be.
fn check_item(value: &Value, index: usize) -> Result<Item, NodeError> {
    if let Some(json) = value.get("json").filter(|json| !json.is_object() && !json.is_undefined()) {
        return Err(NodeError::failed(format!("A 'json' property isn't an object [item {index}]"))
            .describe(format!(
                "In the returned data, every key named 'json' must point to an object. ({} was found instead.)",
                json.kind_name()
            ))
            .on_item(index));
    }
    if let Some(binary) =
        value.get("binary").filter(|binary| !binary.is_object() && !binary.is_undefined())
    {
        return Err(NodeError::failed(format!("A 'binary' property isn't an object [item {index}]"))
            .describe(format!(
                "In the returned data, every key named 'binary' must point to an object. ({} was found instead.)",
                binary.kind_name()
            ))
            .on_item(index));
    }
    if let Some(key) = value.as_object().and_then(|object| {
        object
            .keys()
            .find(|key| !ITEM_KEYS.contains(&key.as_str()) && !OTHER_KEYS.contains(&key.as_str()))
    }) {
        return Err(unknown_key(key, index));
    }
    let mut item = Item::from_value(value);
    if value.get("json").is_none() {
        item.json = Value::empty_object();
    }
    Ok(item)
}

fn unknown_key(key: &str, index: usize) -> NodeError {
    NodeError::failed(format!("Unknown top-level item key: {key} [item {index}]"))
        .describe("Access the properties of an item under `.json`, e.g. `item.json`")
        .on_item(index)
}

/// What code that sees all items has returned so far.
pub(crate) struct ResultCollector {
    output: ItemsBuilder,
    flavour: CodeFlavour,
    /// The first element that was a whole item, and the first that was not, with its first key.
    whole: Option<usize>,
    bare: Option<(usize, Str)>,
    seen: usize,
    returned: bool,
}

impl ResultCollector {
    pub(crate) fn new(ctx: &Ctx<'_>, flavour: CodeFlavour) -> Self {
        Self { output: ctx.builder(), flavour, whole: None, bare: None, seen: 0, returned: false }
    }

    pub(crate) fn take(&mut self, piece: CodeOutput) -> Result<(), NodeError> {
        self.returned = true;
        match piece {
            CodeOutput::List { .. } => Ok(()),
            CodeOutput::Element(value) => self.element(value),
            CodeOutput::Whole(value) => match &value {
                Value::Object(_) => self.element(value),
                Value::Undefined if self.flavour == CodeFlavour::Function => {
                    Err(NodeError::failed("No data got returned. Always return an Array of items!"))
                }
                _ => Err(self.no_items()),
            },
            CodeOutput::ForItem { value, .. } => self.element(value),
        }
    }

    fn element(&mut self, value: Value) -> Result<(), NodeError> {
        let index = self.seen;
        self.seen += 1;
        let Value::Object(object) = &value else { return Err(self.no_items()) };
        let is_whole = object.keys().any(|key| ITEM_KEYS.contains(&key.as_str()));
        if is_whole {
            self.whole.get_or_insert(index);
            self.output.push(check_item(&value, index)?);
        } else {
            self.bare
                .get_or_insert_with(|| (index, object.keys().next().cloned().unwrap_or_default()));
            self.output.push(Item::new(value));
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Items {
        self.output.finish()
    }

    /// Items and bare objects do not mix.
    pub(crate) fn check(&self) -> Result<(), NodeError> {
        if !self.returned {
            return Err(self.no_items());
        }
        match (&self.whole, &self.bare) {
            (Some(_), Some((index, key))) => Err(unknown_key(key, *index)),
            _ => Ok(()),
        }
    }

    fn no_items(&self) -> NodeError {
        match self.flavour {
            CodeFlavour::Function => {
                NodeError::failed("Always an Array of items has to be returned!")
            }
            _ => NodeError::failed("Code doesn't return items properly").describe(
                "Please return an array of objects, one for each item you would like to output.",
            ),
        }
    }
}
