//! A source of items for test workflows: one item per element of its data.

use node_api::prelude::*;

pub(crate) struct TestData;

impl Node for TestData {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-testing.testData", &[1.0], "Test Data", "Output the given items")
            .param(
                Param::json("data", "Data", "[]")
                    .help("An array or object, or its JSON text; one item per element."),
            )
            .hint("For tests only.")
            .repeatable()
            .example(
                "Two items",
                r#"{ "data": [{ "a": 1 }, { "a": 2 }] }"#,
                "[{}]",
                r#"[[{ "a": 1 }, { "a": 2 }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, _items: Items) -> Result<Outputs, NodeError> {
        let data = match ctx.param("data", 0)? {
            Value::String(text) => model::json::parse(&text).map_err(|error| {
                NodeError::parameter(
                    "data",
                    format!("The parameter 'data' is not valid JSON: {error}"),
                )
            })?,
            value => value,
        };
        let elements = match &data {
            Value::Array(elements) => elements.as_slice(),
            single => std::slice::from_ref(single),
        };
        let mut output = ctx.builder();
        output.extend(elements.iter().map(|element| Item::from_value(element).paired_with(0)));
        Ok(vec![output.finish()])
    }
}

/// Tells which version of a node runs.
pub(crate) struct VersionTest;

impl Node for VersionTest {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.versionTest",
            &[1.0, 2.0],
            "Version Test",
            "Return the version of the node",
        )
        .param(
            Param::number("versionTest", "Version", 1)
                .versions(&[1.0])
                .help("The default of version 1."),
        )
        .param(
            Param::number("versionTest", "Version", 2)
                .versions(&[2.0])
                .help("The default of version 2."),
        )
        .hint("For tests only.")
        .repeatable()
        .example(
            "Newest",
            "{}",
            "[{}]",
            r#"[[{ "versionFromParameter": 2, "versionFromNode": 2 }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        ctx.map_items(&items, |index, _| {
            let from_parameter = ctx.param("versionTest", index)?;
            Ok(Item::new(Object::from_iter([
                ("versionFromParameter", from_parameter),
                ("versionFromNode", ctx.version().into()),
            ])))
        })
    }
}
