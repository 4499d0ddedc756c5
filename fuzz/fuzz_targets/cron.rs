//! Fuzzes [`heddle_fuzz::cron`].
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| heddle_fuzz::cron::holds(text));
