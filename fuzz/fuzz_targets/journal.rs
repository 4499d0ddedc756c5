//! Fuzzes [`heddle_fuzz::journal`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::journal::holds(bytes));
