//! Fuzzes [`heddle_fuzz::read_only_sql`] against the servers that the environment names.
#![no_main]

use heddle_fuzz::read_only_sql::{holds, prepare, servers};
use providers::connect::GuardedConnections;
use providers::http::EgressPolicy;
use std::sync::atomic::{AtomicBool, Ordering};

static IS_PREPARED: AtomicBool = AtomicBool::new(false);

libfuzzer_sys::fuzz_target!(|text: &str| {
    let servers = servers();
    assert!(!servers.is_empty(), "no server is named; `cargo xtask fuzz` starts some");
    let is_first = !IS_PREPARED.swap(true, Ordering::Relaxed);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap_or_else(|error| panic!("{error}"));
    runtime.block_on(async {
        for server in &servers {
            let policy = EgressPolicy::parse(&server.server.host)
                .unwrap_or_else(|error| panic!("{error:?}"));
            let connections = GuardedConnections::new(policy);
            if is_first {
                prepare(&connections, server).await;
            }
            holds(&connections, server, text).await;
        }
    });
});
