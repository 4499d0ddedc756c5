//! The reference page of all settings, made from their table.

use super::SETTINGS;
use std::fmt::Write as _;

/// The page as Markdown.
pub(crate) fn page() -> String {
    let mut text = String::from(
        "# Settings\n\nGenerated from the table of settings by `heddle doctor --docs \
             docs/settings.md`.\n\nHeddle reads a setting from the first of these sources that has \
             it: a flag (`heddle serve --set keep_days=7`, repeatable),\nthe environment \
             (`HEDDLE_KEEP_DAYS=7`), a file (`keep_days = 7` in `heddle.toml` in the data folder, \
             or in the file that\n`--config` or `HEDDLE_CONFIG` names), or the default. `heddle \
             doctor` shows each value and its source.\nAn unknown name in a flag or file is an \
             error that suggests the closest name; in the environment it is a warning.\n\n| in the \
             environment | in a file | default | what it does |\n| --- | --- | --- | --- |\n",
    );
    for setting in SETTINGS {
        let key = if setting.is_excluded_from_files() {
            String::new()
        } else {
            format!("`{}`", setting.key())
        };
        let default = if setting.default.is_empty() {
            String::new()
        } else {
            format!("`{}`", setting.default)
        };
        let _ = writeln!(text, "| `{}` | {key} | {default} | {} |", setting.name, setting.help);
    }
    text
}
