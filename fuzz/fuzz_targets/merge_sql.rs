//! Fuzzes [`heddle_fuzz::merge_sql`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| heddle_fuzz::merge_sql::holds(text));
