//! The prepared image: loaded once per process, instantiated for every session.

use super::engine_config::shared_config;
use super::host;
use super::state::State;
use super::ticker::Ticker;
use crate::Error;
use std::sync::{Arc, OnceLock};
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, InstancePre, Module, PoolingAllocationConfig};

/// The bytes lie at an address that machine code may lie at.
#[repr(C, align(4096))]
struct Aligned<T: ?Sized>(T);

static PRECOMPILED: &Aligned<[u8]> = &Aligned(*include_bytes!("../../artifacts/sandbox.cwasm"));

/// Instances in the pool; what is beyond gets memory of its own.
const POOLED_INSTANCES: u32 = 256;
/// No session may have more, whatever its limits say.
pub(super) const MAX_MEMORY_BYTES: usize = 1 << 30;

pub(super) struct Image {
    /// Fresh instances in tens of microseconds, as long as there are free places.
    pub(super) pooled: InstancePre<State>,
    /// The same code with memory from the system.
    pub(super) single: InstancePre<State>,
    pub(super) ticker: Ticker,
}

/// The image, loaded on first use.
pub(super) fn image() -> Result<Arc<Image>, Error> {
    static IMAGE: OnceLock<Result<Arc<Image>, Error>> = OnceLock::new();
    IMAGE.get_or_init(|| load().map(Arc::new).map_err(|error| Error::Sandbox { detail: format!("{error:#}").into() })).clone()
}

fn load() -> wasmtime::Result<Image> {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_core_instances(POOLED_INSTANCES);
    pool.total_memories(POOLED_INSTANCES);
    pool.total_tables(POOLED_INSTANCES);
    pool.max_memory_size(MAX_MEMORY_BYTES);
    pool.table_elements(10_000);
    // Pages that a session wrote are put back instead of unmapped, as far as the kernel tells which they are: the next session in
    // the same place then has no page faults. A few places are kept warm, the others give their memory back.
    pool.linear_memory_keep_resident(2 << 20);
    pool.max_unused_warm_slots(16);
    pool.pagemap_scan(Enabled::Auto);
    pool.table_keep_resident(64 * 1024);
    let mut config = shared_config();
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    let pooled = prepare(&config)?;
    let single = prepare(&shared_config())?;
    let ticker = Ticker::start(&[pooled.module().engine(), single.module().engine()])?;
    Ok(Image { pooled, single, ticker })
}

fn prepare(config: &Config) -> wasmtime::Result<InstancePre<State>> {
    let engine = Engine::new(config)?;
    let module = deserialize(&engine)?;
    host::linker(&engine)?.instantiate_pre(&module)
}

#[expect(unsafe_code, reason = "wasmtime cannot check machine code; these bytes were made by our own build from pinned inputs")]
fn deserialize(engine: &Engine) -> wasmtime::Result<Module> {
    // SAFETY: the bytes are the untouched output of `Engine::precompile_module` in `xtask sandbox`, embedded at build time.
    unsafe { Module::deserialize(engine, &PRECOMPILED.0) }
}
