//! The reference page of all settings, made from their table.

use super::SETTINGS;
use std::fmt::Write as _;

/// The page as Markdown.
pub(crate) fn page() -> String {
    let mut text = String::from(
        "# Settings\n\nMade from the table of settings by `heddle doctor --docs docs/settings.md`.\n\n\
         A value comes from a flag (`heddle serve --set keep_days=7`, several times if need be), else from the environment\n\
         (`HEDDLE_KEEP_DAYS=7`), else from a file (`keep_days = 7` in `heddle.toml` in the data folder, or in the file that\n\
         `--config` or `HEDDLE_CONFIG` names), else it is the default. `heddle doctor` shows each value and where it comes from.\n\
         A name that is no setting stops the program, with the nearest name; in the environment it is a warning.\n\n\
         | in the environment | in a file | default | what it does |\n| --- | --- | --- | --- |\n",
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
