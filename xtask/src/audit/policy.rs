//! What `deny.toml` says, as far as it is applied here. A key that cargo-deny knows and this does
//! not is an error, so that both always come to the same verdict.

use anyhow::{Context as _, Result, bail};
use toml_edit::{Document, Item, Table, Value};

const FILE: &str = "deny.toml";

/// Every key that is applied, or that only matters to cargo-deny's own advisories check.
const KNOWN: &[(&str, &[&str])] = &[
    ("graph", &["all-features"]),
    ("advisories", &["yanked", "ignore"]),
    ("licenses", &["allow", "exceptions"]),
    ("sources", &["unknown-registry", "unknown-git"]),
    (
        "bans",
        &[
            "wildcards",
            "allow-wildcard-paths",
            "deny",
            "multiple-versions",
            "multiple-versions-include-dev",
            "skip",
        ],
    ),
];

/// Settings that are read as if they had these values, so they must.
const FIXED: &[(&str, &str, &str)] = &[
    ("sources", "unknown-registry", "deny"),
    ("sources", "unknown-git", "deny"),
    ("bans", "wildcards", "deny"),
    ("bans", "multiple-versions", "deny"),
];

pub(crate) struct DenyPolicy {
    pub(crate) licences: Vec<String>,
    /// A crate, and licences that are accepted for it alone.
    pub(crate) exceptions: Vec<(String, Vec<String>)>,
    /// A crate that must not be used, and why.
    pub(crate) banned: Vec<(String, String)>,
    /// Second versions of crates that are accepted.
    pub(crate) skipped: Vec<CrateSpec>,
}

/// A crate and the beginning of its version, as in `syn@2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CrateSpec {
    pub(crate) name: String,
    pub(crate) version: String,
}

impl CrateSpec {
    fn parse(text: &str) -> Result<Self> {
        let (name, version) =
            text.split_once('@').with_context(|| format!("{FILE}: '{text}' names no version"))?;
        Ok(Self { name: name.to_owned(), version: version.to_owned() })
    }

    pub(crate) fn covers(&self, name: &str, version: &str) -> bool {
        let rest = version.strip_prefix(&self.version);
        self.name == name
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '+', '-']))
    }
}

pub(crate) fn read() -> Result<DenyPolicy> {
    parse(&std::fs::read_to_string(FILE).with_context(|| format!("{FILE} cannot be read"))?)
}

pub(crate) fn parse(text: &str) -> Result<DenyPolicy> {
    let document: Document<&str> =
        Document::parse(text).with_context(|| format!("{FILE} is not TOML"))?;
    for (section, item) in document.as_table().iter() {
        let known = KNOWN.iter().find(|(name, _)| *name == section).map(|(_, keys)| *keys);
        for (key, _) in item.as_table().into_iter().flat_map(Table::iter) {
            if known.is_none_or(|keys| !keys.contains(&key)) {
                bail!(
                    "{FILE}: `{section}.{key}` is not applied by `cargo xtask audit`; teach it, or leave the key out"
                );
            }
        }
    }
    let at = |section: &str, key: &str| document.get(section).and_then(|section| section.get(key));
    for (section, key, wanted) in FIXED {
        if at(section, key).and_then(Item::as_str) != Some(wanted) {
            bail!("{FILE}: `{section}.{key}` must be \"{wanted}\"");
        }
    }
    let exceptions = entries(at("licenses", "exceptions"))
        .map(|entry| Ok((word(entry, "crate")?, words(entry.get("allow")))));
    let banned = entries(at("bans", "deny"))
        .map(|entry| Ok((word(entry, "crate")?, word(entry, "reason")?)));
    let skipped = entries(at("bans", "skip")).map(|entry| {
        // A duplicate without a reason is one that nobody looked at.
        word(entry, "reason")?;
        CrateSpec::parse(&word(entry, "crate")?)
    });
    Ok(DenyPolicy {
        licences: words(at("licenses", "allow").and_then(Item::as_value)),
        exceptions: exceptions.collect::<Result<_>>()?,
        banned: banned.collect::<Result<_>>()?,
        skipped: skipped.collect::<Result<_>>()?,
    })
}

fn entries(item: Option<&Item>) -> impl Iterator<Item = &toml_edit::InlineTable> {
    item.and_then(Item::as_array).into_iter().flatten().filter_map(Value::as_inline_table)
}

fn word(entry: &toml_edit::InlineTable, key: &str) -> Result<String> {
    let text = entry
        .get(key)
        .and_then(Value::as_str)
        .with_context(|| format!("{FILE}: an entry has no `{key}`: {entry:?}"))?;
    Ok(text.to_owned())
}

fn words(value: Option<&Value>) -> Vec<String> {
    value
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: &str = "[sources]\nunknown-registry = 'deny'\nunknown-git = 'deny'\n[bans]\nwildcards = 'deny'\nmultiple-versions = 'deny'\n";

    #[test]
    fn a_key_that_is_not_applied_is_an_error() {
        assert!(parse(STRICT).is_ok());
        for more in [
            "skip-tree = ['a']",
            "features = []",
            "skip = [{ crate = 'a@1' }]",
            "skip = [{ crate = 'a', reason = 'b' }]",
        ] {
            assert!(parse(&format!("{STRICT}{more}\n")).is_err(), "{more}");
        }
        assert!(parse(&STRICT.replace("'deny'", "'warn'")).is_err());
        assert!(parse("").is_err());
    }

    #[test]
    fn a_spec_covers_whole_numbers_of_a_version() {
        let spec = CrateSpec::parse("syn@2").unwrap();
        assert!(spec.covers("syn", "2.0.119") && spec.covers("syn", "2"));
        assert!(
            !spec.covers("syn", "20.0.0")
                && !spec.covers("sync", "2.0.0")
                && !spec.covers("syn", "1.2.0")
        );
    }
}
