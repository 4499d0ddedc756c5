//! Fuzzes [`heddle_fuzz::workflow_json`].
#![no_main]

use std::sync::LazyLock;

static REGISTRY: LazyLock<node_api::Registry> = LazyLock::new(nodes::registry);

libfuzzer_sys::fuzz_target!(|text: &str| heddle_fuzz::workflow_json::holds(text, &REGISTRY));
