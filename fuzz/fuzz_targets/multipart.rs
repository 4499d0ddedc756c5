//! Fuzzes [`heddle_fuzz::multipart`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    heddle_fuzz::multipart::holds(bytes);
    heddle_fuzz::multipart::holds_inside(bytes);
});
