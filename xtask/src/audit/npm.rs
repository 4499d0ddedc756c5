//! The npm packages that end up in the binary: those of the editor and of the sandbox image, as
//! their lock files name them.

use super::licence;
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::path::Path;

/// A folder with a lock file, and the part of Heddle that is made of its packages.
pub(crate) const FOLDERS: &[(&str, &str)] =
    &[("web", "editor"), ("crates/expr/js", "sandbox image")];

/// Licences of shipped packages besides those in `deny.toml`: fonts, and one package in the public
/// domain.
const MORE_LICENCES: &[&str] = &["OFL-1.1", "Unlicense"];

pub(crate) struct Package {
    /// Its place in the lock file, such as `node_modules/react`.
    pub(crate) place: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: String,
    /// `sha512-` and the sum in base64.
    pub(crate) integrity: String,
    /// Whether it ends up in the binary, and not only builds or tests it.
    pub(crate) is_shipped: bool,
    /// Where it would be fetched from, if the lock file says so.
    pub(crate) resolved: Option<String>,
    /// Names of the packages it needs.
    pub(crate) needs: Vec<String>,
}

/// The packages of a folder's lock file, and what the folder itself needs.
pub(crate) fn packages(folder: &str) -> Result<(Vec<Package>, Vec<String>)> {
    let path = Path::new(folder).join("package-lock.json");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    read(&text).with_context(|| format!("{} is not a lock file", path.display()))
}

fn read(text: &str) -> Result<(Vec<Package>, Vec<String>)> {
    let lock: Value = serde_json::from_str(text)?;
    let entries = lock["packages"].as_object().context("it lists no packages")?;
    let needs = |entry: &Value| -> Vec<String> {
        let lists = ["dependencies", "optionalDependencies", "peerDependencies"];
        lists
            .iter()
            .filter_map(|list| entry[list].as_object())
            .flat_map(|list| list.keys().cloned())
            .collect()
    };
    let packages = entries.iter().filter(|(place, _)| !place.is_empty()).map(|(place, entry)| {
        let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        Package {
            place: place.clone(),
            name: place.rsplit("node_modules/").next().unwrap_or_default().to_owned(),
            version: text("version"),
            licence: text("license"),
            integrity: text("integrity"),
            is_shipped: !["dev", "devOptional"].iter().any(|flag| entry[flag] == true),
            resolved: entry["resolved"].as_str().map(str::to_owned),
            needs: needs(entry),
        }
    });
    Ok((packages.collect(), entries.get("").map(needs).unwrap_or_default()))
}

/// Every package has a sum and comes from the one registry; those that are shipped have a licence
/// that allows it.
pub(crate) fn check(
    folder: &str,
    packages: &[Package],
    licences: &[String],
    problems: &mut Vec<String>,
) {
    let is_accepted = |licence: &str| {
        licences.iter().any(|one| one == licence) || MORE_LICENCES.contains(&licence)
    };
    // Which registry that is, depends on the machine that has written the file; that there is one,
    // does not.
    let registry =
        packages.iter().filter_map(|package| package.resolved.as_deref()).find_map(origin);
    for package in packages {
        let name = format!("{folder}: {} {}", package.name, package.version);
        if !package.integrity.starts_with("sha512-") {
            problems.push(format!("{name} has no sha512 sum in its lock file"));
        }
        if let Some(place) = package
            .resolved
            .as_deref()
            .filter(|place| origin(place).is_none() || origin(place) != registry)
        {
            problems.push(format!("{name} comes from {place}; only one registry is allowed"));
        }
        if package.is_shipped && !licence::is_met(&package.licence, &is_accepted) {
            problems.push(format!("{name} has the licence '{}'", package.licence));
        }
    }
}

/// The host of a registry that a package would be fetched from; none for a repository, a folder or
/// a connection that is not secure.
fn origin(place: &str) -> Option<&str> {
    let host =
        place.strip_prefix("https://").filter(|rest| rest.ends_with(".tgz"))?.split('/').next()?;
    host.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':'))
        .then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_00_an_npm_package_without_a_sum_or_from_elsewhere_is_a_problem() {
        let lock = r#"{ "packages": {
            "": { "dependencies": { "a": "1" } },
            "node_modules/a": { "version": "1.0.0", "license": "MIT", "integrity": "sha512-aa" },
            "node_modules/b": { "version": "1.0.0", "license": "MIT" },
            "node_modules/@x/c": { "version": "1.0.0", "license": "MIT", "integrity": "sha512-aa", "resolved": "git+ssh://example.com/c.git" },
            "node_modules/f": { "version": "1.0.0", "license": "MIT", "integrity": "sha512-aa", "resolved": "https://one.example.com/f/-/f-1.0.0.tgz" },
            "node_modules/g": { "version": "1.0.0", "license": "MIT", "integrity": "sha512-aa", "resolved": "https://one.example.com/g/-/g-1.0.0.tgz" },
            "node_modules/h": { "version": "1.0.0", "license": "MIT", "integrity": "sha512-aa", "resolved": "https://two.example.com/h/-/h-1.0.0.tgz" },
            "node_modules/i": { "version": "1.0.0", "license": "MIT", "integrity": "sha512-aa", "resolved": "https://one.example.com@two.example.com/i.tgz" },
            "node_modules/d": { "version": "1.0.0", "license": "GPL-3.0", "integrity": "sha512-aa" },
            "node_modules/d/node_modules/e": { "version": "1.0.0", "license": "GPL-3.0", "integrity": "sha512-aa", "dev": true }
        } }"#;
        let (packages, needs) = read(lock).unwrap();
        assert_eq!(needs, ["a"]);
        assert!(packages.iter().any(|package| package.name == "e"));
        let mut problems = Vec::new();
        check("web", &packages, &["MIT".to_owned()], &mut problems);
        let mut names: Vec<&str> =
            problems.iter().filter_map(|problem| problem.split(' ').nth(1)).collect();
        names.sort_unstable();
        assert_eq!(names, ["@x/c", "b", "d", "h", "i"]);
    }
}
