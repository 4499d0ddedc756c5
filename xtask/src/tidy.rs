//! House rules that no compiler checks: files of a readable size, one test binary per crate, seeds
//! for every fuzz target, one place that makes HTML, no dependency that nothing uses.

use crate::dependencies;
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};

/// At this many lines the next thing goes into a new file.
const MAX_LINES: usize = 800;

pub(crate) fn run() -> Result<()> {
    let mut problems = Vec::new();
    sizes(Path::new("crates"), &mut problems)?;
    architecture(&mut problems)?;
    type_names(&mut problems)?;
    test_binaries(&mut problems)?;
    fuzz_targets(&mut problems)?;
    html(&mut problems)?;
    dependencies::check(&mut problems)?;
    for problem in &problems {
        eprintln!("tidy: {problem}");
    }
    if !problems.is_empty() {
        bail!("{} things are untidy", problems.len());
    }
    Ok(())
}

pub(crate) fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
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
            problems.push(format!(
                "{} does not open with a sentence on what it is for",
                file.display()
            ));
        }
    }
    Ok(())
}

/// Each crate has one binary of integration tests: every further one is a link and 50 MB.
fn test_binaries(problems: &mut Vec<String>) -> Result<()> {
    for entry in std::fs::read_dir("crates")? {
        let folder = entry?.path().join("tests");
        if !folder.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let is_binary = path.extension().is_some_and(|extension| extension == "rs")
                || path.join("main.rs").exists();
            if is_binary && !path.ends_with("integration") {
                problems.push(format!(
                    "{} is a test binary of its own; make it a module of {}/integration",
                    path.display(),
                    folder.display()
                ));
            }
        }
    }
    Ok(())
}

/// Types are named by what they are, and each name once: see `docs/GLOSSARY.md`.
fn type_names(problems: &mut Vec<String>) -> Result<()> {
    const VAGUE: &[&str] = &[
        "Asked", "Began", "Begun", "Course", "Deed", "Door", "Found", "Given", "Going", "Held",
        "Kept", "Past", "Piece", "Place", "Said", "Scene", "Story", "Told", "Wanted", "World",
    ];
    for file in rust_files(Path::new("crates"))? {
        for line in std::fs::read_to_string(&file)?.lines() {
            let words: Vec<&str> =
                line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
            let declared = words.windows(2).find(|pair| {
                ["struct", "enum", "trait"].contains(&pair[0]) && VAGUE.contains(&pair[1])
            });
            if let Some(name) = declared.map(|pair| pair[1]) {
                problems.push(format!("{}: `{name}` does not say what it is", file.display()));
            }
        }
    }
    Ok(())
}

/// What may be a page is made in one place, with the headers that close it in.
fn html(problems: &mut Vec<String>) -> Result<()> {
    const PAGE_MODULE: &str = "crates/server/src/response.rs";
    for file in rust_files(Path::new("crates/server/src"))?
        .into_iter()
        .filter(|file| !file.ends_with("tests.rs"))
    {
        let text = std::fs::read_to_string(&file)?;
        let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_lowercase();
        if file != Path::new(PAGE_MODULE)
            && (code.contains("text/html") || code.contains("text_html"))
        {
            problems.push(format!(
                "{} answers with HTML; pages are made by `page` in {PAGE_MODULE}",
                file.display()
            ));
        }
    }
    Ok(())
}

/// `docs/ARCHITECTURE.md` names every crate.
fn architecture(problems: &mut Vec<String>) -> Result<()> {
    let page = std::fs::read_to_string("docs/ARCHITECTURE.md")
        .context("docs/ARCHITECTURE.md cannot be read")?;
    for entry in std::fs::read_dir("crates")? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !page.contains(&format!("`{name}`")) {
            problems.push(format!("docs/ARCHITECTURE.md does not mention the crate `{name}`"));
        }
    }
    Ok(())
}

/// Every fuzz target has its property, its seeds and its row in the manifest.
fn fuzz_targets(problems: &mut Vec<String>) -> Result<()> {
    let manifest = std::fs::read_to_string("fuzz/Cargo.toml")?;
    for target in crate::fuzz::targets()? {
        if !manifest.contains(&format!(
            "name = \"{target}\"\npath = \"fuzz_targets/{target}.rs\"\ntest = false"
        )) {
            problems.push(format!(
                "fuzz/Cargo.toml has no `[[bin]]` for fuzz_targets/{target}.rs with `test = false`"
            ));
        }
        if std::fs::read_dir(crate::fuzz::seeds(&target)).map_or(0, Iterator::count) == 0 {
            problems.push(format!("fuzz/seeds/{target} has no inputs to begin with"));
        }
    }
    Ok(())
}
