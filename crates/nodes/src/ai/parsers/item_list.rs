//! Answers as a list of texts.

use super::parser_spec;
use node_api::ai::{Message, OutputParser, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use std::sync::Arc;

/// How many items are asked for if nothing else is said.
const DEFAULT_ITEMS: usize = 3;

pub(crate) struct OutputParserItemList;

impl Supplier for OutputParserItemList {
    fn spec() -> Spec {
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.outputParserItemList",
            &[1.0],
            "Item List Output Parser",
            "Get the answer as a list of texts",
        )
        .icon("braces");
        let options = [
            Param::number("numberOfItems", "Number of items", -1)
                .help("Maximum number of items. -1 uses the default of three."),
            Param::text("separator", "Separator", "\\n")
                .help("Separator between items; \\n is a new line."),
        ];
        parser_spec(spec)
            .param(Param::collection("options", "Options", options).help("Format of the list."))
            .hint("Connect it to a chain that should output one item per list entry.")
            .alias(&["list", "split"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let raw = ctx.ctx().param("options", ctx.item())?;
        let n_items =
            raw.get("numberOfItems").and_then(Value::as_f64).filter(|number| *number >= 1.0);
        let separator = raw
            .get("separator")
            .and_then(Value::as_str)
            .filter(|separator| !separator.is_empty())
            .unwrap_or("\\n");
        let separator = if separator == "\\n" { "\n" } else { separator };
        Ok(Supply::Parser(Arc::new(ItemListParser {
            n_items: n_items.map_or(DEFAULT_ITEMS, |number| number as usize),
            separator: separator.into(),
        })))
    }
}

struct ItemListParser {
    n_items: usize,
    separator: Str,
}

#[async_trait::async_trait]
impl OutputParser for ItemListParser {
    fn instructions(&self) -> Str {
        let example: Vec<String> =
            (1..=self.n_items).map(|number| format!("item{number}")).collect();
        let (n_items, separator) = (self.n_items, &self.separator);
        format!(
            "Answer with a list of {n_items} items and nothing else, with \"{separator}\" between them. For example: \"{}\"",
            example.join(separator)
        )
        .into()
    }

    fn schema(&self) -> Option<&Value> {
        None
    }

    async fn parse(&self, answer: &Message) -> Result<Value, NodeError> {
        let text = answer.text();
        let items: Vec<Value> = text
            .split(self.separator.as_str())
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .take(self.n_items)
            .map(Value::from)
            .collect();
        if items.len() < self.n_items {
            return Err(NodeError::failed(format!(
                "Wrong number of items returned. Expected {} items but got {} items instead.",
                self.n_items,
                items.len()
            )));
        }
        Ok(Value::array(items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn too_many_items_are_cut_and_too_few_are_an_error() {
        let list = ItemListParser { n_items: 2, separator: ";".into() };
        assert_eq!(list.parse(&Message::assistant(" a ; ;b;c")).await.unwrap(), json!(["a", "b"]));
        assert!(
            list.parse(&Message::assistant("a"))
                .await
                .unwrap_err()
                .to_string()
                .contains("Expected 2 items but got 1")
        );
    }
}
