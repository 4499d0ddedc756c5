//! Writes items as an HTML table, one row each.

use node_api::prelude::*;

const TABLE_STYLE: &str = "style='border-spacing:0; font-family:helvetica,arial,sans-serif'";
const HEADER_STYLE: &str = "style='margin:0; padding:7px 20px 7px 0px; border-bottom:1px solid #eee; text-align:left; color:#888; font-weight:normal'";
const CELL_STYLE: &str = "style='margin:0; padding:7px 20px 7px 0px; border-bottom:1px solid #eee'";

pub(super) fn write(ctx: &Ctx<'_>, items: &Items) -> Result<String, NodeError> {
    let option = |name: &str, index: usize| ctx.text(&format!("options.{name}"), index);
    let custom = ctx.flag("options.customStyling", 0)?;
    let style = |built_in: &'static str| if custom { "" } else { built_in };
    let capitalizes = ctx.flag("options.capitalize", 0)?;

    let mut columns = Object::new();
    for item in items.iter() {
        columns.extend(
            item.json
                .as_object()
                .into_iter()
                .flat_map(Object::keys)
                .map(|key| (key.clone(), Value::Null)),
        );
    }
    let mut out = format!("<table {} {}>", style(TABLE_STYLE), option("tableAttributes", 0)?);
    let caption = option("caption", 0)?;
    if !caption.is_empty() {
        out += &format!("<caption>{caption}</caption>");
    }
    out += &format!("<thead {} {}><tr>", style(HEADER_STYLE), option("headerAttributes", 0)?);
    for name in columns.keys() {
        out += &if capitalizes {
            format!("<th>{}</th>", capitalize(name))
        } else {
            format!("<th>{name}</th>")
        };
    }
    out += "</tr></thead><tbody>";
    for (index, item) in items.iter().enumerate() {
        out += &format!("<tr  {}>", option("rowAttributes", index)?);
        let cell_attributes = option("cellAttributes", index)?;
        for name in columns.keys() {
            out += &format!("<td {} {cell_attributes}>", style(CELL_STYLE));
            match item.json.get(name).unwrap_or(&Value::Undefined) {
                Value::Bool(flag) => {
                    out += &format!(
                        "<input type=\"checkbox\" {}/>",
                        if *flag { "checked=\"checked\"" } else { "" }
                    )
                }
                value => out += &value.to_js_string(),
            }
            out += "</td>";
        }
        out += "</tr>";
    }
    out += "</tbody></table>";
    Ok(out)
}

/// `first_name` as `First Name`.
fn capitalize(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty()).map(|word| {
        let mut letters = word.chars();
        letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect::<String>())
            .unwrap_or_default()
    });
    words.collect::<Vec<_>>().join(" ")
}
