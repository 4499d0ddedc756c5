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
        by_type.values().map(|entries| (file_name(&entries[0].id), page(entries))).collect();
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

fn file_name(id: &str) -> String {
    format!("{}.md", id.rsplit_once('.').map_or(id, |(_, name)| name))
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
            file_name(id),
            versions.join(", "),
            newest.summary
        );
    }
    text
}
