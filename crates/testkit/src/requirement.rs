//! What tests need and may not find: the corpus of recorded cases, the weights of the built-in
//! models, rights of the user. A test without it is reported as not run; with `CI=true` a missing
//! corpus or missing weights fail the test.

#![expect(clippy::panic, reason = "a helper of a test may stop it")]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Names the file that lists the tests that were not run, a line each; `cargo xtask ci` shows it.
const REPORT: &str = "TESTS_NOT_RUN";

/// The path of a file or folder of the corpus, which lies beside the repository. `None` if it is
/// missing: then the test is reported as not run, and has to return.
///
/// # Panics
///
/// If it is missing in CI.
#[must_use]
pub fn corpus(path: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    existing(root.join(path), &format!("../shared/corpus/{path} not found"))
}

/// The folder with the weights of the built-in models, if it has those of `model`. `None` if it has
/// not: then the test is reported as not run, and has to return.
///
/// # Panics
///
/// If they are missing in CI.
#[must_use]
pub fn weights(model: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/models");
    let reason = format!("weights of {model} not found; `cargo xtask weights` fetches them");
    existing(folder.join(model), &reason)?;
    Some(folder)
}

/// A program of the official MCP servers. `None` if they are not installed: then the test is
/// reported as not run, and has to return.
///
/// # Panics
///
/// If it is missing in CI.
#[must_use]
pub fn mcp_server(path: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mcp-servers");
    let reason = format!("{path} not found; `cargo xtask mcp-servers` installs it");
    existing(folder.join(path), &reason)
}

fn existing(path: PathBuf, reason: &str) -> Option<PathBuf> {
    if path.exists() {
        return Some(path);
    }
    if std::env::var_os("CI").is_some_and(|value| value == "true") {
        panic!("{reason}; tests may not be left out with CI=true");
    }
    not_run(reason);
    None
}

/// Reports the current test as not run: on standard error, which is not captured, and in the report
/// of `cargo xtask ci`.
pub fn not_run(reason: &str) {
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_default();
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("unknown test");
    let line = format!("{package} {test}: {reason}\n");
    let _ = write!(std::io::stderr(), "NOT RUN: {line}");
    if let Some(report) = std::env::var_os(REPORT) {
        let file = OpenOptions::new().create(true).append(true).open(&report);
        let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
        written.unwrap_or_else(|error| panic!("{}: {error}", report.display()));
    }
}

#[cfg(test)]
mod tests {
    use super::{REPORT, weights};
    use crate::{TempFolder, isolated_with};

    #[test]
    fn a_test_without_its_weights_is_in_the_report() {
        let folder = TempFolder::new("not-run");
        isolated_with(
            |command| {
                command.env(REPORT, folder.0.join("report")).env_remove("CI");
            },
            || {
                assert_eq!(weights("no-such-model"), None);
                let report = std::env::var_os(REPORT).unwrap();
                let text = std::fs::read_to_string(report).unwrap();
                assert!(text.contains("a_test_without_its_weights_is_in_the_report"), "{text}");
                assert!(text.contains("weights of no-such-model not found"), "{text}");
            },
        );
    }

    #[test]
    fn in_ci_a_test_without_its_weights_fails() {
        isolated_with(
            |command| {
                command.env("CI", "true");
            },
            || assert!(std::panic::catch_unwind(|| weights("no-such-model")).is_err()),
        );
    }
}
