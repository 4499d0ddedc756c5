//! Reference pages of nodes, made from their descriptions.

use node_api::Spec;
use node_api::docs::page;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

/// Writes a page per node type and an index; pages of types that are gone are removed.
pub(super) fn write(specs: &[Arc<Spec>], folder: &Path) -> std::io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    let mut by_type: BTreeMap<&str, Vec<&Spec>> = BTreeMap::new();
    for spec in specs {
        by_type.entry(&spec.id).or_default().push(spec);
    }
    let mut pages: BTreeMap<String, String> =
        by_type.iter().map(|(id, entries)| (file_name(id, &by_type), page(entries))).collect();
    pages.insert("README.md".into(), index(&by_type));
    for old in std::fs::read_dir(folder)?.flatten() {
        let name = old.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && !pages.contains_key(&name) {
            std::fs::remove_file(old.path())?;
        }
    }
    for (name, text) in &pages {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(pages.len())
}

/// The end of the type, with the package before it where a type of one of n8n's own packages ends
/// alike.
fn file_name(id: &str, by_type: &BTreeMap<&str, Vec<&Spec>>) -> String {
    let (package, name) = id.rsplit_once('.').unwrap_or(("", id));
    let own = ["n8n-nodes-base", "@n8n/n8n-nodes-langchain"];
    let is_taken = own
        .iter()
        .take_while(|first| **first != package)
        .any(|first| by_type.contains_key(format!("{first}.{name}").as_str()));
    match package.rsplit_once("nodes-") {
        Some((_, package)) if package != "base" && is_taken => format!("{package}-{name}.md"),
        _ => format!("{name}.md"),
    }
}

fn index(by_type: &BTreeMap<&str, Vec<&Spec>>) -> String {
    let mut text = String::from(
        "# Nodes\n\nGenerated from the node descriptions by `heddle nodes --docs \
             docs/nodes`.\n\n| node | type | versions | what it does |\n| --- | --- | --- | --- |\n",
    );
    for (id, entries) in by_type {
        let versions: Vec<String> =
            entries.iter().flat_map(|spec| spec.versions.iter().map(f64::to_string)).collect();
        let newest = entries[entries.len() - 1];
        let _ = writeln!(
            text,
            "| [{}]({}) | `{id}` | {} | {} |",
            newest.name,
            file_name(id, by_type),
            versions.join(", "),
            newest.summary
        );
    }
    text
}
