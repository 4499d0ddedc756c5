//! What a release is made of, in `target/dist`.

mod sbom;

use crate::audit;
use anyhow::{Context as _, Result};
use std::path::Path;

const FOLDER: &str = "target/dist";

/// `cargo xtask dist`.
pub(crate) fn release() -> Result<()> {
    audit::run_for_release()?;
    run()
}

/// The bill of materials alone.
pub(crate) fn run() -> Result<()> {
    std::fs::create_dir_all(FOLDER)?;
    let bill = sbom::make()?;
    let path = Path::new(FOLDER).join(format!("heddle-{}.cdx.json", bill.version));
    std::fs::write(&path, &bill.text)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    eprintln!("{}: {} components", path.display(), bill.n_components);
    Ok(())
}
