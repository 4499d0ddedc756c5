//! Converts between XML and JSON.

use formats::xml::{read, write};
use node_api::prelude::*;

pub(crate) struct Xml;

/// Reads the XML of a request the way n8n does: names in lower case, spaces joined, attributes
/// below `$`.
pub fn read_request(text: &str) -> Result<Value, NodeError> {
    let options = read::XmlReadOptions {
        attribute_key: "$".into(),
        text_key: "_".into(),
        explicit_array: false,
        explicit_root: true,
        ignore_attributes: false,
        merge_attributes: false,
        normalize: true,
        lower_case: true,
        trim: false,
    };
    read::parse(text, &options)
}

impl Node for Xml {
    fn spec() -> Spec {
        let to_json = &["xmlToJson"];
        let to_xml = &["jsonToxml"];
        let attribute_key = || {
            Param::text("attrkey", "Attribute key", "$")
                .help("Field for the attributes of an element.")
        };
        let text_key = || {
            Param::text("charkey", "Character key", "_").help("Field for the text of an element.")
        };
        Spec::new("n8n-nodes-base.xml", &[1.0], "XML", "Convert data from and to XML").icon("code-xml")
            .params([
                Param::choice("mode", "Mode", &[("xmlToJson", "XML to JSON"), ("jsonToxml", "JSON to XML")]).help("Direction of the conversion."),
                Param::text("dataPropertyName", "Property name", "data")
                    .required()
                    .help("Field for the XML.")
                    .show("mode", to_xml),
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::flag("allowSurrogateChars", "Allow surrogate chars", false)
                            .help("Has no effect here: characters beyond the Basic Multilingual Plane \
                                 are always allowed."),
                        attribute_key(),
                        Param::flag("cdata", "Cdata", false).help("Wrap texts that need escaping in CDATA sections."),
                        text_key(),
                        Param::flag("headless", "Headless", false).help("Omit the XML declaration."),
                        Param::text("rootName", "Root name", "root").help("Name of the root element."),
                    ],
                )
                .help("Further settings.")
                .show("mode", to_xml),
                Param::text("dataPropertyName", "Property name", "data").required().help("The field with the XML.").show("mode", to_json),
                Param::collection(
                    "options",
                    "Options",
                    [
                        attribute_key(),
                        text_key(),
                        Param::flag("explicitArray", "Explicit array", false)
                            .help("Always put children in a list, even if there is only one."),
                        Param::flag("explicitRoot", "Explicit root", true).help("Include the root element in the result."),
                        Param::flag("ignoreAttrs", "Ignore attributes", false).help("Ignore attributes."),
                        Param::flag("mergeAttrs", "Merge attributes", true).help("Treat attributes like children."),
                        Param::flag("normalize", "Normalize", false).help("Trim texts and collapse whitespace."),
                        Param::flag("normalizeTags", "Normalize tags", false).help("Convert element names to lowercase."),
                        Param::flag("trim", "Trim", false).help("Trim texts."),
                    ],
                )
                .help("Further settings.")
                .show("mode", to_json),
            ])
            .note("Documents that declare entities are rejected.")
            .alias(&["parse", "soap", "rss", "sitemap"])
            .hint("Use it after a request to a service that returns XML, such as a feed or a sitemap.")
            .repeatable()
            .computes()
            .example(
                "Read a document",
                "{}",
                r#"[{ "data": "<order id=\"7\"><item>a</item><item>b</item></order>" }]"#,
                r#"[[{ "order": { "id": "7", "item": ["a", "b"] } }]]"#,
            )
            .example(
                "Write a document",
                r#"{ "mode": "jsonToxml", "options": { "headless": true } }"#,
                r#"[{ "order": { "$": { "id": 7 }, "item": ["a", "b"] } }]"#,
                r#"[[{ "data": "<order id=\"7\">\n  <item>a</item>\n  <item>b</item>\n</order>" }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mode = ctx.text("mode", 0)?;
        let property = ctx.text("dataPropertyName", 0)?;
        let text_option =
            |name: &str, default: &str| match ctx.param(&format!("options.{name}"), 0)? {
                Value::Undefined => Ok::<Str, NodeError>(default.into()),
                given => Ok(given.to_js_string()),
            };
        let flag_option =
            |name: &str, default: bool| match ctx.param(&format!("options.{name}"), 0)? {
                Value::Undefined => Ok::<bool, NodeError>(default),
                given => Ok(given.is_truthy()),
            };
        let (attribute_key, text_key) =
            (text_option("attrkey", "$")?, text_option("charkey", "_")?);
        match mode.as_str() {
            "xmlToJson" => {
                let options = read::XmlReadOptions {
                    attribute_key,
                    text_key,
                    explicit_array: flag_option("explicitArray", false)?,
                    explicit_root: flag_option("explicitRoot", true)?,
                    ignore_attributes: flag_option("ignoreAttrs", false)?,
                    merge_attributes: flag_option("mergeAttrs", true)?,
                    normalize: flag_option("normalize", false)?,
                    lower_case: flag_option("normalizeTags", false)?,
                    trim: flag_option("trim", false)?,
                };
                ctx.map_items(&items, |_, item| {
                    let text = item.json.get(&property).filter(|value| !value.is_undefined());
                    let text = text.ok_or_else(|| {
                        NodeError::input(format!("Item has no JSON property called \"{property}\""))
                    })?;
                    let json = read::parse(&text.to_js_string(), &options)?;
                    // A document may also be a bare text when its root is not kept.
                    let json = if json.is_object() {
                        json
                    } else {
                        Object::from_iter([("data", json)]).into()
                    };
                    Ok(Item::new(json))
                })
            }
            "jsonToxml" => {
                let options = write::XmlWriteOptions {
                    attribute_key,
                    text_key,
                    cdata: flag_option("cdata", false)?,
                    headless: flag_option("headless", false)?,
                    root_name: text_option("rootName", "root")?,
                };
                ctx.map_items(&items, |_, item| {
                    Ok(Item::new(Object::from_iter([(
                        property.clone(),
                        write::build(&item.json, &options)?,
                    )])))
                })
            }
            other => Err(NodeError::parameter(
                "mode",
                format!("The operation \"{other}\" is not known!"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn what_is_written_can_be_read_back() {
        let written =
            run::<Xml>(json!({ "mode": "jsonToxml" }), json!([{ "a": { "b": { "c": 1 } } }]))
                .await
                .unwrap();
        let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<a>\n  <b>\n    <c>1</c>\n  </b>\n</a>";
        assert_eq!(written[0].at(0).unwrap().get("data"), Some(&json!(expected)));
        assert_eq!(
            run::<Xml>(json!({}), written[0].clone()).await.unwrap()[0],
            json!([{ "a": { "b": { "c": "1" } } }])
        );
    }

    #[tokio::test]
    async fn a_missing_field_is_told() {
        assert_eq!(
            run::<Xml>(json!({}), json!([{}])).await.unwrap_err().message(),
            "Item has no JSON property called \"data\""
        );
    }
}
