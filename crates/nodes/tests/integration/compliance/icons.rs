//! The icons that nodes name are those that the editor has.

use super::entries;
use std::collections::HashSet;
use std::path::Path;

/// The names in the editor's list: keys such as `"arrow-down-up": ArrowDownUp,` or `bot: Bot,`.
fn editor_icons() -> HashSet<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/shared/icons.ts");
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let list = text.split_once("export const ICONS").map_or("", |(_, list)| list);
    list.lines()
        .filter_map(|line| line.trim().split_once(": "))
        .map(|(name, _)| name.trim_matches('"').to_owned())
        .collect()
}

#[test]
fn every_node_names_an_icon_that_the_editor_has() {
    let known = editor_icons();
    assert!(known.len() >= 70, "only {} icons were found", known.len());
    for entry in entries() {
        let spec = &entry.spec;
        assert!(known.contains(spec.icon.as_str()), "{}: no icon '{}'", spec.id, spec.icon);
    }
}

#[test]
fn every_trigger_says_what_starts_it() {
    for entry in entries() {
        let spec = &entry.spec;
        let is_trigger = spec.group == node_api::NodeGroup::Trigger;
        assert_eq!(spec.trigger.is_some(), is_trigger, "{}", spec.id);
    }
}
