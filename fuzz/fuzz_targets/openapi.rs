//! Fuzzes [`heddle_fuzz::openapi`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| heddle_fuzz::openapi::holds(text));
