//! Takes values out of HTML by CSS selectors, for the HTML and the HTML Extract node.

use formats::html::page::{ExtractedBytes, Page};
use formats::html::plain_text;
use node_api::prelude::*;
use scraper::{ElementRef, Selector};

/// How the text of an element is given back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextStyle {
    /// All characters between the tags.
    Bare,
    /// The same, trimmed unless told otherwise.
    BareTrimmed,
    /// With line breaks, bullets and links, as a reader would see it.
    Laid,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ExtractionRule {
    key: Str,
    css_selector: Str,
    return_value: Str,
    attribute: Str,
    skip_selectors: Str,
    return_array: bool,
}

impl Default for ExtractionRule {
    fn default() -> Self {
        let empty = Str::new();
        Self {
            key: empty.clone(),
            css_selector: empty.clone(),
            return_value: "text".into(),
            attribute: empty.clone(),
            skip_selectors: empty,
            return_array: false,
        }
    }
}

pub(super) fn params() -> Vec<Param> {
    let kinds =
        [("text", "Text"), ("html", "HTML"), ("attribute", "Attribute"), ("value", "Value")];
    let value = FieldGroup::new(
        "values",
        "Value",
        [
            Param::text("key", "Key", "").help("Field for the value."),
            Param::text("cssSelector", "CSS selector", "").help("CSS selector of the elements."),
            Param::choice("returnValue", "Return value", &kinds)
                .help("What to extract from the element."),
            Param::text("attribute", "Attribute", "")
                .help("Name of the attribute. If empty, all attributes are returned.")
                .show("returnValue", &["attribute"]),
            Param::text("skipSelectors", "Skip selectors", "")
                .help("Selectors of elements whose text is left out, separated by commas.")
                .show("returnValue", &["text"]),
            Param::flag("returnArray", "Return array", false)
                .help("Return a list with the values of all matching elements."),
        ],
    );
    vec![
        Param::choice("sourceData", "Source data", &[("json", "JSON"), ("binary", "Binary")])
            .help("Whether the HTML is in a field or in a file."),
        Param::text("dataPropertyName", "Property", "data")
            .required()
            .help("Field or binary field with the HTML. A field can contain a list of texts."),
        Param::repeated("extractionValues", "Extraction values", [value])
            .help("Values to extract."),
    ]
}

pub(super) fn extract(
    ctx: &Ctx<'_>,
    items: &Items,
    style: TextStyle,
) -> Result<Outputs, NodeError> {
    let mut output = ctx.builder();
    for (index, item) in items.iter().enumerate() {
        match extract_item(ctx, index, &item, style) {
            Ok(made) => {
                output.extend(made.into_iter().map(|json| Item::new(json).paired_with(index)))
            }
            Err(error) => output.push(ctx.failed_item(index, error)?),
        }
    }
    Ok(vec![output.finish()])
}

fn extract_item(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    style: TextStyle,
) -> Result<Vec<Object>, NodeError> {
    let wanted: Vec<ExtractionRule> = match ctx.param("extractionValues.values", index)? {
        Value::Array(_) => ctx.param_as("extractionValues.values", index)?,
        _ => Vec::new(),
    };
    let wanted: Vec<(ExtractionRule, Selector, Vec<Selector>)> =
        wanted.into_iter().map(compile).collect::<Result<_, _>>()?;
    let trims = match ctx.param("options.trimValues", index)? {
        Value::Undefined => style == TextStyle::BareTrimmed,
        given => given.is_truthy(),
    };
    let cleans = ctx.flag("options.cleanUpText", index)?;
    let finish = |value: Value| match value {
        Value::String(mut text) => {
            if trims {
                text = text.trim().into();
            }
            if cleans {
                text = text
                    .trim()
                    .replace(['\r', '\n'], "")
                    .split_whitespace()
                    .collect::<Vec<_>>()
                    .join(" ")
                    .into();
            }
            Value::String(text)
        }
        other => other,
    };
    let mut made = Vec::new();
    for html in sources(ctx, index, item)? {
        let page = Page::read(&html)?;
        let (mut json, mut taken) = (Object::new(), ExtractedBytes::default());
        for (value, selector, skip) in &wanted {
            let mut elements = page.select(selector);
            let mut take = |elements: &[ElementRef<'_>]| {
                Ok::<_, NodeError>(finish(take(elements, value, skip, style, &mut taken)?))
            };
            let result = if value.return_array {
                Value::array(elements.map(|element| take(&[element?])).collect::<Result<_, _>>()?)
            } else if value.return_value == "text" && style != TextStyle::Laid {
                take(&elements.collect::<Result<Vec<_>, _>>()?)?
            } else {
                let first = elements.next().transpose()?;
                take(first.as_slice())?
            };
            json.insert(value.key.clone(), result);
        }
        made.push(json);
    }
    Ok(made)
}

fn compile(wanted: ExtractionRule) -> Result<(ExtractionRule, Selector, Vec<Selector>), NodeError> {
    let parse = |text: &str| {
        Selector::parse(text).map_err(|problem| {
            NodeError::parameter(
                "cssSelector",
                format!("The CSS selector '{text}' is not valid: {problem}"),
            )
        })
    };
    let skip = wanted
        .skip_selectors
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(parse)
        .collect::<Result<_, _>>()?;
    let selector = parse(&wanted.css_selector)?;
    Ok((wanted, selector, skip))
}

/// The texts to look at: one, or a list of them.
fn sources(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Vec<Str>, NodeError> {
    let name = ctx.text("dataPropertyName", index)?;
    if ctx.text("sourceData", index)? == "binary" {
        let file = ctx.binary(item, index, &name)?;
        return Ok(vec![String::from_utf8_lossy(&file.data).into()]);
    }
    match item.json.get_path(&name) {
        None | Some(Value::Undefined) => {
            Err(NodeError::input(format!("No property named \"{name}\" exists!")))
        }
        Some(Value::Array(texts)) => Ok(texts.iter().map(Value::to_js_string).collect()),
        Some(Value::Null) => Ok(vec![Str::new()]),
        Some(text) => Ok(vec![text.to_js_string()]),
    }
}

fn take(
    elements: &[ElementRef<'_>],
    wanted: &ExtractionRule,
    skip: &[Selector],
    style: TextStyle,
    taken: &mut ExtractedBytes,
) -> Result<Value, NodeError> {
    let first = elements.first();
    let value = match wanted.return_value.as_str() {
        "attribute" if wanted.attribute.is_empty() => first
            .map(|element| element.value().attrs().collect::<Object>())
            .map_or(Value::Undefined, Value::from),
        "attribute" => first
            .and_then(|element| element.value().attr(&wanted.attribute))
            .map_or(Value::Undefined, Value::from),
        "html" => match first.map(|element| element.inner_html()) {
            Some(html) if !html.is_empty() => html.into(),
            _ => Value::Undefined,
        },
        "value" => first.map_or(Value::Undefined, form_value),
        _ if style == TextStyle::Laid => {
            first.map_or_else(String::new, |element| plain_text::write(*element, skip)).into()
        }
        _ => {
            let mut text = String::new();
            for element in elements {
                let before = text.len();
                text.extend(element.text());
                taken.add(text.len() - before)?;
            }
            return Ok(if text.is_empty() && style == TextStyle::Bare {
                Value::Undefined
            } else {
                text.into()
            });
        }
    };
    taken.add(value.as_str().map_or(0, str::len))?;
    Ok(value)
}

/// What a form would send for the element.
fn form_value(element: &ElementRef<'_>) -> Value {
    let option_value = |option: ElementRef<'_>| {
        option
            .value()
            .attr("value")
            .map_or_else(|| option.text().collect::<String>(), str::to_owned)
    };
    match element.value().name() {
        "textarea" => element.text().collect::<String>().into(),
        "select" => {
            let options: Vec<ElementRef<'_>> = element
                .descendent_elements()
                .filter(|inner| inner.value().name() == "option")
                .collect();
            let chosen: Vec<String> = options
                .iter()
                .filter(|option| option.value().attr("selected").is_some())
                .map(|option| option_value(*option))
                .collect();
            if element.value().attr("multiple").is_some() {
                return chosen.join(",").into();
            }
            chosen
                .into_iter()
                .next()
                .or_else(|| options.first().map(|option| option_value(*option)))
                .map_or(Value::Undefined, Value::from)
        }
        "option" => option_value(*element).into(),
        _ => element.value().attr("value").map_or(Value::Undefined, Value::from),
    }
}
