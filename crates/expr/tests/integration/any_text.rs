//! Any text as a parameter is harmless: the fuzzer's property on bounded random input.

#[path = "../../../../fuzz/src/expression.rs"]
mod property;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn random_text_is_harmless(text in "\\PC{0,40}") {
        property::holds(&text);
    }

    #[test]
    fn random_expressions_are_harmless(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..14)) {
        property::holds(&format!("={{{{ {} }}}}", words.concat()));
        property::holds(&words.concat());
    }
}

const WORDS: &[&str] = &[
    "$json",
    ".n",
    ".s",
    ".list",
    ".o",
    "[0]",
    "['a']",
    "?.",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "{{",
    "}}",
    " + ",
    " - ",
    " * ",
    " / ",
    " % ",
    " ** ",
    " ? ",
    " : ",
    " && ",
    " || ",
    " ?? ",
    " === ",
    " < ",
    "!",
    "-",
    "'é'",
    "\"",
    "`${",
    "}`",
    "1",
    "1e308",
    "0x1F",
    "9007199254740993",
    "null",
    "undefined",
    "NaN",
    "$('A')",
    ".item",
    ".json",
    ".first()",
    ".all()",
    ".length",
    ".toUpperCase()",
    ".slice(-1)",
    ".substring(1, 99)",
    ".padStart(5, 'x')",
    ".repeat(3)",
    ".split('')",
    ".map(x => x)",
    ".filter(x => x)",
    ".join()",
    ".at(-9)",
    ".toFixed(200)",
    ".toDateTime()",
    ".format('yyyy')",
    "$now",
    ".plus(1e18, 'days')",
    "$today",
    "$min(",
    ", ",
    "$if(",
    "=> ",
    "x",
    "\\",
    "/a+/g",
    ".replace(",
    ".match(",
    "Math.max(",
    "JSON.stringify(",
    "Object.keys(",
    "new Date(",
    "parseInt(",
];
