//! Fuzzes [`heddle_fuzz::content_type`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| heddle_fuzz::content_type::holds(text));
