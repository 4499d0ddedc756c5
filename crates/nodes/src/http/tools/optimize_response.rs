//! Shortens an answer to what a model needs of it, as n8n's option "Optimize Response" does.

use formats::html::page::{ExtractedBytes, Page};
use formats::html::plain_text;
use model::Gaps;
use node_api::prelude::*;
use scraper::Selector;

/// How an answer is shortened.
pub(in crate::http) enum ResponseOptimizer {
    Json { data_field: String, fields: FieldSelection },
    Html { selector: String, only_text: bool, omitted: Vec<String>, max_length: usize },
    Text { max_length: usize },
}

pub(in crate::http) enum FieldSelection {
    All,
    Selected(Vec<String>),
    Except(Vec<String>),
}

impl ResponseOptimizer {
    pub(super) fn params() -> Vec<Param> {
        let kinds = [("json", "JSON"), ("html", "HTML"), ("text", "Text")];
        let which = [("all", "All"), ("selected", "Selected"), ("except", "Except")];
        let of = |kind: &str, param: Param| {
            param.show("optimizeResponse", &[true]).show("responseType", &[kind])
        };
        vec![
            Param::flag("optimizeResponse", "Optimize response", false)
                .raw()
                .help("Return only part of the response to the model."),
            Param::choice("responseType", "Expected response type", &kinds)
                .show("optimizeResponse", &[true])
                .help("Format of the response."),
            of(
                "json",
                Param::text("dataField", "Field containing data", "")
                    .help("Field to return. If empty, the whole response is returned."),
            ),
            of(
                "json",
                Param::choice("fieldsToInclude", "Include fields", &which)
                    .help("Which fields of each object to return."),
            ),
            of(
                "json",
                Param::text("fields", "Fields", "")
                    .hide("fieldsToInclude", &["all"])
                    .help("Comma-separated field names."),
            ),
            of(
                "html",
                Param::text("cssSelector", "Selector (CSS)", "body")
                    .help("CSS selector of the elements to return."),
            ),
            of(
                "html",
                Param::flag("onlyContent", "Return only content", false)
                    .help("Remove tags and attributes."),
            ),
            of(
                "html",
                Param::text("elementsToOmit", "Elements to omit", "")
                    .show("onlyContent", &[true])
                    .help("CSS selectors of elements to omit."),
            ),
            Param::flag("truncateResponse", "Truncate response", false)
                .show("optimizeResponse", &[true])
                .show("responseType", &["text", "html"])
                .help("Truncate the response."),
            Param::number("maxLength", "Max response characters", 1000)
                .at_least(1.0)
                .show("optimizeResponse", &[true])
                .show("responseType", &["text", "html"])
                .show("truncateResponse", &[true])
                .help("Maximum number of characters to return."),
        ]
    }

    /// `None` where nothing is to be shortened.
    pub(in crate::http) fn read(ctx: &Ctx<'_>, index: usize) -> Result<Option<Self>, NodeError> {
        if !ctx.flag("optimizeResponse", index)? {
            return Ok(None);
        }
        let list = |name: &str| {
            let words = |text: &str| {
                text.split(',')
                    .map(|word| word.trim().to_owned())
                    .filter(|word| !word.is_empty())
                    .collect::<Vec<_>>()
            };
            Ok::<_, NodeError>(match ctx.param(name, index)? {
                Value::Array(values) => {
                    values.iter().map(|value| value.to_js_string().to_string()).collect()
                }
                value => words(value.as_str().unwrap_or_default()),
            })
        };
        // The first version of the option had no switch: a length of 0 meant all of it.
        let max_length = match ctx.param("truncateResponse", index)?.as_bool() {
            Some(false) => 0,
            _ => ctx.param("maxLength", index)?.as_usize().unwrap_or(0),
        };
        Ok(Some(match ctx.text("responseType", index)?.as_str() {
            "html" => ResponseOptimizer::Html {
                selector: Some(ctx.text("cssSelector", index)?.to_string())
                    .filter(|text| !text.is_empty())
                    .unwrap_or_else(|| "body".into()),
                only_text: ctx.flag("onlyContent", index)?,
                omitted: list("elementsToOmit")?,
                max_length,
            },
            "text" => ResponseOptimizer::Text { max_length },
            _ => ResponseOptimizer::Json {
                data_field: ctx.text("dataField", index)?.to_string(),
                fields: match ctx.text("fieldsToInclude", index)?.as_str() {
                    "selected" => FieldSelection::Selected(list("fields")?),
                    "except" => FieldSelection::Except(list("fields")?),
                    _ => FieldSelection::All,
                },
            },
        }))
    }

    /// What the model sees of a body.
    pub(super) fn answer(&self, body: &str) -> Result<Value, NodeError> {
        Ok(match self {
            ResponseOptimizer::Json { data_field, fields } => {
                json_parts(body, data_field, fields)?.into()
            }
            ResponseOptimizer::Html { selector, only_text, omitted, max_length } => {
                let found = elements(body, selector, *only_text, omitted)?;
                cut(
                    &model::json::to_string(&Value::array(
                        found.into_iter().map(Value::from).collect(),
                    )),
                    *max_length,
                )
                .into()
            }
            ResponseOptimizer::Text { max_length } => cut(&text_of_page(body)?, *max_length).into(),
        })
    }

    /// The same as items.
    pub(in crate::http) fn items(&self, body: Value) -> Result<Vec<Item>, NodeError> {
        let body = body.to_js_string();
        Ok(match self.answer(&body)? {
            Value::Array(values) => values.iter().map(|value| Item::new(value.clone())).collect(),
            other => vec![Item::new(Object::from_iter([("response", other)]))],
        })
    }
}

fn json_parts(
    body: &str,
    data_field: &str,
    fields: &FieldSelection,
) -> Result<Vec<Value>, NodeError> {
    let parsed = model::json::parse(body)
        .map_err(|_| NodeError::failed("The service did not return JSON"))?;
    let field = |value: &Value| value.get_path(data_field).cloned().unwrap_or_default();
    let list = match &parsed {
        Value::Array(values) if data_field.is_empty() => values.to_vec(),
        Value::Array(values) => values.iter().map(field).collect(),
        Value::Object(_) if data_field.is_empty() => vec![parsed],
        Value::Object(_) => match field(&parsed) {
            Value::Array(values) => values.to_vec(),
            other => vec![other],
        },
        _ => {
            return Err(NodeError::failed(
                "The response type must be an object or an array of objects",
            ));
        }
    };
    let shown = |value: Value| match fields {
        FieldSelection::All => Ok(value),
        FieldSelection::Selected(names) => {
            let (mut kept, mut gaps) = (Value::empty_object(), Gaps::default());
            for name in names {
                kept.put_path_within(
                    name,
                    value.get_path(name).cloned().unwrap_or_default(),
                    &mut gaps,
                )?;
            }
            Ok(kept)
        }
        FieldSelection::Except(names) => {
            let mut kept = value;
            for name in names {
                kept.remove_path(name);
            }
            Ok(kept)
        }
    };
    list.into_iter().map(shown).collect()
}

fn elements(
    body: &str,
    selector: &str,
    only_text: bool,
    omitted: &[String],
) -> Result<Vec<String>, NodeError> {
    let read = |text: &str| {
        Selector::parse(text).map_err(|_| {
            NodeError::parameter("cssSelector", format!("'{text}' is not a valid CSS selector"))
        })
    };
    let (wanted, page) = (read(selector)?, Page::read(body)?);
    let omitted = omitted.iter().map(|text| read(text)).collect::<Result<Vec<_>, _>>()?;
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut taken = ExtractedBytes::default();
    let shown = page.select(&wanted).map(|element| {
        let element = element?;
        let shown = words(if only_text {
            plain_text::write(element, &omitted)
        } else {
            element.inner_html()
        });
        taken.add(shown.len())?;
        Ok(shown)
    });
    shown.collect()
}

/// What a reader sees of a page; of anything else, the text itself.
fn text_of_page(body: &str) -> Result<String, NodeError> {
    if !body.contains('<') {
        return Ok(body.to_owned());
    }
    let page = Page::read(body)?;
    let skipped: Vec<Selector> = ["script", "style", "nav", "header", "footer", "noscript"]
        .iter()
        .filter_map(|name| Selector::parse(name).ok())
        .collect();
    Ok(plain_text::write(page.root(), &skipped))
}

/// The beginning of a text; all of it for a length of 0.
fn cut(text: &str, max_length: usize) -> String {
    if max_length == 0 { text.to_owned() } else { text.chars().take(max_length).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_named_fields_of_the_data_are_shown() {
        let body =
            r#"{ "total": 2, "rows": [{ "a": { "b": 1, "c": 2 }, "d": 3 }, { "a": { "b": 4 } }] }"#;
        let shown = |fields| {
            ResponseOptimizer::Json { data_field: "rows".into(), fields }.answer(body).unwrap()
        };
        assert_eq!(
            shown(FieldSelection::Selected(vec!["a.b".into()])),
            json!([{ "a": { "b": 1 } }, { "a": { "b": 4 } }])
        );
        assert_eq!(
            shown(FieldSelection::Except(vec!["a.c".into(), "d".into()])),
            json!([{ "a": { "b": 1 } }, { "a": { "b": 4 } }])
        );
        let whole = ResponseOptimizer::Json {
            data_field: String::new(),
            fields: FieldSelection::Selected(vec!["total".into()]),
        };
        assert_eq!(whole.answer(body).unwrap(), json!([{ "total": 2 }]));
        assert!(whole.answer("<html>").is_err());
    }

    #[test]
    fn pages_are_shown_by_element_or_as_text() {
        let page = "<html><head><title>T</title><script>x()</script></head><body><nav>menu</nav><p>One  <b>two</b></p><p>three<img src=x></p></body></html>";
        let html = |only_text| {
            ResponseOptimizer::Html {
                selector: "p".into(),
                only_text,
                omitted: vec!["b".into()],
                max_length: 0,
            }
            .answer(page)
            .unwrap()
        };
        assert_eq!(html(false), json!(r#"["One <b>two</b>","three<img src=\"x\">"]"#));
        assert_eq!(html(true), json!(r#"["One","three[x]"]"#));
        let text = ResponseOptimizer::Text { max_length: 7 }.answer(page).unwrap();
        assert_eq!(text, json!("One two"));
    }
}
