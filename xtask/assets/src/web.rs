//! Builds the editor and puts it where the server embeds it from.

use anyhow::{Context as _, Result, bail};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = "web";
/// What `npm run build` makes.
const BUILT: &str = "web/dist";
/// What `crates/server/build.rs` embeds.
const EMBEDDED: &str = "crates/server/editor";
/// The sum of what the embedded files were built from.
const STAMP: &str = "crates/server/editor/.stamp";
/// The sum of the lock file that the packages were installed by.
const PACKAGES_STAMP: &str = "web/node_modules/.stamp";

/// Folders of `web/` that are made from the rest.
const MADE: &[&str] = &["node_modules", "dist", "test-results", "playwright-report", "coverage"];

/// Compresses every file that gets smaller. Node is here anyway, and has Brotli built in.
const PACK: &str = "
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { brotliCompressSync, constants } = require('node:zlib');
const folder = process.argv[1];
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || /^\\./.test(entry.name) || /\\.(br|woff2?|png|jpe?g|webp|ico)$/.test(entry.name)) continue;
  const file = (entry.parentPath ?? entry.path) + '/' + entry.name;
  const bytes = readFileSync(file);
  if (bytes.length < 1024) continue;
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  if (brotli.length < bytes.length) writeFileSync(file + '.br', brotli);
}
";

/// `cargo xtask web`. Does nothing if the editor was built from the same files before.
pub fn build() -> Result<()> {
    if !Path::new(SOURCE).join("package.json").exists() {
        bail!("there is no editor in `{SOURCE}`");
    }
    let stamp = sum_of(Path::new(SOURCE))?;
    if std::fs::read_to_string(STAMP).is_ok_and(|known| known == stamp) {
        return Ok(());
    }
    install_packages()?;
    npm(&["run", "build"])?;
    embed()?;
    std::fs::write(STAMP, stamp).context("the stamp of the editor cannot be written")
}

/// The editor's own rules, and tests of what needs no browser. Its types were checked by the build.
pub fn check() -> Result<()> {
    install_packages()?;
    npm(&["run", "lint"])?;
    npm(&["test"])
}

#[derive(Clone, Copy, Debug)]
pub enum Browser {
    Chromium,
    Firefox,
}

/// Walks through the editor in a browser, before real servers with the editor in them: in Firefox
/// only where browsers differ most, and the rest every night. What it says is shown at its end, so
/// that two of them do not mix.
pub fn journeys(browser: Browser) -> Result<()> {
    let script = match browser {
        Browser::Chromium => "journeys",
        Browser::Firefox => "journeys:firefox:core",
    };
    eprintln!("$ npm run {script} (in {SOURCE})");
    let run = Command::new("npm").args(["run", script]).current_dir(SOURCE).output();
    let run = run.context("npm could not be started; it is needed to test the editor")?;
    let output = [run.stdout, run.stderr].concat();
    eprintln!("{script}:\n{}", String::from_utf8_lossy(&output));
    if !run.status.success() {
        bail!("`npm run {script}` ended with {}", run.status);
    }
    Ok(())
}

fn install_packages() -> Result<()> {
    let lock = std::fs::read(Path::new(SOURCE).join("package-lock.json"))
        .context("the lock file of the editor cannot be read")?;
    let mut hasher = DefaultHasher::new();
    lock.hash(&mut hasher);
    let stamp = format!("{:016x}", hasher.finish());
    if std::fs::read_to_string(PACKAGES_STAMP).is_ok_and(|known| known == stamp) {
        return Ok(());
    }
    // Not `npm ci`: it refuses a lock file that was written where packages of other platforms could
    // not be had.
    npm(&["install", "--no-save", "--no-audit", "--no-fund", "--prefer-offline"])?;
    std::fs::write(PACKAGES_STAMP, stamp).context("the stamp of the packages cannot be written")
}

fn npm(arguments: &[&str]) -> Result<()> {
    eprintln!("$ npm {} (in {SOURCE})", arguments.join(" "));
    let status = Command::new("npm").args(arguments).current_dir(SOURCE).status();
    match status.context("npm could not be started; it is needed to build the editor")? {
        status if status.success() => Ok(()),
        status => bail!("`npm {}` ended with {status}", arguments.join(" ")),
    }
}

/// Puts the built files in the place of the ones before, and packs them.
fn embed() -> Result<()> {
    for entry in std::fs::read_dir(EMBEDDED)? {
        let path = entry?.path();
        if path.ends_with(".gitignore") {
            continue;
        }
        if path.is_dir() { std::fs::remove_dir_all(path)? } else { std::fs::remove_file(path)? }
    }
    for file in files_in(Path::new(BUILT)).context("the build of the editor has left nothing")? {
        let place = Path::new(EMBEDDED).join(file.strip_prefix(BUILT)?);
        if let Some(folder) = place.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::copy(&file, place)?;
    }
    let status = Command::new("node").args(["--eval", PACK, EMBEDDED]).status();
    match status.context("node could not be started; it is needed to pack the editor")? {
        status if status.success() => Ok(()),
        status => bail!("packing the editor ended with {status}"),
    }
}

fn sum_of(folder: &Path) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for file in files_in(folder)? {
        file.hash(&mut hasher);
        std::fs::read(&file)?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// All files below, in order, without what is made from them.
fn files_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in
        std::fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?
    {
        let path = entry?.path();
        let is_made = folder == Path::new(SOURCE) && MADE.iter().any(|name| path.ends_with(name));
        match (is_made, path.is_dir()) {
            (true, _) => {}
            (false, true) => found.extend(files_in(&path)?),
            (false, false) => found.push(path),
        }
    }
    found.sort();
    Ok(found)
}
