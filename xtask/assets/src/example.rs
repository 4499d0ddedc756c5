//! The data of the example that `make run` shows.

use anyhow::Result;
use std::process::Command;

/// The collection that the example looks into.
const COLLECTION: &str = "heddle-docs";

/// What the example agent needs in a data folder, which is the
/// weights and our own documentation as a collection. Heddle starts without them too.
pub fn prepare(data: &str) -> Result<()> {
    let heddle = || {
        let mut command = Command::new("target/release/heddle");
        command.env("HEDDLE_DATA", data);
        command
    };
    if !pull(&mut heddle())? {
        eprintln!(
            "The example chat 'Ask the docs' needs the weights of the built-in models, which could not be fetched; everything else works."
        );
        return Ok(());
    }
    let listed = heddle().args(["knowledge", "list"]).output()?;
    if String::from_utf8_lossy(&listed.stdout).contains(COLLECTION) {
        return Ok(());
    }
    eprintln!("Reading the documentation into the collection {COLLECTION}; this is done once");
    // The pages of single nodes are many and alike: they would take minutes, and hide the others.
    let mut files = vec!["README.md".to_owned()];
    for folder in ["docs", "docs/errors"] {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "md")
                && !path.ends_with("README.md")
            {
                files.push(path.display().to_string());
            }
        }
    }
    files.sort();
    let status = heddle()
        .args(["knowledge", "add", COLLECTION])
        .args(&files)
        .stdout(std::process::Stdio::null())
        .status()?;
    if !status.success() {
        eprintln!("The documentation could not be read; the example chat will find nothing");
    }
    Ok(())
}

/// Fetches the weights of the built-in models; false if that failed.
pub fn pull(heddle: &mut Command) -> Result<bool> {
    Ok(heddle.args(["models", "pull"]).status()?.success())
}
