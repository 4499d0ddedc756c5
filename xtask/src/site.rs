//! The documentation as a static site with search, in `target/site`. Broken links fail the build.

use crate::call;
use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use std::path::Path;

const DOCS: &str = "docs";
const CONFIG: &str = "packaging/site/mkdocs.yml";
const REQUIREMENTS: &str = "packaging/site/requirements.txt";
/// The generator and what it is made of, for the requirements as they were when it was installed.
const TOOLS: &str = "target/site-tools";
const TARGET: &str = "target/site";

/// A part of the site: pages, or all pages of a folder.
enum Part {
    Pages(&'static str, &'static [&'static str]),
    Folder(&'static str, &'static str, &'static [&'static str]),
}

/// The sidebar, in order. A folder has its own pages after those named first.
const PARTS: &[Part] = &[
    Part::Pages("Home", &["index.md"]),
    Part::Pages("Tutorial", &["tutorial.md", "faq.md"]),
    Part::Pages(
        "Guides",
        &[
            "operations.md",
            "settings.md",
            "security.md",
            "approvals.md",
            "policy.md",
            "tools.md",
            "trace.md",
            "memory.md",
            "mcp.md",
            "local-models.md",
            "compatibility.md",
            "benchmarks.md",
        ],
    ),
    Part::Folder("Nodes", "nodes", &["nodes/README.md"]),
    Part::Folder("Errors", "errors", &["errors/README.md"]),
    Part::Folder("Architecture", "architecture", &["ARCHITECTURE.md"]),
    Part::Folder("Decisions", "decisions", &["decisions/README.md"]),
    Part::Pages("Glossary", &["GLOSSARY.md"]),
];

/// `cargo xtask site`.
pub(crate) fn build() -> Result<()> {
    check_files()?;
    install()?;
    // The generator reads and writes only what is beside its configuration.
    let (docs, site) = (format!("{TOOLS}/docs"), format!("{TOOLS}/site"));
    for old in [docs.as_str(), &site, TARGET] {
        if Path::new(old).exists() {
            std::fs::remove_dir_all(old)?;
        }
    }
    call("cp", &["--recursive", DOCS, &docs])?;
    // JSON is YAML too.
    let pages = serde_json::to_string(&navigation()?)?;
    let settings = std::fs::read_to_string(CONFIG)?;
    let config = format!("{TOOLS}/mkdocs.yml");
    std::fs::write(&config, format!("{settings}\nnav: {pages}\n"))?;
    let program = format!("{TOOLS}/venv/bin/zensical");
    call(&program, &["build", "--strict", "--clean", "--config-file", &config])?;
    std::fs::rename(site, TARGET)?;
    eprintln!("view it with: python3 -m http.server --directory {TARGET}");
    Ok(())
}

/// The generator checks links to pages, and no others: those to images and files are checked here.
fn check_files() -> Result<()> {
    for folder in ["", "architecture", "decisions"] {
        let folder = Path::new(DOCS).join(folder);
        for entry in std::fs::read_dir(&folder)? {
            let page = entry?.path();
            if page.extension().is_none_or(|end| end != "md") {
                continue;
            }
            for rest in std::fs::read_to_string(&page)?.split("](").skip(1) {
                let link = rest.split(')').next().unwrap_or(rest);
                let is_file = !link.contains(':') && !link.contains('#') && !link.is_empty();
                let is_missing = is_file && !folder.join(link).exists();
                ensure!(!is_missing, "{} links to {link}, which does not exist", page.display());
            }
        }
    }
    Ok(())
}

fn install() -> Result<()> {
    let stamp = Path::new(TOOLS).join("requirements.txt");
    let wanted = std::fs::read_to_string(REQUIREMENTS)?;
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let folder = format!("{TOOLS}/venv");
    call("python3", &["-m", "venv", "--clear", &folder])?;
    let arguments = ["install", "--quiet", "--require-hashes", "--requirement", REQUIREMENTS];
    call(&format!("{folder}/bin/pip"), &arguments)?;
    Ok(std::fs::write(stamp, wanted)?)
}

fn navigation() -> Result<Vec<Value>> {
    PARTS
        .iter()
        .map(|part| match part {
            Part::Pages(name, [page]) => Ok(json!({ *name: page })),
            Part::Pages(name, pages) => Ok(json!({ *name: pages })),
            Part::Folder(name, folder, first) => {
                let mut pages: Vec<String> = first.iter().map(|page| (*page).to_owned()).collect();
                pages.extend(pages_in(folder)?);
                Ok(json!({ *name: pages }))
            }
        })
        .collect()
}

/// The pages of a folder but its first one, by name.
fn pages_in(folder: &str) -> Result<Vec<String>> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(Path::new(DOCS).join(folder))? {
        let name = entry?.file_name().into_string().ok().context("a page has an odd name")?;
        if name.ends_with(".md") && name != "README.md" {
            pages.push(format!("{folder}/{name}"));
        }
    }
    pages.sort_by_key(|name| name.to_lowercase());
    Ok(pages)
}
