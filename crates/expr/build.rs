//! Checks that the sandbox image is there and was made from the files as they are now.

use std::path::Path;

mod image_stamp;

fn main() {
    let expr_dir = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let expr_dir = Path::new(&expr_dir);
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    let artifacts = image_stamp::artifacts(expr_dir, &target("ARCH"), &target("OS"));
    println!("cargo::rustc-env=SANDBOX_ARTIFACTS={}", artifacts.display());
    println!("cargo::rerun-if-changed={}", artifacts.join("sandbox.stamp").display());
    println!("cargo::rerun-if-changed={}", expr_dir.join("../../Cargo.lock").display());
    for folder in ["../../xtask/assets/src/sandbox", "build.rs"] {
        println!("cargo::rerun-if-changed={}", expr_dir.join(folder).display());
    }
    let expected = image_stamp::stamp(expr_dir);
    if let Ok(files) = image_stamp::input_files(expr_dir) {
        for file in files {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    let found = std::fs::read_to_string(artifacts.join("sandbox.stamp"));
    match (expected, found) {
        (Ok(expected), Ok(found)) if expected == found.trim() => {}
        (Err(error), _) => {
            println!("cargo::error=the files of the JavaScript sandbox cannot be read: {error}")
        }
        _ => println!(
            "cargo::error=the JavaScript sandbox image is missing or out of date: run `cargo xtask sandbox`"
        ),
    }
}
