//! Knowledge: documents, the chunks they are cut into, and the collections they are kept in.

pub(super) mod base;
pub(super) mod base_tool;
mod collections;
mod ingestor;
pub(super) mod loaders;
mod read;
mod split;
pub(super) mod splitters;

pub use ingestor::NodeIngestor;
pub(crate) use read::DocumentKind;
pub(super) use read::strings;

use node_api::prelude::*;

/// Names with a value each: what documents are given, or found by.
pub(super) fn metadata_param(label: &str, help: &str) -> Param {
    let fields = [
        Param::text("name", "Name", "").help("The name of the field."),
        Param::text("value", "Value", "").help("Its value."),
    ];
    Param::repeated("metadata", label, [FieldGroup::new("metadataValues", "Fields to set", fields)])
        .help(help)
}

/// The fields that such a form holds.
pub(super) fn metadata(ctx: &Ctx<'_>, path: &str, item: usize) -> Result<Object, NodeError> {
    let list = ctx.param(&format!("{path}.metadataValues"), item)?;
    let entry = |entry: &Value| {
        let name = entry.get("name").map(Value::to_js_string).filter(|name| !name.is_empty())?;
        Some((name, entry.get("value").cloned().unwrap_or_default()))
    };
    Ok(list.as_array().unwrap_or_default().iter().filter_map(entry).collect())
}

/// A number of the options, or the usual one.
fn option(ctx: &Ctx<'_>, item: usize, name: &str, usual: f64) -> Result<f64, NodeError> {
    Ok(ctx.param(&format!("options.{name}"), item)?.as_f64().unwrap_or(usual))
}
