//! Fuzzes [`heddle_fuzz::model_stream`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heddle_fuzz::model_stream::holds(bytes));
