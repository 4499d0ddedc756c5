//! Spelling, checked by `typos`, which pip installs below `target`.

use crate::call;
use anyhow::Result;
use std::path::Path;

const FOLDER: &str = "target/tools/typos";
const PROGRAM: &str = "target/tools/typos/bin/typos";
const PACKAGE: &str = "typos==1.51.1";

pub(crate) fn check() -> Result<()> {
    if !Path::new(PROGRAM).exists() {
        let quiet = ["--quiet", "--disable-pip-version-check", "--root-user-action=ignore"];
        let install: Vec<&str> =
            ["install"].into_iter().chain(quiet).chain(["--target", FOLDER, PACKAGE]).collect();
        call("pip", &install)?;
    }
    call(PROGRAM, &["--config", "typos.toml"])
}
