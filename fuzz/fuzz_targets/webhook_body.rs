//! Fuzzes [`heddle_fuzz::webhook_body`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::webhook_body::holds(bytes));
