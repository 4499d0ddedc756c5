//! Dependencies that a manifest names and no source uses: each costs a build and says something
//! untrue about the crate.

use crate::tidy::rust_files;
use anyhow::{Context as _, Result};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, TableLike};

/// Packages whose library has another name.
const LIBRARIES: &[(&str, &str)] = &[("md-5", "md5")];

/// Adds a line for every entry that nothing uses.
pub(crate) fn check(problems: &mut Vec<String>) -> Result<()> {
    let mut named = HashSet::new();
    for folder in members()? {
        let manifest = folder.join("Cargo.toml");
        let document = read(&manifest)?;
        let sources = Sources::read(&folder)?;
        for (section, texts) in [
            ("dependencies", vec![&sources.product]),
            ("dev-dependencies", vec![&sources.product, &sources.tests]),
            ("build-dependencies", vec![&sources.build]),
        ] {
            let Some(entries) = document.get(section).and_then(|item| item.as_table_like()) else {
                continue;
            };
            for (package, _) in entries.iter() {
                named.insert(package.to_owned());
                if !texts.iter().any(|text| uses(text, package)) {
                    problems.push(format!(
                        "{}: {package} in [{section}] is not used",
                        manifest.display()
                    ));
                }
            }
        }
    }
    let workspace = read(Path::new("Cargo.toml"))?;
    let shared = workspace
        .get("workspace")
        .and_then(|item| item.get("dependencies"))
        .and_then(|item| item.as_table_like())
        .map_or_else(Vec::new, |table: &dyn TableLike| {
            table.iter().map(|(package, _)| package.to_owned()).collect()
        });
    for package in shared.iter().filter(|package| !named.contains(*package)) {
        problems.push(format!("Cargo.toml: {package} is not used by any crate"));
    }
    Ok(())
}

/// The folders of the workspace's packages.
pub(crate) fn members() -> Result<Vec<PathBuf>> {
    let crates = std::fs::read_dir("crates")?.map(|entry| Ok(entry?.path()));
    let mut folders = crates.collect::<Result<Vec<_>>>()?;
    folders.extend(["xtask", "xtask/assets", "fuzz"].map(PathBuf::from));
    folders.sort();
    Ok(folders)
}

fn read(manifest: &Path) -> Result<DocumentMut> {
    let text = std::fs::read_to_string(manifest)?;
    text.parse().with_context(|| format!("{} cannot be read", manifest.display()))
}

/// The text of a crate by what it is built for.
struct Sources {
    product: String,
    tests: String,
    build: String,
}

impl Sources {
    fn read(folder: &Path) -> Result<Self> {
        let all = |names: &[&str]| -> Result<String> {
            let mut text = String::new();
            for name in names.iter().map(|name| folder.join(name)).filter(|path| path.is_dir()) {
                for file in rust_files(&name)? {
                    text.push_str(&std::fs::read_to_string(file)?);
                }
            }
            Ok(text)
        };
        // Files that a build script includes are beside it.
        let mut build = String::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                build.push_str(&std::fs::read_to_string(path)?);
            }
        }
        let product = all(&["src", "fuzz_targets"])?;
        Ok(Self { product, tests: all(&["tests", "examples", "benches"])?, build })
    }
}

/// Whether a source names a package's library: a path that begins with it, or an import of it.
fn uses(text: &str, package: &str) -> bool {
    let library = LIBRARIES.iter().find(|(known, _)| *known == package);
    let library = library.map_or_else(|| package.replace('-', "_"), |(_, name)| (*name).to_owned());
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(&library).any(|(at, _)| {
        let before = &text[..at];
        let after = &text[at + library.len()..];
        let is_path = after.starts_with("::") && !before.ends_with("::");
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
        let is_import = (line == "use " || line.ends_with(" use "))
            && (after.starts_with(';') || after.starts_with(" as "));
        (is_path || is_import) && !before.ends_with(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_used_by_a_path_or_an_import_of_its_library() {
        assert!(uses("use acme::Rocket;", "acme"));
        assert!(uses("let x = md5::compute(b);", "md-5"));
        assert!(uses("    pub use acme_rockets as rockets;", "acme-rockets"));
        assert!(uses("use acme;", "acme"));
        for text in ["use model::acme::X;", "// acme", "acme_json::to_string(x)", "my_acme::x"] {
            assert!(!uses(text, "acme"), "{text}");
        }
    }
}
