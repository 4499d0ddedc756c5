//! The file of settings: TOML, one key per setting.

use super::sources::{by_key, unknown};
use anyhow::{Context as _, Result, bail};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use toml_edit::{Document, Item, Value};

/// Nobody writes more settings than this.
const MAX_BYTES: u64 = 1 << 20;

/// What a file says, by the names of the settings.
#[derive(Clone, Debug)]
pub(super) struct SettingsFile {
    pub(super) path: PathBuf,
    pub(super) values: HashMap<&'static str, FileValue>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileValue {
    pub(super) text: String,
    pub(super) line: usize,
}

impl SettingsFile {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let size = std::fs::metadata(path).context("it cannot be opened (SETTING_INVALID)")?.len();
        anyhow::ensure!(size <= MAX_BYTES, "it is larger than 1 MB (SETTING_INVALID)");
        let text = std::fs::read_to_string(path).context("it cannot be read (SETTING_INVALID)")?;
        Self::parse(path, &text)
    }

    pub(super) fn parse(path: &Path, text: &str) -> Result<Self> {
        let line_at = |place: Option<std::ops::Range<usize>>| {
            let end = place.map_or(0, |place| place.start.min(text.len()));
            text.as_bytes()[..end].iter().filter(|byte| **byte == b'\n').count() + 1
        };
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(error) => {
                bail!("line {}: {} (SETTING_INVALID)", line_at(error.span()), error.message())
            }
        };
        let mut values = HashMap::new();
        for (key, item) in document.as_table().iter() {
            let place = document.as_table().key(key).and_then(toml_edit::Key::span);
            let line = line_at(place.or_else(|| item.span()));
            let setting =
                by_key(key).with_context(|| unknown(&format!("line {line}: {key}"), key))?;
            if setting.is_excluded_from_files() {
                bail!(
                    "line {line}: {key} determines where this file is and cannot be set in it; \
                         use --{key} or {} (SETTING_INVALID)",
                    setting.name
                );
            }
            let text = plain(item).with_context(|| {
                format!(
                    "line {line}: {key} must be a string, a number, true, false or a list of \
                     strings (SETTING_INVALID)"
                )
            })?;
            values.insert(setting.name, FileValue { text, line });
        }
        Ok(Self { path: path.to_owned(), values })
    }
}

/// A value as it would stand in the environment.
fn plain(item: &Item) -> Option<String> {
    match item.as_value()? {
        Value::String(text) => Some(text.value().clone()),
        Value::Integer(number) => Some(number.value().to_string()),
        Value::Float(number) => Some(number.value().to_string()),
        Value::Boolean(flag) => Some(if *flag.value() { "1" } else { "0" }.to_owned()),
        Value::Array(list) => {
            let texts: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
            texts.map(|texts| texts.join(","))
        }
        Value::Datetime(_) | Value::InlineTable(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<SettingsFile> {
        SettingsFile::parse(Path::new("heddle.toml"), text)
    }

    fn refusal(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn every_plain_kind_of_value_is_taken() {
        let file = parse("# mine\nkeep_days = 7\nmax_body = '1MB'\nallow_env = true\negress_allow = ['a', 'b:1']\n").unwrap();
        let text = |name: &str| file.values[name].text.as_str();
        assert_eq!((text("HEDDLE_KEEP_DAYS"), text("HEDDLE_MAX_BODY")), ("7", "1MB"));
        assert_eq!((text("HEDDLE_ALLOW_ENV"), text("HEDDLE_EGRESS_ALLOW")), ("1", "a,b:1"));
        assert_eq!(file.values["HEDDLE_ALLOW_ENV"].line, 4);
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line_and_the_nearest_name() {
        assert_eq!(
            refusal("port = 1\nkeep_dyas = 7"),
            "line 2: keep_dyas is not a setting; did you mean keep_days? (SETTING_UNKNOWN)"
        );
    }

    #[test]
    fn a_file_that_is_no_toml_is_refused_with_its_line() {
        let refusal = refusal("port = 1\nkeep_days 7\n");
        assert!(
            refusal.starts_with("line 2:") && refusal.ends_with("(SETTING_INVALID)"),
            "{refusal}"
        );
    }

    #[test]
    fn tables_dates_and_where_the_file_is_are_refused() {
        assert!(refusal("[port]\nx = 1").contains("must be a string"));
        assert!(refusal("port = 2026-01-01").contains("must be a string"));
        assert!(refusal("data = '/x'").contains("use --data or HEDDLE_DATA"));
    }
}
