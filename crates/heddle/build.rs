//! Has the linker leave out what nobody needs: symbols, and second copies of the same code, which
//! are a twentieth of the program.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, wanted: &str| std::env::var(name).is_ok_and(|value| value == wanted);
    if !is("PROFILE", "release") || !is("CARGO_CFG_TARGET_OS", "linux") {
        return;
    }
    // Cargo's own variable keeps the symbols, for a profiler.
    println!("cargo:rerun-if-env-changed=CARGO_PROFILE_RELEASE_STRIP");
    if !is("CARGO_PROFILE_RELEASE_STRIP", "none") {
        println!("cargo:rustc-link-arg-bins=-Wl,--strip-all");
    }
    // Rust's own linker, which it uses for this target, can fold code; others cannot.
    if is("CARGO_CFG_TARGET_ARCH", "x86_64") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
}
