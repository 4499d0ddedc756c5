//! Fuzzes [`heddle_fuzz::set_cookie`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| heddle_fuzz::set_cookie::holds(text));
