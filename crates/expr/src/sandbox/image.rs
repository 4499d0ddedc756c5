//! The prepared image: loaded once per process, instantiated for every session.

use super::engine_config::shared_config;
use super::host;
use super::state::GuestState;
use super::ticker::EpochTicker;
use crate::ExprError;
use std::sync::{Arc, OnceLock};
use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, InstancePre, Module,
    PoolingAllocationConfig,
};

/// The bytes lie at an address that machine code may lie at.
#[repr(C, align(4096))]
struct Aligned<T: ?Sized>(T);

static PRECOMPILED: &Aligned<[u8]> =
    &Aligned(*include_bytes!(concat!(env!("SANDBOX_ARTIFACTS"), "/sandbox.cwasm")));

/// Instances in the pool; what is beyond gets memory of its own.
const POOLED_INSTANCES: u32 = 256;
/// No session may have more, whatever its limits say.
pub(super) const MAX_MEMORY_BYTES: usize = 1 << 30;

/// The image loaded into one engine.
pub(super) struct SandboxImage {
    pub(super) prepared: InstancePre<GuestState>,
    pub(super) ticker: EpochTicker,
}

/// Fresh instances in tens of microseconds, as long as there are free places.
pub(super) fn pooled() -> Result<Arc<SandboxImage>, ExprError> {
    static IMAGE: OnceLock<Result<Arc<SandboxImage>, ExprError>> = OnceLock::new();
    load_once(&IMAGE, || {
        let mut pool = PoolingAllocationConfig::new();
        pool.total_core_instances(POOLED_INSTANCES);
        pool.total_memories(POOLED_INSTANCES);
        pool.total_tables(POOLED_INSTANCES);
        pool.max_memory_size(MAX_MEMORY_BYTES);
        pool.table_elements(10_000);
        // Pages that a session wrote are put back instead of unmapped, as far as the kernel tells
        // which they are: the next session in the same place then has no page faults. A few places
        // are kept warm, the others give their memory back.
        pool.linear_memory_keep_resident(2 << 20);
        pool.max_unused_warm_slots(16);
        pool.pagemap_scan(Enabled::Auto);
        pool.table_keep_resident(64 * 1024);
        let mut config = shared_config();
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        config
    })
}

/// The same code with memory from the system, for when the pool is used up.
pub(super) fn single() -> Result<Arc<SandboxImage>, ExprError> {
    static IMAGE: OnceLock<Result<Arc<SandboxImage>, ExprError>> = OnceLock::new();
    load_once(&IMAGE, shared_config)
}

fn load_once(
    place: &OnceLock<Result<Arc<SandboxImage>, ExprError>>,
    config: impl FnOnce() -> Config,
) -> Result<Arc<SandboxImage>, ExprError> {
    place
        .get_or_init(|| match prepare(&config()) {
            Ok(image) => Ok(Arc::new(image)),
            Err(error) => Err(ExprError::Sandbox { detail: format!("{error:#}").into() }),
        })
        .clone()
}

fn prepare(config: &Config) -> wasmtime::Result<SandboxImage> {
    let engine = Engine::new(config)?;
    let module = deserialize(&engine)?;
    let prepared = host::linker(&engine)?.instantiate_pre(&module)?;
    Ok(SandboxImage { prepared, ticker: EpochTicker::start(&engine)? })
}

#[expect(
    unsafe_code,
    reason = "wasmtime cannot verify machine code; these bytes come from our own build with pinned \
         inputs"
)]
fn deserialize(engine: &Engine) -> wasmtime::Result<Module> {
    // SAFETY: the bytes are the untouched output of `Engine::precompile_module` in `xtask sandbox`,
    // embedded at build time.
    unsafe { Module::deserialize(engine, &PRECOMPILED.0) }
}
