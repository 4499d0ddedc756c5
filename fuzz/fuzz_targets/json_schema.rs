//! Fuzzes [`heddle_fuzz::json_schema`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| heddle_fuzz::json_schema::holds(text));
