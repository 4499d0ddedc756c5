//! Any header of a workflow's answer is harmless: the fuzzer's properties on bounded random input.
#[path = "../../../../fuzz/src/content_type.rs"]
mod content_type;
#[path = "../../../../fuzz/src/set_cookie.rs"]
mod set_cookie;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn issue_14_05_random_types_are_harmless(parts in proptest::collection::vec("(text/html|text/plain|image/png|application/json|multipart/x-mixed-replace|[,;=\"\\\\/ *\t]|a|charset|\u{e9}|\u{0})", 0..12)) {
        content_type::holds(&parts.concat());
    }

    #[test]
    fn issue_14_13_random_cookies_are_harmless(parts in proptest::collection::vec("(heddle_session|__Host-|HEDDLE|Domain|Path|[=; \t,\"]|/|x|\u{e9}|\u{b})", 0..12)) {
        set_cookie::holds(&parts.concat());
    }

    #[test]
    fn random_text_is_harmless(text in "\\PC{0,60}") {
        content_type::holds(&text);
        set_cookie::holds(&text);
    }
}
