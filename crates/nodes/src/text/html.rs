//! Makes HTML from a template or a table of items, and takes values out of HTML.

mod extract;
pub(super) mod extract_node;
mod table;

use extract::{TextStyle, extract};
use node_api::prelude::*;

pub(crate) struct Html;

const TEMPLATE: &str = "<!DOCTYPE html>\n\n<html>\n<head>\n  <meta charset=\"UTF-8\" />\n  <title>My page</title>\n</head>\n<body>\n  <h1>A page of its own</h1>\n  <p>Put expressions between double braces.</p>\n</body>\n</html>\n";

impl Node for Html {
    fn spec() -> Spec {
        let operations = [
            ("generateHtmlTemplate", "Generate HTML template"),
            ("extractHtmlContent", "Extract HTML content"),
            ("convertToHtmlTable", "Convert to HTML table"),
        ];
        let extracts = &["extractHtmlContent"];
        let makes_table = &["convertToHtmlTable"];
        let attributes = |name: &str, label: &str, what: &str| {
            Param::text(name, label, "").help(&format!("HTML attributes of {what}."))
        };
        Spec::new("n8n-nodes-base.html", &[1.0, 1.1, 1.2], "HTML", "Work with HTML").icon("code-xml")
            .params([
                Param::choice("operation", "Operation", &operations).raw().help("What to do."),
                Param::long_text("html", "HTML template", TEMPLATE)
                    .help("HTML of the page. Use {{ }} for expressions. Scripts are part of the page \
                         and do not run here.")
                    .show("operation", &["generateHtmlTemplate"]),
                Param::notice("notice", "Use {{ }} for expressions and <style> tags for CSS.").show("operation", &["generateHtmlTemplate"]),
            ])
            .params(extract::params().into_iter().map(|param| param.show("operation", extracts)))
            .params([
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::flag("trimValues", "Trim values", true).help("Remove spaces and line breaks around the values."),
                        Param::flag("cleanUpText", "Clean up text", true).help("Remove line breaks and collapse spaces."),
                    ],
                )
                .help("Further settings.")
                .show("operation", extracts),
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::flag("capitalize", "Capitalize headers", false).help("Capitalize field names in the headers."),
                        Param::flag("customStyling", "Custom styling", false).help("Omit the built-in styles."),
                        Param::text("caption", "Caption", "").help("A caption of the table."),
                        attributes("tableAttributes", "Table attributes", "the table"),
                        attributes("headerAttributes", "Header attributes", "the table header"),
                        attributes("rowAttributes", "Row attributes", "each row"),
                        attributes("cellAttributes", "Cell attributes", "each cell"),
                    ],
                )
                .help("Further settings.")
                .show("operation", makes_table),
            ])
            .alias(&["scrape", "css selector", "template", "table", "parse"])
            .hint("Use it after an HTTP request to extract values from a page with CSS selectors, or \
                 to create an HTML email.")
            .repeatable()
            .computes()
            .example(
                "Extract a heading and all links",
                r#"{ "operation": "extractHtmlContent", "extractionValues": { "values": [{ "key": "title", "cssSelector": "h1" }, { "key": "links", "cssSelector": "a", "returnValue": "attribute", "attribute": "href", "returnArray": true }] } }"#,
                r#"[{ "data": "<h1>Hello</h1><p><a href='/a'>A</a> <a href='/b'>B</a></p>" }]"#,
                r#"[[{ "title": "Hello", "links": ["/a", "/b"] }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        match ctx.text("operation", 0)?.as_str() {
            "convertToHtmlTable" if items.is_empty() => Ok(vec![items]),
            "convertToHtmlTable" => {
                let pairs: Pairs = (0..items.len()).map(PairedItem::new).collect();
                let json = Object::from_iter([("table", table::write(ctx, &items)?)]);
                Ok(vec![Items::one(Item::new(json).with_pairs(pairs))])
            }
            "extractHtmlContent" => {
                let style = if ctx.version() > 1.15 { TextStyle::Laid } else { TextStyle::Bare };
                extract(ctx, &items, style)
            }
            _ => ctx.map_items(&items, |index, _| {
                Ok(Item::new(Object::from_iter([("html", fill_template(ctx, index)?)])))
            }),
        }
    }
}

/// Each value has limits of its own; what they make together has this one.
const MAX_PAGE_BYTES: usize = 64 << 20;

/// Replaces each `{{ … }}` by its value.
fn fill_template(ctx: &Ctx<'_>, index: usize) -> Result<String, NodeError> {
    let template = ctx.text("html", index)?;
    let mut out = String::with_capacity(template.len());
    let mut rest = template.as_str();
    while let Some(start) = rest.find("{{")
        && let Some(length) = rest[start..].find("}}")
    {
        let end = start + length + 2;
        out.push_str(&rest[..start]);
        let value =
            ctx.host().evaluate(&format!("={}", &rest[start..end]), index, &Object::new())?;
        let value = value.to_js_string();
        if out.len() + value.len() > MAX_PAGE_BYTES {
            return Err(NodeError::new(
                Code::SANDBOX_MEMORY,
                format!("The page exceeds the limit of {MAX_PAGE_BYTES} bytes"),
            ));
        }
        out.push_str(&value);
        rest = &rest[end..];
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::{run, run_version};

    const PAGE: &str = "<html>\n<head>\n\t<title>My Page</title>\t\n</head>\n<body>\n\t<h1>My Page</h1>\n\t<p>Hello World</p>\n\t<div class=\"content\">\n\t\t<p>Another paragraph\n</p>\n\t\t<p>Yet \r\n\r\n\t\t\t\t\t\tanother paragraph\n</p>\n\t</div>\n\t<img src=\"https://n8n.io/n8n-logo.png\" alt=\"n8n.io logo\" />\n\t<a href=\"https://n8n.io\">n8n.io</a>\n    <input id=\"text-id\" type=\"text\" value=\"n8n\" />\n</body>\n</html>";

    async fn take(version: f64, value: Value, options: Value) -> Value {
        let mut params = json!({ "operation": "extractHtmlContent" });
        params.set_path("extractionValues.values", vec![value]);
        params.set_path("options", options);
        let mut input = json!([{}]);
        input.set_path("[0].data", PAGE);
        run_version::<Html>(version, params, &[input]).await.unwrap()[0]
            .at(0)
            .unwrap()
            .get("v")
            .cloned()
            .unwrap_or_default()
    }

    #[tokio::test]
    async fn text_is_laid_out_as_on_the_page() {
        let text = take(1.2, json!({ "key": "v", "cssSelector": "html" }), json!({})).await;
        let expected = "MY PAGE\n\nHello World\n\nAnother paragraph\n\nYet another paragraph\n\nn8n.io logo [https://n8n.io/n8n-logo.png] n8n.io [https://n8n.io]";
        assert_eq!(text, json!(expected));
        let text = take(
            1.2,
            json!({ "key": "v", "cssSelector": "html", "skipSelectors": "img, a" }),
            json!({}),
        )
        .await;
        assert_eq!(
            text,
            json!("MY PAGE\n\nHello World\n\nAnother paragraph\n\nYet another paragraph")
        );
        let text = take(1.2, json!({ "key": "v", "cssSelector": "h1, p" }), json!({})).await;
        assert_eq!(text, json!("My Page"));
    }

    #[tokio::test]
    async fn older_versions_take_the_bare_text() {
        assert_eq!(
            take(1.0, json!({ "key": "v", "cssSelector": "h1, p:first-of-type" }), json!({})).await,
            json!("My PageHello WorldAnother paragraph\n")
        );
        let cleaned =
            take(1.1, json!({ "key": "v", "cssSelector": "div" }), json!({ "cleanUpText": true }))
                .await;
        assert_eq!(cleaned, json!("Another paragraph Yet another paragraph"));
    }

    #[tokio::test]
    async fn attributes_values_and_markup_are_taken() {
        assert_eq!(
            take(
                1.2,
                json!({ "key": "v", "cssSelector": "div", "returnValue": "attribute" }),
                json!({})
            )
            .await,
            json!({ "class": "content" })
        );
        assert_eq!(
            take(
                1.2,
                json!({ "key": "v", "cssSelector": "#text-id", "returnValue": "value" }),
                json!({})
            )
            .await,
            json!("n8n")
        );
        assert_eq!(
            take(1.2, json!({ "key": "v", "cssSelector": "p", "returnValue": "html", "returnArray": true }), json!({ "trimValues": true }))
                .await
                .at(0),
            Some(&json!("Hello World"))
        );
        assert_eq!(
            take(
                1.2,
                json!({ "key": "v", "cssSelector": ".none", "returnValue": "html" }),
                json!({})
            )
            .await,
            Value::Undefined
        );
    }

    #[tokio::test]
    async fn a_missing_field_and_a_broken_selector_are_told() {
        let params = json!({ "operation": "extractHtmlContent", "dataPropertyName": "x.y", "extractionValues": { "values": [{ "key": "v", "cssSelector": "a" }] } });
        let error = run::<Html>(params, json!([{}])).await.unwrap_err();
        assert_eq!(error.message(), "No property named \"x.y\" exists!");
        let params = json!({ "operation": "extractHtmlContent", "extractionValues": { "values": [{ "key": "v", "cssSelector": "a[" }] } });
        assert_eq!(
            run::<Html>(params, json!([{ "data": "<a>" }])).await.unwrap_err().code(),
            Code::NODE_PARAMETER
        );
    }

    #[tokio::test]
    async fn items_become_a_table() {
        let params = json!({ "operation": "convertToHtmlTable", "options": { "customStyling": true, "capitalize": true, "caption": "All" } });
        let made = run::<Html>(
            params,
            json!([{ "first_name": "Ann", "ok": true }, { "first_name": "Bob" }]),
        )
        .await
        .unwrap();
        let expected = "<table  ><caption>All</caption><thead  ><tr><th>First Name</th><th>Ok</th></tr></thead><tbody><tr  ><td  >Ann</td><td  ><input type=\"checkbox\" checked=\"checked\"/></td></tr><tr  ><td  >Bob</td><td  >undefined</td></tr></tbody></table>";
        assert_eq!(made[0].at(0).unwrap().get("table"), Some(&json!(expected)));
    }

    #[tokio::test]
    async fn a_template_without_expressions_stays_as_it_is() {
        let made = run::<Html>(json!({ "html": "<b>}} {{</b>" }), json!([{}])).await.unwrap();
        assert_eq!(made[0], json!([{ "html": "<b>}} {{</b>" }]));
    }
}
