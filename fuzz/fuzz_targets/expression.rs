//! Fuzzes [`heddle_fuzz::expression`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| heddle_fuzz::expression::holds(text));
