//! The weights of the built-in models, for the tests and for the example that `make run` shows.

use crate::clippy;
use anyhow::Result;
use std::process::Command;

/// Where tests look for weights.
const FOLDER: &str = "target/models";

/// The collection that the example looks into.
const COLLECTION: &str = "heddle-docs";

/// `cargo xtask weights`: puts the weights where the tests look for them. Without a network the
/// tests that need them are reported as not run; with `CI=true` they fail.
pub(crate) fn fetch() -> Result<()> {
    clippy(&["build", "--quiet", "--workspace", "--bin", "heddle"])?;
    let models = std::env::current_dir()?.join(FOLDER);
    if !pull(Command::new("target/debug/heddle").env("HEDDLE_MODELS", models))? {
        eprintln!(
            "weights of the built-in models could not be fetched; the tests that need them are not run"
        );
    }
    Ok(())
}

/// `cargo xtask example FOLDER`: what the example agent needs in a data folder, which is the
/// weights and our own documentation as a collection. Heddle starts without them too.
pub(crate) fn prepare(data: &str) -> Result<()> {
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

fn pull(heddle: &mut Command) -> Result<bool> {
    Ok(heddle.args(["models", "pull"]).status()?.success())
}
