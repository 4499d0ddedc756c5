//! The weights of the built-in models, for the tests.

use crate::clippy;
use anyhow::Result;
use assets::example::pull;
use std::process::Command;

/// Where tests look for weights.
const FOLDER: &str = "target/models";

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
