//! The settings of the WebAssembly engine. The image builder (`xtask/assets`) and the runtime both include
//! this file: a precompiled module only loads into an engine whose settings agree with those it was
//! compiled under.

use wasmtime::Config;

/// Machine stack for WebAssembly frames. QuickJS stops at its own, smaller limit first in nearly
/// every case.
pub(crate) const MACHINE_STACK_BYTES: usize = 1 << 20;

/// What both ends share. The runtime adds its allocator, the builder its target; neither changes
/// the compiled code's form.
pub(crate) fn shared_config() -> Config {
    let mut config = Config::new();
    config.epoch_interruption(true);
    config.max_wasm_stack(MACHINE_STACK_BYTES);
    config.memory_init_cow(true);
    config.memory_reservation(4 << 30);
    config.memory_guard_size(32 << 20);
    config.wasm_backtrace_max_frames(None);
    // Nobody looks at frames of the sandbox, and both tables would be in the binary.
    config.generate_address_map(false);
    config.native_unwind_info(false);
    config
}
