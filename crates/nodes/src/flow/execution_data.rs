//! Notes values on the execution, so that it can be found by them.

use node_api::prelude::*;

pub(crate) struct ExecutionData;

/// Longer keys and values are cut.
const MAX_KEY: usize = 50;
const MAX_VALUE: usize = 512;

impl Node for ExecutionData {
    fn spec() -> Spec {
        let entry = [
            Param::text("key", "Key", "").help("The name to search by, at most 50 characters."),
            Param::text("value", "Value", "").help("The value, at most 512 characters."),
        ];
        Spec::new(
            "n8n-nodes-base.executionData",
            &[1.0, 1.1],
            "Execution Data",
            "Save values on the execution to search by",
        )
        .icon("tags")
        .group(NodeGroup::Flow)
        .param(
            Param::choice("operation", "Operation", &[("save", "Save highlight data")])
                .help("Operation on the values."),
        )
        .param(
            Param::repeated(
                "dataToSave",
                "Data to save",
                [FieldGroup::new("values", "Values", entry)],
            )
            .show("operation", &["save"])
            .help("Values to save."),
        )
        .hint(
            "Use it to tag executions, for example with an order number, so that you can find \
                 them again.",
        )
        .repeatable()
        .example(
            "Note a number",
            r#"{ "dataToSave": { "values": [{ "key": "order", "value": "7" }] } }"#,
            r#"[{ "order": 7 }]"#,
            r#"[[{ "order": 7 }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            match record(ctx, index) {
                Ok(()) => output.push(item.paired_with(index)),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

fn record(ctx: &Ctx<'_>, index: usize) -> Result<(), NodeError> {
    if ctx.text("operation", index)? != "save" {
        return Ok(());
    }
    let entries = ctx.param("dataToSave.values", index)?;
    for entry in entries.as_array().unwrap_or_default() {
        let text = |key: &str, most: usize| -> String {
            let value = entry.get(key).map(crate::field_type::to_text).unwrap_or_default();
            value.chars().take(most).collect()
        };
        let key = text("key", MAX_KEY);
        if !key.is_empty() {
            ctx.host().set_custom_data(&key, &text("value", MAX_VALUE));
        }
    }
    Ok(())
}
