//! The Rust crates of the workspace, as Cargo resolves them, and what `deny.toml` says about them.

use super::licence;
use super::policy::DenyPolicy;
use anyhow::{Context as _, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use toml_edit::{Document, Item, TableLike};

/// The only place that crates come from, as lock files spell it.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// A crate that is part of a build.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Crate {
    pub(crate) name: String,
    pub(crate) version: String,
    /// As the crate spells it; empty if it names none.
    pub(crate) licence: String,
    /// Whether it is one of ours.
    pub(crate) is_local: bool,
}

/// A line of `cargo tree`: how deep it is below the root, and the crate.
pub(crate) fn tree(arguments: &[&str]) -> Result<Vec<(usize, Crate)>> {
    // With `all-features = false` in deny.toml these are the features of an ordinary build.
    let mut command = Command::new("cargo");
    command
        .args(["tree", "--locked", "--prefix", "depth", "--format", "|{p}|{l}|"])
        .args(arguments);
    let output = command.output().context("cargo tree cannot be started")?;
    if !output.status.success() {
        bail!("cargo tree failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout)?;
    text.lines().filter(|line| !line.is_empty()).map(line).collect()
}

fn line(line: &str) -> Result<(usize, Crate)> {
    let odd = || format!("cargo tree printed a line of another form: {line}");
    let mut parts = line.split('|');
    let depth = parts.next().and_then(|depth| depth.parse().ok()).with_context(odd)?;
    let (package, licence) = (parts.next().with_context(odd)?, parts.next().with_context(odd)?);
    let mut words = package.split_whitespace();
    let (name, version) = (
        words.next().with_context(odd)?,
        words.next().and_then(|version| version.strip_prefix('v')).with_context(odd)?,
    );
    let is_local = words.any(|word| word.starts_with("(/"));
    Ok((
        depth,
        Crate { name: name.into(), version: version.into(), licence: licence.into(), is_local },
    ))
}

/// Every crate that any platform, test or build script uses.
pub(crate) fn in_use() -> Result<BTreeSet<Crate>> {
    Ok(tree(&["--workspace", "--target", "all", "--edges", "normal,build,dev"])?
        .into_iter()
        .map(|(_, found)| found)
        .collect())
}

/// The sums of the lock file by name and version.
pub(crate) fn checksums() -> Result<BTreeMap<(String, String), String>> {
    let text = std::fs::read_to_string("Cargo.lock")?;
    let mut sums = BTreeMap::new();
    for package in packages(&text)? {
        if let Some(sum) = package.sum {
            sums.insert((package.name, package.version), sum);
        }
    }
    Ok(sums)
}

struct Locked {
    name: String,
    version: String,
    source: Option<String>,
    sum: Option<String>,
}

fn packages(lock: &str) -> Result<Vec<Locked>> {
    let document: Document<&str> = Document::parse(lock).context("Cargo.lock is not TOML")?;
    let packages = document
        .get("package")
        .and_then(Item::as_array_of_tables)
        .context("Cargo.lock lists no packages")?;
    let read = |package: &toml_edit::Table| {
        let text = |key: &str| package.get(key).and_then(Item::as_str).map(str::to_owned);
        Some(Locked {
            name: text("name")?,
            version: text("version")?,
            source: text("source"),
            sum: text("checksum"),
        })
    };
    packages
        .iter()
        .map(|package| read(package).context("a package of Cargo.lock has no name or version"))
        .collect()
}

pub(crate) fn licences(crates: &BTreeSet<Crate>, policy: &DenyPolicy, problems: &mut Vec<String>) {
    for found in crates {
        let is_accepted = |licence: &str| {
            let is_exception = |(name, licences): &(String, Vec<String>)| {
                *name == found.name && licences.iter().any(|one| one == licence)
            };
            policy.licences.iter().any(|one| one == licence)
                || policy.exceptions.iter().any(is_exception)
        };
        if !licence::is_met(&found.licence, &is_accepted) {
            problems.push(format!(
                "{} {} has the licence '{}'",
                found.name, found.version, found.licence
            ));
        }
    }
}

/// Everything in the lock file comes from crates.io with a sum, or is ours.
pub(crate) fn sources(lock: &str, ours: &[String], problems: &mut Vec<String>) -> Result<()> {
    for package in packages(lock)? {
        let name = format!("{} {}", package.name, package.version);
        match package.source.as_deref() {
            Some(REGISTRY) if package.sum.is_some() => {}
            Some(REGISTRY) => problems.push(format!("{name} has no checksum in Cargo.lock")),
            Some(source) => {
                problems.push(format!("{name} comes from {source}; only crates.io is allowed"))
            }
            None if ours.contains(&package.name) => {}
            None => problems
                .push(format!("{name} comes from a folder that is not part of this workspace")),
        }
    }
    Ok(())
}

/// Banned crates, and crates in several versions that nobody gave a reason for.
pub(crate) fn bans(crates: &BTreeSet<Crate>, policy: &DenyPolicy, problems: &mut Vec<String>) {
    for found in crates {
        if let Some((name, reason)) = policy.banned.iter().find(|(name, _)| *name == found.name) {
            problems.push(format!("{name} is banned: {reason}"));
        }
    }
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for found in crates {
        versions.entry(&found.name).or_default().push(&found.version);
    }
    let is_skipped =
        |name: &str, version: &str| policy.skipped.iter().any(|spec| spec.covers(name, version));
    for (name, versions) in &versions {
        let counted = versions.iter().filter(|version| !is_skipped(name, version)).count();
        if counted > 1 {
            problems.push(format!(
                "{name} is used in several versions: {}; find out why, or give deny.toml a reason",
                versions.join(", ")
            ));
        }
    }
    for spec in &policy.skipped {
        let is_needed = versions.get(spec.name.as_str()).is_some_and(|known| {
            known.len() > 1 && known.iter().any(|one| spec.covers(&spec.name, one))
        });
        if !is_needed {
            problems.push(format!(
                "deny.toml allows a second {} {} that is not there any more; remove the entry",
                spec.name, spec.version
            ));
        }
    }
}

/// No dependency of ours takes any version at all.
pub(crate) fn wildcards(manifest: &str, place: &str, problems: &mut Vec<String>) -> Result<()> {
    let document: Document<&str> =
        Document::parse(manifest).with_context(|| format!("{place} is not TOML"))?;
    walk(document.as_table(), place, problems);
    Ok(())
}

fn walk(table: &dyn TableLike, place: &str, problems: &mut Vec<String>) {
    for (key, item) in table.iter() {
        let Some(inner) = item.as_table_like() else { continue };
        if !key.ends_with("dependencies") {
            walk(inner, place, problems);
            continue;
        }
        for (name, wanted) in inner.iter() {
            let get = |key: &str| wanted.get(key).and_then(Item::as_str);
            let version = wanted.as_str().or_else(|| get("version"));
            let is_bound = get("path").is_some() || wanted.get("workspace").is_some();
            if version.map_or(!is_bound, |version| version == "*") {
                problems.push(format!("{place}: {name} takes any version"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy;
    use super::*;

    fn policy(skip: &str) -> DenyPolicy {
        policy::parse(&format!(
            "[licenses]\nallow = ['MIT']\nexceptions = [{{ crate = 'selectors', allow = ['MPL-2.0'] }}]\n\
             [sources]\nunknown-registry = 'deny'\nunknown-git = 'deny'\n\
             [bans]\nwildcards = 'deny'\nmultiple-versions = 'deny'\ndeny = [{{ crate = 'openssl', reason = 'rustls' }}]\nskip = [{skip}]\n"
        ))
        .unwrap()
    }

    fn crates(list: &[(&str, &str, &str)]) -> BTreeSet<Crate> {
        let made = |(name, version, licence): &(&str, &str, &str)| Crate {
            name: (*name).into(),
            version: (*version).into(),
            licence: (*licence).into(),
            is_local: false,
        };
        list.iter().map(made).collect()
    }

    #[test]
    fn issue_14_00_a_licence_that_nobody_accepted_is_a_problem() {
        let mut problems = Vec::new();
        let found = crates(&[
            ("a", "1.0.0", "MIT"),
            ("selectors", "1.0.0", "MPL-2.0"),
            ("b", "1.0.0", "MPL-2.0"),
            ("c", "1.0.0", ""),
        ]);
        licences(&found, &policy(""), &mut problems);
        assert_eq!(problems, ["b 1.0.0 has the licence 'MPL-2.0'", "c 1.0.0 has the licence ''"]);
    }

    #[test]
    fn issue_14_00_a_second_version_needs_a_reason_and_a_reason_needs_a_second_version() {
        let found =
            crates(&[("a", "1.0.0", "MIT"), ("a", "2.1.0", "MIT"), ("openssl", "0.10.1", "MIT")]);
        let told = |skip: &str| {
            let mut problems = Vec::new();
            bans(&found, &policy(skip), &mut problems);
            problems
        };
        assert_eq!(told("").len(), 2, "{:?}", told(""));
        assert_eq!(told("{ crate = 'a@1', reason = 'x' }"), ["openssl is banned: rustls"]);
        assert_eq!(
            told("{ crate = 'a@1', reason = 'x' }, { crate = 'b@1', reason = 'x' }").len(),
            2
        );
        assert_eq!(told("{ crate = 'a@3', reason = 'x' }").len(), 3);
    }

    #[test]
    fn issue_14_00_a_crate_from_elsewhere_is_a_problem() {
        let lock = format!(
            "[[package]]\nname = 'a'\nversion = '1.0.0'\nsource = '{REGISTRY}'\nchecksum = 'aa'\n\
             [[package]]\nname = 'b'\nversion = '1.0.0'\nsource = '{REGISTRY}'\n\
             [[package]]\nname = 'c'\nversion = '1.0.0'\nsource = 'git+https://example.com/c?rev=1#1'\n\
             [[package]]\nname = 'd'\nversion = '1.0.0'\nsource = 'registry+https://example.com/crates.io-index'\nchecksum = 'aa'\n\
             [[package]]\nname = 'ours'\nversion = '1.0.0'\n\
             [[package]]\nname = 'theirs'\nversion = '1.0.0'\n"
        );
        let mut problems = Vec::new();
        sources(&lock, &["ours".to_owned()], &mut problems).unwrap();
        let names: Vec<&str> =
            problems.iter().filter_map(|problem| problem.split(' ').next()).collect();
        assert_eq!(names, ["b", "c", "d", "theirs"]);
    }

    #[test]
    fn a_dependency_of_any_version_is_a_problem() {
        let manifest = "[workspace.dependencies]\na = '1'\nb = '*'\n[dependencies]\nc = { git = 'https://example.com' }\n\
                        d = { path = '../d' }\ne.workspace = true\n[target.'cfg(unix)'.dev-dependencies]\nf = { version = '*' }\n";
        let mut problems = Vec::new();
        wildcards(manifest, "Cargo.toml", &mut problems).unwrap();
        assert_eq!(problems.len(), 3, "{problems:?}");
    }
}
