//! House rules that no compiler checks: files of a readable size, a page per error code, licences we can ship.

use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// At this many lines the next thing goes into a new file.
const MAX_LINES: usize = 800;

pub(crate) fn run() -> Result<()> {
    let mut problems = Vec::new();
    sizes(Path::new("crates"), &mut problems)?;
    error_pages(&mut problems)?;
    architecture(&mut problems)?;
    licences(&mut problems)?;
    for problem in &problems {
        eprintln!("tidy: {problem}");
    }
    if !problems.is_empty() {
        bail!("{} things are untidy", problems.len());
    }
    Ok(())
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("node_modules") && !path.ends_with("target") {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

fn sizes(folder: &Path, problems: &mut Vec<String>) -> Result<()> {
    for file in rust_files(folder)? {
        let text = std::fs::read_to_string(&file)?;
        let lines = text.lines().count();
        if lines > MAX_LINES {
            problems.push(format!("{} has {lines} lines; split it", file.display()));
        }
        if !text.starts_with("//!") {
            problems.push(format!("{} does not open with a sentence on what it is for", file.display()));
        }
    }
    Ok(())
}

/// Every error code has a page, and every page a code.
fn error_pages(problems: &mut Vec<String>) -> Result<()> {
    let table = std::fs::read_to_string("crates/model/src/code.rs")?;
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_');
    let names: Vec<&str> =
        table.lines().filter_map(|line| line.trim().split_once('=')).map(|(name, _)| name.trim()).filter(|name| is_name(name)).collect();
    for name in &names {
        if !Path::new(&format!("docs/errors/{name}.md")).exists() {
            problems.push(format!("docs/errors/{name}.md is missing"));
        }
    }
    for entry in std::fs::read_dir("docs/errors")? {
        let page = entry?.file_name().to_string_lossy().into_owned();
        if page != "README.md" && !names.iter().any(|name| format!("{name}.md") == page) {
            problems.push(format!("docs/errors/{page} explains a code that does not exist"));
        }
    }
    Ok(())
}

/// `docs/ARCHITECTURE.md` names every crate.
fn architecture(problems: &mut Vec<String>) -> Result<()> {
    let page = std::fs::read_to_string("docs/ARCHITECTURE.md").context("docs/ARCHITECTURE.md cannot be read")?;
    for entry in std::fs::read_dir("crates")? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !page.contains(&format!("`{name}`")) {
            problems.push(format!("docs/ARCHITECTURE.md does not mention the crate `{name}`"));
        }
    }
    Ok(())
}

/// Everything we link may be shipped under Apache-2.0.
fn licences(problems: &mut Vec<String>) -> Result<()> {
    const FINE: &[&str] = &[
        "Apache-2.0",
        "MIT",
        "MIT-0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "Zlib",
        "Unlicense",
        "CC0-1.0",
        "Unicode-3.0",
        "0BSD",
        "BSL-1.0",
        "Apache-2.0 WITH LLVM-exception",
        "MPL-2.0",
        "CDLA-Permissive-2.0",
        "bzip2-1.0.6",
    ];
    let output =
        Command::new("cargo").args(["metadata", "--format-version", "1", "--locked"]).output().context("cargo metadata cannot run")?;
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).context("cargo metadata did not print JSON")?;
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let licence = package["license"].as_str().unwrap_or_default().replace('/', " OR ");
        let is_fine = |alternative: &str| {
            alternative.split(" AND ").all(|part| {
                let part = part.trim().trim_matches(['(', ')']);
                FINE.contains(&part) || part.split(" OR ").any(|one| FINE.contains(&one.trim().trim_matches(['(', ')'])))
            })
        };
        if !is_fine(&licence) && !licence.split(" OR ").any(is_fine) {
            problems.push(format!("{} {} has the licence '{licence}'", package["name"], package["version"]));
        }
    }
    Ok(())
}
