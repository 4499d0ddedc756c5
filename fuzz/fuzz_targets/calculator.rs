//! Fuzzes [`heddle_fuzz::calculator`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| heddle_fuzz::calculator::holds(text));
