//! Any text as a cron expression is harmless: the fuzzer's property on bounded random input.

#[path = "../../../../fuzz/src/cron.rs"]
mod property;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn random_text_is_harmless(text in "\\PC{0,30}|[0-9*/,LW# -]{0,30}") {
        property::holds(&text);
    }

    #[test]
    fn random_fields_are_harmless(fields in proptest::collection::vec("\\*|\\*/[0-9]{1,2}|[0-9]{1,2}|[0-9]{1,2}-[0-9]{1,2}(/[0-9])?|L|[0-9]{1,2}W|[0-7]#[1-5]|MON|JAN", 5..7)) {
        property::holds(&fields.join(" "));
    }
}
