//! What third-party code may be part of Heddle: licences, sources, duplicates and advisories of
//! crates and npm packages. The rules are in `deny.toml`, which cargo-deny reads too.

mod advisories;
pub(crate) mod crates;
pub(crate) mod licence;
pub(crate) mod npm;
mod policy;

use crate::dependencies::members;
use advisories::AdvisoryResult;
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use toml_edit::{Document, Item};

/// Says `offline` where no database of advisories can be reached.
const VARIABLE: &str = "HEDDLE_AUDIT";

/// `cargo xtask audit`.
pub(crate) fn run() -> Result<()> {
    check().map(drop)
}

/// The same before a release: somebody has looked at the advisories, or says that it cannot be done
/// here.
pub(crate) fn run_for_release() -> Result<()> {
    let not_checked = check()?;
    if not_checked.is_empty() || std::env::var(VARIABLE).is_ok_and(|mode| mode == "offline") {
        return Ok(());
    }
    bail!(
        "a release needs these checks, which could not be made: {}; set {VARIABLE}=offline to go on without",
        not_checked.join(", ")
    )
}

/// Fails for every problem. What could not be checked is told, and given back.
fn check() -> Result<Vec<String>> {
    let policy = policy::read()?;
    let crates = crates::in_use()?;
    let mut problems = Vec::new();
    let mut section = |name: &str, note: String, found: Vec<String>| {
        eprintln!(
            "audit: {name}: {}",
            if found.is_empty() {
                format!("ok ({note})")
            } else {
                format!("{} problems", found.len())
            }
        );
        problems.extend(found);
    };

    let mut found = Vec::new();
    crates::licences(&crates, &policy, &mut found);
    section("licences", format!("{} crates", crates.len()), found);

    let mut found = Vec::new();
    crates::sources(&std::fs::read_to_string("Cargo.lock")?, &our_names()?, &mut found)?;
    section("sources", "crates.io only, all with checksums".into(), found);

    let mut found = Vec::new();
    crates::bans(&crates, &policy, &mut found);
    for manifest in manifests()? {
        crates::wildcards(
            &std::fs::read_to_string(&manifest)?,
            &manifest.display().to_string(),
            &mut found,
        )?;
    }
    section(
        "bans and duplicates",
        format!("{} duplicates with a reason in deny.toml", policy.skipped.len()),
        found,
    );

    let (mut found, mut n_shipped) = (Vec::new(), 0);
    for (folder, _) in npm::FOLDERS {
        let (packages, _) = npm::packages(folder)?;
        n_shipped += packages.iter().filter(|package| package.is_shipped).count();
        npm::check(folder, &packages, &policy.licences, &mut found);
    }
    section("npm packages", format!("{n_shipped} shipped, all with checksums"), found);

    let mut not_checked = Vec::new();
    for (name, answer) in
        [("advisories", advisories::check_crates()?), ("npm audit", advisories::check_npm()?)]
    {
        match answer {
            AdvisoryResult::Clean => section(name, "none known".into(), Vec::new()),
            AdvisoryResult::Found(found) => section(name, String::new(), found),
            AdvisoryResult::NotChecked(reason) => {
                eprintln!("audit: {name}: not checked ({reason})");
                not_checked.push(format!("{name} ({reason})"));
            }
        }
    }
    for problem in &problems {
        eprintln!("audit: {problem}");
    }
    if !problems.is_empty() {
        bail!("{} problems with third-party code; the rules are in deny.toml", problems.len());
    }
    Ok(not_checked)
}

/// The manifests of the workspace.
fn manifests() -> Result<Vec<PathBuf>> {
    let members = members()?.into_iter().map(|folder| folder.join("Cargo.toml"));
    Ok([PathBuf::from("Cargo.toml")].into_iter().chain(members).collect())
}

fn our_names() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for manifest in
        manifests()?.iter().filter(|manifest| manifest.as_path() != Path::new("Cargo.toml"))
    {
        let text = std::fs::read_to_string(manifest)?;
        let document: Document<&str> = Document::parse(text.as_str())
            .with_context(|| format!("{} is not TOML", manifest.display()))?;
        let name =
            document.get("package").and_then(|package| package.get("name")).and_then(Item::as_str);
        names.push(
            name.with_context(|| format!("{} names no package", manifest.display()))?.to_owned(),
        );
    }
    Ok(names)
}
