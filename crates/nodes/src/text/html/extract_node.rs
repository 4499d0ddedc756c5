//! The older node that takes values out of HTML.

use super::extract::{self, TextStyle};
use node_api::prelude::*;

pub(crate) struct HtmlExtract;

impl Node for HtmlExtract {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.htmlExtract", &[1.0], "HTML Extract", "Extract data from HTML").legacy().icon("code-xml")
            .params(extract::params())
            .param(
                Param::collection(
                    "options",
                    "Options",
                    [Param::flag("trimValues", "Trim values", true).help("Remove spaces and line breaks around the values.")],
                )
                .help("Further settings."),
            )
            .hint("Only in old workflows; the HTML node replaces it.")
            .repeatable()
            .computes()
            .example(
                "Take a heading",
                r#"{ "extractionValues": { "values": [{ "key": "title", "cssSelector": "h1" }] } }"#,
                r#"[{ "data": "<h1> Hello </h1>" }]"#,
                r#"[[{ "title": "Hello" }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        extract::extract(ctx, &items, TextStyle::BareTrimmed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_testing::{TestHost, run_on, to_json};

    #[tokio::test]
    async fn files_are_read_too() {
        let params = json!({ "sourceData": "binary", "extractionValues": { "values": [{ "key": "x", "cssSelector": "li", "returnArray": true }] } });
        let host = TestHost::new(&HtmlExtract::spec(), 1.0, &params);
        let mut item = Item::new(json!({}));
        item.set_binary("data", Binary::new("<ul><li>a<li>b</ul>", "text/html", None));
        let made =
            run_on::<HtmlExtract>(&host, 1.0, vec![Items::one(item)], OnError::Stop).await.unwrap();
        assert_eq!(to_json(&made[0]), json!([{ "x": ["a", "b"] }]));
    }
}
