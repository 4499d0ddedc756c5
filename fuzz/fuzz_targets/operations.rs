//! Fuzzes [`heddle_fuzz::operations`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| heddle_fuzz::operations::holds(text));
