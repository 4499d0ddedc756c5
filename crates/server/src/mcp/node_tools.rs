//! Finding node types, and what they take.

use super::api_tools::ToolContext;
use super::arguments::read;
use super::results::{structured, text};
use crate::api::ApiRequest;
use crate::error::ApiError;
use crate::wire::mcp as wire;
use model::{Object, Str, Value};
use node_api::Spec;
use rmcp::model::CallToolResult;

/// What it counts that the name is exactly what was searched for.
const NAME_WEIGHT: usize = 100;

/// How many node types are shown when nothing is said.
const DEFAULT_FOUND: usize = 20;

pub(super) async fn search(
    context: ToolContext<'_>,
    arguments: Object,
) -> Result<CallToolResult, ApiError> {
    let wire::SearchNodesTool { query, limit } = read(&arguments)?;
    let limit = limit.map_or(DEFAULT_FOUND, |limit| limit.as_usize());
    let query = Str::from(query).to_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    let registry = &context.app.runtime.engine.registry;
    let mut found: Vec<(usize, &Spec)> = registry
        .all()
        .into_iter()
        .filter_map(|node| Some((rank(&node.spec, &words)?, node.spec.as_ref())))
        .collect();
    found.sort_by(|(a, one), (b, other)| (b, &one.id).cmp(&(a, &other.id)));
    // Versions that differ have descriptions of their own; the newest speaks for all.
    let mut seen: Vec<&Str> = Vec::new();
    let mut rows = Vec::new();
    for (_, spec) in &found {
        if seen.contains(&&spec.id) {
            continue;
        }
        seen.push(&spec.id);
        let newest = registry.of_type(&spec.id).last().map_or(*spec, |newest| &newest.spec);
        rows.push(Value::from(row(newest)));
        if rows.len() >= limit {
            break;
        }
    }
    Ok(structured(&Object::from_iter([("nodes", Value::array(rows))]).into()))
}

/// How well a node type fits all words; `None` if one of them is nowhere.
fn rank(spec: &Spec, words: &[&str]) -> Option<usize> {
    let own: usize = words.iter().map(|word| weight(spec, word)).sum::<Option<usize>>()?;
    let is_named = spec.name.to_lowercase() == words.join(" ");
    Some(own + if is_named { NAME_WEIGHT } else { 0 })
}

fn weight(spec: &Spec, word: &str) -> Option<usize> {
    let has = |text: &str| text.to_lowercase().contains(word);
    let name = spec.name.to_lowercase();
    [
        (name == word, 16),
        (name.starts_with(word), 8),
        (name.contains(word), 4),
        (spec.aliases.iter().any(|alias| has(alias)), 3),
        (has(&spec.summary), 2),
        (has(&spec.id) || has(&spec.builder_hint), 1),
    ]
    .into_iter()
    .find_map(|(fits, weight)| fits.then_some(weight))
}

fn row(spec: &Spec) -> Object {
    let newest = spec.versions.last().copied().unwrap_or(1.0);
    let group = model::to_value(&spec.group).unwrap_or_default();
    Object::from_iter([
        ("type", Value::from(spec.id.clone())),
        ("version", newest.into()),
        ("name", spec.name.clone().into()),
        ("summary", spec.summary.clone().into()),
        ("group", group),
        ("isTrigger", spec.trigger.is_some().into()),
    ])
}

pub(super) async fn get(
    context: ToolContext<'_>,
    arguments: Object,
) -> Result<CallToolResult, ApiError> {
    let wire::GetNodeTool { kind, version } = read(&arguments)?;
    let kind = Str::from(kind);
    let newest = || {
        let entries = context.app.runtime.engine.registry.of_type(&kind);
        entries.last().and_then(|newest| newest.spec.versions.last().copied())
    };
    let request = ApiRequest::get("/node-types")
        .segment(&kind)
        .segment("docs")
        .query("version", version.or_else(newest).map(|version| version.to_string()));
    let page = context.send(request).await?;
    Ok(text(page.get("markdown").and_then(Value::as_str).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(name: &str, summary: &str, aliases: &[&str]) -> Spec {
        Spec::new(&format!("x.{name}"), &[1.0], name, summary).alias(aliases)
    }

    #[test]
    fn every_word_has_to_be_somewhere_and_the_name_counts_most() {
        let sheets = spec("Google Sheets", "Read and write rows", &["spreadsheet"]);
        let drive = spec("Google Drive", "Store files, also sheets", &[]);
        assert!(rank(&sheets, &["google", "sheets"]) > rank(&drive, &["google", "sheets"]));
        assert!(rank(&sheets, &["spreadsheet"]).is_some());
        assert_eq!(rank(&sheets, &["google", "mail"]), None);
        let tool = spec("Google Sheets Tool", "Google Sheets for agents", &[]);
        assert!(rank(&sheets, &["google", "sheets"]) > rank(&tool, &["google", "sheets"]));
    }
}
