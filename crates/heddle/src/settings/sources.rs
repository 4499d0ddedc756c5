//! Where the value of a setting comes from, and what looks like a setting but is none.

use super::file::SettingsFile;
use super::{SETTINGS, Setting};
use crate::terminal::{Colour, eprint_line, paint};
use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueHint};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What every command takes.
#[derive(Args, Clone, Default)]
pub(crate) struct GlobalArgs {
    /// Settings file; defaults to heddle.toml in the data folder
    #[arg(long, global = true, value_name = "FILE", env = "HEDDLE_CONFIG", hide_env_values = true, value_hint = ValueHint::FilePath)]
    config: Option<PathBuf>,
    /// Override a setting, such as --set keep_days=7; repeatable
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// Everything that says something about settings, but for the table itself.
#[derive(Clone, Default)]
pub(crate) struct Sources {
    flags: HashMap<&'static str, String>,
    variables: HashMap<&'static str, String>,
    file: Option<SettingsFile>,
    /// The data folder.
    pub(super) folder: PathBuf,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SettingOrigin {
    Default,
    File { path: PathBuf, line: usize },
    Environment,
    Flag,
}

impl Sources {
    /// Reads flags, the environment and the file that was named, or the one in the data folder.
    pub(crate) fn load(given: &GlobalArgs, folder: &Path) -> Result<Self> {
        let mut sources = Self { folder: folder.to_owned(), ..Self::default() };
        for text in &given.set {
            let (key, value) = text.split_once('=').with_context(|| {
                format!("--set {text} has no value; use KEY=VALUE (SETTING_INVALID)")
            })?;
            let setting =
                by_key(key.trim()).with_context(|| unknown(&format!("--set {key}"), key.trim()))?;
            if setting.is_excluded_from_files() {
                bail!("{key} cannot be set with --set; use --{key} instead (SETTING_INVALID)");
            }
            sources.flags.insert(setting.name, value.trim().to_owned());
        }
        for setting in SETTINGS {
            if let Some(value) = std::env::var(setting.name).ok().filter(|value| !value.is_empty())
            {
                sources.variables.insert(setting.name, value);
            }
        }
        let beside = folder.join("heddle.toml");
        sources.file =
            match &given.config {
                Some(named) => Some(SettingsFile::read(named).with_context(|| {
                    format!("the settings in {} cannot be used", named.display())
                })?),
                None if beside.exists() => {
                    Some(SettingsFile::read(&beside).with_context(|| {
                        format!("the settings in {} cannot be used", beside.display())
                    })?)
                }
                None => None,
            };
        Ok(sources)
    }

    /// The value of a setting and where it comes from.
    pub(crate) fn find(&self, name: &str) -> (String, SettingOrigin) {
        if let Some(value) = self.flags.get(name) {
            return (value.clone(), SettingOrigin::Flag);
        }
        if let Some(value) = self.variables.get(name) {
            return (value.clone(), SettingOrigin::Environment);
        }
        if let Some((file, value)) =
            self.file.as_ref().and_then(|file| Some((file, file.values.get(name)?)))
        {
            return (
                value.text.clone(),
                SettingOrigin::File { path: file.path.clone(), line: value.line },
            );
        }
        let default = SETTINGS
            .iter()
            .find(|setting| setting.name == name)
            .map_or("", |setting| setting.default);
        (default.to_owned(), SettingOrigin::Default)
    }

    /// A setting by the name it has where its value stands.
    pub(super) fn describe(&self, name: &str) -> String {
        let key = SETTINGS
            .iter()
            .find(|setting| setting.name == name)
            .map_or_else(|| name.to_owned(), Setting::key);
        match self.find(name).1 {
            SettingOrigin::Flag => format!("--set {key}"),
            SettingOrigin::File { path, line } => {
                format!("{key} in {}, line {line},", path.display())
            }
            SettingOrigin::Environment | SettingOrigin::Default => name.to_owned(),
        }
    }
}

static SOURCES: OnceLock<Arc<Sources>> = OnceLock::new();

/// From now on settings are read from these. Only the first call counts: a process has one set of
/// settings.
pub(crate) fn use_sources(sources: Sources) {
    let _ = SOURCES.set(Arc::new(sources));
}

/// The sources in use; the environment alone if none were named.
pub(super) fn current() -> Arc<Sources> {
    let without = || Sources::load(&GlobalArgs::default(), Path::new("")).unwrap_or_default();
    SOURCES.get_or_init(|| Arc::new(without())).clone()
}

pub(super) fn by_key(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key() == key)
}

/// What is said of a name that is none of ours.
pub(super) fn unknown(where_it_stands: &str, key: &str) -> String {
    let nearest = SETTINGS
        .iter()
        .map(Setting::key)
        .min_by_key(|known| distance(known, key))
        .unwrap_or_default();
    format!("{where_it_stands} is not a setting; did you mean {nearest}? (SETTING_UNKNOWN)")
}

/// Tells of variables that look like settings but are none.
pub(super) fn report_unknown_variables() {
    for (name, _) in std::env::vars_os() {
        let Some(name) = name.to_str().filter(|name| name.starts_with("HEDDLE_")) else { continue };
        if SETTINGS.iter().all(|setting| setting.name != name) {
            let nearest = SETTINGS
                .iter()
                .min_by_key(|setting| distance(setting.name, name))
                .map_or("", |setting| setting.name);
            eprint_line(&format!(
                "{} {name} is not a setting; did you mean {nearest}?",
                paint("warning:", Colour::Yellow)
            ));
        }
    }
}

/// How many letters have to change to turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let changed = diagonal + usize::from(left != *right);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(flag: Option<&str>, variable: Option<&str>, file: Option<&str>) -> Sources {
        let one = |value: Option<&str>| {
            value.map(|value| ("HEDDLE_KEEP_DAYS", value.to_owned())).into_iter().collect()
        };
        let file = file.map(|text| SettingsFile::parse(Path::new("heddle.toml"), text).unwrap());
        Sources { flags: one(flag), variables: one(variable), file, folder: PathBuf::new() }
    }

    #[test]
    fn a_flag_wins_over_the_environment_and_that_over_the_file() {
        let value = |sources: Sources| sources.find("HEDDLE_KEEP_DAYS").0;
        assert_eq!(value(sources(Some("1"), Some("2"), Some("keep_days = 3"))), "1");
        assert_eq!(value(sources(None, Some("2"), Some("keep_days = 3"))), "2");
        assert_eq!(value(sources(None, None, Some("keep_days = 3"))), "3");
        assert_eq!(value(sources(None, None, None)), "14");
    }

    #[test]
    fn a_value_says_where_it_stands() {
        assert_eq!(
            sources(None, None, Some("\nkeep_days = 3")).describe("HEDDLE_KEEP_DAYS"),
            "keep_days in heddle.toml, line 2,"
        );
        assert_eq!(sources(Some("1"), None, None).describe("HEDDLE_KEEP_DAYS"), "--set keep_days");
        assert_eq!(sources(None, Some("1"), None).describe("HEDDLE_KEEP_DAYS"), "HEDDLE_KEEP_DAYS");
    }

    #[test]
    fn an_unknown_name_is_told_with_the_nearest_one() {
        let given = GlobalArgs { set: vec!["keep_day=7".into()], config: None };
        let error = Sources::load(&given, Path::new("/nowhere")).err().unwrap().to_string();
        assert_eq!(
            error,
            "--set keep_day is not a setting; did you mean keep_days? (SETTING_UNKNOWN)"
        );
    }

    #[test]
    fn names_in_files_are_unique() {
        let mut keys: Vec<String> = SETTINGS.iter().map(Setting::key).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), SETTINGS.len());
    }
}
