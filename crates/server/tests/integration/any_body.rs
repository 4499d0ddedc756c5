//! Any bytes as a form or a body are harmless: the fuzzer's properties on bounded random input.
#[path = "../../../../fuzz/src/multipart.rs"]
mod multipart;
#[path = "../../../../fuzz/src/webhook_body.rs"]
mod webhook_body;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_harmless(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        multipart::holds(&bytes);
        multipart::holds_inside(&bytes);
        webhook_body::holds(&bytes);
    }

    #[test]
    fn random_parts_are_harmless(parts in proptest::collection::vec("(--x(--)?|content-disposition: form-data; |name=\"a\"|filename=\"[./\\\\a-c\u{202e}]{0,20}\"|; |content-type: [a-z/]{0,10}|\r\n|\r\n\r\n|[a-z]{0,5})", 0..40)) {
        multipart::holds(parts.concat().as_bytes());
    }

    #[test]
    fn random_fields_are_harmless(kind in 0_u8..9, text in "[a-c=&%\\[\\]0-9{}\":,<>/ \u{feff}é]{0,200}") {
        webhook_body::holds(&[&[kind, 0], text.as_bytes()].concat());
    }
}
