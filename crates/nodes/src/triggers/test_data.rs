//! A source of items for test workflows: one item per element of its data.

use node_api::prelude::*;

pub(crate) struct TestData;

impl Node for TestData {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-testing.testData", &[1.0], "Test Data", "Emit the items it is given")
            .param(Param::json("data", "Data", "[]").help("An array or object, or its JSON text; one item per element."))
            .hint("For tests only.")
            .repeatable()
            .example("Two items", r#"{ "data": [{ "a": 1 }, { "a": 2 }] }"#, "[{}]", r#"[[{ "a": 1 }, { "a": 2 }]]"#)
    }

    async fn run(ctx: &Ctx<'_>, _items: Items) -> Result<Outputs, NodeError> {
        let data = match ctx.param("data", 0)? {
            Value::String(text) => model::json::parse(&text)
                .map_err(|error| NodeError::parameter("data", format!("The parameter 'data' is not valid JSON: {error}")))?,
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
