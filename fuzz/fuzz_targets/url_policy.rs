//! Fuzzes [`heddle_fuzz::url_policy`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| heddle_fuzz::url_policy::holds(text));
