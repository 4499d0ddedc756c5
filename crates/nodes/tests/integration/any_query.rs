//! Any text as a query of Merge is harmless: the fuzzer's property on bounded random input.

#[path = "../../../../fuzz/src/merge_sql.rs"]
mod property;

use proptest::prelude::*;

/// Parts of queries that are read in more than one way.
const PARTS: &str = "SELECT |FROM input1|ATTACH |PRAGMA |VACUUM |'/tmp/x'| AS h|;|'|\"|`|\\[|\\]|/\\*|\\*/|/\\*/|--|\n|\r|\\(|\\)|,|=|\\$a::\\(|@x|#y|:z|\\?1|\\{\\{ 1 \\}\\}| IN |OUTER JOIN |len|isnull|1|x|\u{feff}|ä|\\\\|''|WITH |UNION |json_each";

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn issue_14_01_random_queries_are_harmless(text in "\\PC{0,60}") {
        property::holds(&text);
    }

    #[test]
    fn issue_14_01_random_parts_of_queries_are_harmless(parts in proptest::collection::vec(PARTS, 0..25), value in "\\PC{0,20}") {
        property::holds(&format!("{}\0{value}", parts.concat()));
    }
}

#[test]
fn issue_14_01_queries_that_were_read_in_two_ways_are_read_in_one() {
    for query in [
        "1 /*/ ' */ ; ATTACH DATABASE '/tmp/x' AS h; -- '",
        "$a::('; ATTACH DATABASE '/tmp/x' AS h; SELECT ')",
        "[a'] /*/*/ , '' -- \r @x\n , @y",
        "1 --",
        "1 /*",
        "'{{ 1 }}' /* {{ 1 }} */ , {{ 1 }}x",
    ] {
        property::holds(query);
    }
}
