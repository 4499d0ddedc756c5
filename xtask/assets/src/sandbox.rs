//! Builds the JavaScript sandbox's image: QuickJS with Luxon and our own files already loaded,
//! precompiled for wasmtime.

mod guest;
mod module;

#[path = "../../../crates/expr/src/sandbox/engine_config.rs"]
mod engine_config;
#[path = "../../../crates/expr/image_stamp.rs"]
mod image_stamp;

use anyhow::{Context, anyhow, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use wasmtime::Engine;

/// Libraries of others: the name they are loaded under, their file, and what they are wrapped in.
const LIBRARIES: &[(&str, &str, [&str; 2])] = &[
    (
        "luxon",
        "luxon/build/global/luxon.min.js",
        ["globalThis.__heddle.luxon = (function () { ", "\nreturn luxon; })();"],
    ),
    // The names of its errors are set after they were made, which the frozen prototype of `Error`
    // would refuse.
    (
        "jmespath",
        "jmespath/jmespath.js",
        [
            "globalThis.__heddle.jmespath = (function (exports, Error) { ",
            "\nreturn exports; })({}, globalThis.__heddle.JmesPathError);",
        ],
    ),
];

/// Our own files and those libraries, in the order they are loaded.
#[rustfmt::skip]
const FILES: &[&str] = &[
    "core", "json", "intl_data", "intl_numbers", "intl_dates", "luxon", "jmespath", "dates", "transliteration_data", "extend", "extend_text", "extend_lists", "extend_dates", "atomics", "scope", "lock",
    "encodings", "urls", "node_modules_shims", "code_environment", "code",
];

/// Makes the image for a processor in `crates/expr/artifacts` unless it is there and fresh. One that
/// this machine does not have takes the feature `all-arch`.
pub fn build(arch: &str) -> anyhow::Result<()> {
    let expr_dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/expr");
    let artifacts = image_stamp::artifacts(&expr_dir, arch, std::env::consts::OS);
    let stamp = image_stamp::stamp(&expr_dir)?;
    let stamp_file = artifacts.join("sandbox.stamp");
    if artifacts.join("sandbox.cwasm").exists()
        && std::fs::read_to_string(&stamp_file).is_ok_and(|found| found.trim() == stamp)
    {
        return Ok(());
    }
    let js_dir = expr_dir.join("js");
    install_packages(&js_dir)?;
    let quickjs = read(&js_dir.join("node_modules/quickjs-wasi/quickjs.wasm"))?;
    let (mut image, code) =
        guest::prepare_both(&quickjs, &sources(&js_dir)?).map_err(|error| anyhow!("{error:?}"))?;
    image.memory.resize(image.memory.len().max(code.memory.len()), 0);
    let prepared = module::with_image(&quickjs, &image)?;
    let code_pieces = module::difference(&image.memory, &code.memory);

    // Without a target wasmtime would use every instruction of this machine, and the image might
    // not load on another one.
    let mut config = engine_config::shared_config();
    config.target(target_triple(arch)?).map_err(|error| anyhow!("{error:?}"))?;
    if arch == "x86_64" {
        use_common_instructions(&mut config);
    }
    let precompiled = Engine::new(&config)
        .and_then(|engine| engine.precompile_module(&prepared))
        .map_err(|error| anyhow!("{error:?}"))?;
    std::fs::create_dir_all(&artifacts)?;
    std::fs::write(artifacts.join("sandbox.cwasm"), &precompiled)?;
    std::fs::write(artifacts.join("code_pieces.bin"), &code_pieces)?;
    std::fs::write(stamp_file, stamp)?;
    let sizes = [image.memory.len(), precompiled.len(), code_pieces.len()].map(|size| size / 1024);
    eprintln!(
        "sandbox image: {} KB of memory, {} KB precompiled, {} KB differ for code",
        sizes[0], sizes[1], sizes[2]
    );
    Ok(())
}

/// Every x86 processor since 2009 has these; without them, rounding a number is a call of the host.
fn use_common_instructions(config: &mut wasmtime::Config) {
    for flag in ["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt"] {
        enable(config, flag);
    }
}

#[expect(
    unsafe_code,
    reason = "a wrong flag would make machine code that cannot run; the loading engine checks these against its processor"
)]
fn enable(config: &mut wasmtime::Config, flag: &str) {
    // SAFETY: the names are those of instruction sets, which `Module::deserialize` compares with
    // the processor it is on.
    unsafe {
        config.cranelift_flag_enable(flag);
    }
}

/// `npm ci` where the packages are missing or of another version than the lock file asks for.
fn install_packages(js_dir: &Path) -> anyhow::Result<()> {
    let wanted = read(&js_dir.join("package-lock.json"))?;
    let wanted: serde_json::Value = serde_json::from_slice(&wanted)?;
    let installed = |package: &str| -> Option<String> {
        let text =
            std::fs::read_to_string(js_dir.join("node_modules").join(package).join("package.json"))
                .ok()?;
        let manifest: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(manifest["version"].as_str()?.to_owned())
    };
    let fresh = ["luxon", "jmespath", "quickjs-wasi"].into_iter().all(|package| {
        let version = wanted["packages"][format!("node_modules/{package}")]["version"].as_str();
        version.is_some() && installed(package).as_deref() == version
    });
    if fresh {
        return Ok(());
    }
    let status = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(js_dir)
        .status();
    match status
        .context("npm could not be started; it is needed to fetch QuickJS, Luxon and JMESPath")?
    {
        status if status.success() => Ok(()),
        status => bail!("npm ci ended with {status}"),
    }
}

/// The scripts with their names, ready to be evaluated one after the other.
fn sources(js_dir: &Path) -> anyhow::Result<Vec<(String, String)>> {
    FILES
        .iter()
        .map(|name| {
            if let Some((_, path, [before, after])) =
                LIBRARIES.iter().find(|(library, ..)| library == name)
            {
                let text = String::from_utf8(read(&js_dir.join("node_modules").join(path))?)?;
                return Ok((format!("{name}.js"), format!("{before}{text}{after}")));
            }
            let file = format!("{name}.js");
            let text = String::from_utf8(read(&js_dir.join(&file))?)?;
            // Each file is the body of a function that gets the one shared object; nothing of ours
            // is a global by accident.
            Ok((
                file,
                format!("(function (heddle) {{ 'use strict'; {text}\n}})(globalThis.__heddle);"),
            ))
        })
        .collect()
}

fn target_triple(arch: &str) -> anyhow::Result<&'static str> {
    match (arch, std::env::consts::OS) {
        ("x86_64", "linux") => Ok("x86_64-unknown-linux-gnu"),
        ("aarch64", "linux") => Ok("aarch64-unknown-linux-gnu"),
        ("x86_64", "macos") => Ok("x86_64-apple-darwin"),
        ("aarch64", "macos") => Ok("aarch64-apple-darwin"),
        ("x86_64", "windows") => Ok("x86_64-pc-windows-msvc"),
        (arch, os) => bail!("the JavaScript sandbox is not built for {os} on {arch}"),
    }
}

fn read(path: &PathBuf) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))
}
