//! The weights of the built-in models, which `cargo xtask ci` fetches before the tests run.

use std::io::Write as _;
use std::path::PathBuf;

/// The folder with the weights of this model, or else a word on standard error, which a test's own
/// output would not reach, that so many cases were not run.
#[must_use]
pub fn weights(model: &str, n_cases: usize) -> Option<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/models"));
    if folder.join(model).is_dir() {
        return Some(folder);
    }
    let _ = writeln!(
        std::io::stderr(),
        "weights not found, {n_cases} cases not run ({model}; `cargo xtask weights` fetches them)"
    );
    None
}
