//! What the native evaluator answers, and what it leaves to the sandbox.

use super::testing::{TestScope, check, check_declined, evaluate};
use super::{NativeFailure, Program};
use crate::ExprError;
use model::{Value, json};
use proptest::prelude::*;

#[test]
fn paths_are_followed_and_end_in_undefined() {
    let data = || json!({ "a": { "b": [1, { "c": "x" }] }, "k v": 2, "n": null, "text": "héllo" });
    check("$json.a.b[1].c", data(), json!("x"));
    check("$json['k v']", data(), json!(2));
    check("$json.a['b'].length", data(), json!(2));
    check("$json.text.length", data(), json!(5));
    check("$json.missing", data(), Value::Undefined);
    check("$json.missing.deeper", data(), Value::Undefined);
    check("$json.n.deeper", data(), Value::Undefined);
    check("$json.missing?.deeper.still ?? 'none'", data(), json!("none"));
    check("[$json?.a?.b?.[0], 1]", data(), json!([1, 1]));
    check("$json.a.b[5]?.c", data(), Value::Undefined);
    check("some_unknown_name", data(), Value::Undefined);
}

#[test]
fn a_property_of_nothing_makes_the_whole_value_undefined() {
    check("'x' + $json.a.b", json!({}), Value::Undefined);
    check("$json.list.map(x => x.y.z)", json!({ "list": [{}] }), Value::Undefined);
    check("[1, $json.a.b]", json!({}), Value::Undefined);
}

#[test]
fn operators_convert_as_javascript_does() {
    for (source, expected) in [
        ("1 + '2'", json!("12")),
        ("'3' * '4'", json!(12)),
        ("[] + {}", json!("[object Object]")),
        ("1 == '1'", json!(true)),
        ("null == undefined", json!(true)),
        ("null === undefined", json!(false)),
        ("null >= 0", json!(true)),
        ("'b' > 'a'", json!(true)),
        ("'10' < '9'", json!(true)),
        ("'10' < 9", json!(false)),
        ("2 ** 3 ** 2", json!(512)),
        ("7 % -3", json!(1)),
        ("-7 % 3", json!(-1)),
        ("5 / 0 > 1e308", json!(true)),
        ("0.1 + 0.2", json!(0.30000000000000004)),
        ("~~7.9 | 0", json!(7)),
        ("-1 >>> 28", json!(15)),
        ("typeof null + typeof undefined + typeof 1", json!("objectundefinednumber")),
        ("'a' in { a: 1 }", json!(true)),
        ("(1, 2)", json!(2)),
        ("0 || null || 'x'", json!("x")),
        ("0 ?? 1", json!(0)),
        ("!'' && !0", json!(true)),
        ("true ? 1 : 2", json!(1)),
        ("void 0 === undefined", json!(true)),
    ] {
        check(source, json!({}), expected);
    }
}

#[test]
fn literals_build_arrays_objects_and_texts() {
    check(
        "{ a: 1, ['b' + 1]: [2, ...[3, 4]], ...{ c: 5 } }",
        json!({}),
        json!({ "a": 1, "b1": [2, 3, 4], "c": 5 }),
    );
    check("`${$json.n + 1} of ${`${$json.n}!`}`", json!({ "n": 1 }), json!("2 of 1!"));
    check("'it\\'s \\u00e9 \\x41 \\n'", json!({}), json!("it's é A \n"));
    check("[...'a😀'].length", json!({}), json!(2));
    check("Object.keys({ b: 1, 2: 1, a: 1, 1: 1 })", json!({}), json!(["1", "2", "b", "a"]));
    check("/* note */ 1 // end", json!({}), json!(1));
    check("Math.max(1, 2);", json!({}), json!(2));
}

#[test]
fn arrow_functions_walk_lists() {
    let data =
        || json!({ "list": [{ "n": 3, "t": "c" }, { "n": 1, "t": "a" }, { "n": 2, "t": "b" }] });
    check("$json.list.map(x => x.n * 2)", data(), json!([6, 2, 4]));
    check("$json.list.filter((x, i) => i > 0 && x.n < 2).length", data(), json!(1));
    check("$json.list.find(({ t }) => t === 'b').n", data(), json!(2));
    check("$json.list.reduce((sum, x) => sum + x.n, 0)", data(), json!(6));
    check("$json.list.sort((a, b) => a.n - b.n).map(x => x.t).join('')", data(), json!("abc"));
    check(
        "Object.entries({ a: 1, b: 2 }).map(([k, v]) => k + v).join('&')",
        data(),
        json!("a1&b2"),
    );
    check(
        "$json.list.map(x => { const n = x.n; if (n > 2) { return 'big'; } return n; })",
        data(),
        json!(["big", 1, 2]),
    );
    check(
        "(() => { let a = 1; a = a + 1; const f = x => x * a; return f(5); })()",
        data(),
        json!(10),
    );
    check("[' a ', '', 'b'].map(x => x.trim()).filter(Boolean)", data(), json!(["a", "b"]));
    check("$json.list.some(x => x.n > 2) && $json.list.every(x => x.t)", data(), json!(true));
    check("[3, 1, 10].sort()", data(), json!([1, 10, 3]));
    check("[[1, [2]], 3].flat()", data(), json!([1, [2], 3]));
    check("[...new Set([1, 1, '1'])]", data(), json!([1, "1"]));
}

#[test]
fn texts_have_their_methods() {
    let data = || json!({ "s": "Hello, World", "u": "a😀b" });
    for (source, expected) in [
        ("$json.s.split(', ')[1].toLowerCase()", json!("world")),
        ("$json.s.replace(/o/g, '0')", json!("Hell0, W0rld")),
        ("$json.s.replace(/(\\w+), (\\w+)/, '$2 $1')", json!("World Hello")),
        ("$json.s.replace(/[a-z]/g, c => c.toUpperCase())", json!("HELLO, WORLD")),
        ("$json.s.match(/W(\\w+)/)[1]", json!("orld")),
        ("$json.s.match(/x/)", json!(null)),
        ("$json.s.slice(-5, -1)", json!("Worl")),
        ("$json.s.substring(5, 0)", json!("Hello")),
        ("$json.u.length", json!(4)),
        ("$json.u.slice(3)", json!("b")),
        ("'7'.padStart(3, '0')", json!("007")),
        ("/^\\d+$/.test('123')", json!(true)),
        ("'a-b-c'.replaceAll('-', '')", json!("abc")),
        ("encodeURIComponent('a b&ü')", json!("a%20b%26%C3%BC")),
        ("(1234.5).toFixed(2)", json!("1234.50")),
        ("(1234567.891).toLocaleString()", json!("1,234,567.891")),
        ("parseInt('42px') + Number('') + parseFloat('1.5x')", json!(43.5)),
        ("JSON.stringify({ a: [1, 'x'], b: undefined })", json!("{\"a\":[1,\"x\"]}")),
        ("JSON.stringify([1, {}], null, 2)", json!("[\n  1,\n  {}\n]")),
        ("JSON.parse('{\"a\": [1]}').a[0]", json!(1)),
    ] {
        check(source, data(), expected);
    }
}

#[test]
fn dates_are_luxons_and_javascripts() {
    for (source, expected) in [
        ("$now.toISO()", json!("2026-01-15T07:34:56.789-05:00")),
        ("$today.toISO()", json!("2026-01-15T00:00:00.000-05:00")),
        ("$now.minus({ months: 11 }).endOf('month').toISODate()", json!("2025-02-28")),
        ("$now.plus(1, 'week').weekdayLong", json!("Thursday")),
        ("$now.setZone('Asia/Kolkata').toFormat('dd LLL yyyy HH:mm')", json!("15 Jan 2026 18:04")),
        ("DateTime.fromISO('2024-03-10T02:30:00').toISO()", json!("2024-03-10T03:30:00.000-04:00")),
        (
            "DateTime.fromISO('2024-05-01').diff(DateTime.fromISO('2024-03-01'), 'months').months",
            json!(2),
        ),
        ("$now > DateTime.fromISO('2025-01-01')", json!(true)),
        ("new Date(0).toISOString()", json!("1970-01-01T00:00:00.000Z")),
        ("new Date($json.t).getTime() - Date.UTC(2024, 0, 1)", json!(3_600_000)),
        ("new Date(new Date().setDate(1)).getDate()", json!(1)),
        ("$json.t.toDateTime().format('yyyy')", json!("2024")),
        ("$now.toLocaleString({ dateStyle: 'medium' })", json!("Jan 15, 2026")),
        ("'' + $now", json!("1768480496789")),
        ("`${$now}`", json!("2026-01-15T07:34:56.789-05:00")),
    ] {
        check(source, json!({ "t": "2024-01-01T01:00:00Z" }), expected);
    }
    let Ok(Value::Date(date)) = evaluate("$now", json!({})) else { panic!("a date is expected") };
    assert_eq!(date.iso, "2026-01-15T07:34:56.789-05:00");
}

#[test]
fn the_scope_answers_for_nodes_and_variables() {
    let data = || json!({ "a": 1 });
    check(
        "$('Before').item.json.a + $('Before').first().json.a + $('Before').all().length",
        data(),
        json!(3),
    );
    check("$node['Before'].json.a + $node.Before.data.a", data(), json!(2));
    check("$input.first().json.a + $input.all()[0].json.a + $input.item.json.a", data(), json!(3));
    check("$items().length + $items('Before')[0].json.a", data(), json!(2));
    check("$('Before').isExecuted && $prevNode.name", data(), json!("Before"));
    check("$vars.color + $runIndex + $itemIndex + $parameter.mode", data(), json!("red00fast"));
    check(
        "$fromAI('known') + $fromAI('other', '', 'string', '!')",
        data(),
        json!("from the model!"),
    );
    check("$jmespath($json, 'a')", data(), json!(1));
    check("$if($json.a > 0, 'yes', 'no') + $ifEmpty('', 'empty')", data(), json!("yesempty"));
    let missing = evaluate("$('Nowhere').item.json", data());
    assert!(
        matches!(missing, Err(NativeFailure::Error(ExprError::Data { message, .. })) if message == "Referenced node doesn't exist")
    );
    let denied = evaluate("$env.HOME", data());
    assert!(matches!(denied, Err(NativeFailure::Error(ExprError::Forbidden { .. }))));
}

#[test]
fn what_is_not_certain_is_declined() {
    for source in [
        "constructor",
        "$json.constructor",
        "$json['__proto__']",
        "({})['constr' + 'uctor']",
        "`${'a'}`[`constructor`]",
        "{ __proto__: null }",
        "(({ constructor }) => constructor)({})",
        "(() => { const { constructor: c } = {}; return c; })()",
        "this",
        "globalThis",
        "process.env",
        "eval('1')",
        "Function('return 1')()",
        "import('fs')",
        "new Promise(r => r)",
        "String.raw`x`",
        "(function () { return 1 })()",
        "async () => 1",
        "class A {}",
        "arguments.callee",
        "Error.prepareStackTrace",
        "$json.list.push",
        "$json.list.map",
        "a = 1",
        "$json.a = 1",
        "delete $json.a",
        "$json.a++",
        "(() => { const a = {}; Object.assign(a, { b: 1 }); return a; })()",
        "(() => { const a = []; [1].forEach(x => a.push(x)); return a; })()",
        "-2 ** 2",
        "1 ?? 2 || 3",
        "x => x",
        "$json.list === $json.list",
        "$json.missing.isEmpty()",
        "Math.sin(1)",
        "/(?=a)/.test('a')",
        "'a😀'.slice(0, 2)",
        "DateTime.fromISO('nonsense').toISO()",
        "new Date('yesterday')",
        "[1, 2].sort((a, b) => a > b)",
        "new Array(3).map(x => 1)",
        "(() => { const f = n => n ? f(n - 1) : 0; return f(3); })()",
        "(a => b => a + b)(1)(2)",
        "(f => f(f))(f => f(f))",
        "",
        "1 +",
        "}}",
        "'",
    ] {
        check_declined(source, json!({ "list": [1, 2] }));
    }
}

#[test]
fn hostile_expressions_end_with_a_named_error() {
    let error = |source: &str| match evaluate(source, json!({})) {
        Err(NativeFailure::Error(error)) => error,
        other => panic!("{source}: {other:?}"),
    };
    for source in [
        "'a'.repeat(1e9)",
        "'x'.padStart(1e9)",
        "Array.from({ length: 1e9 })",
        "numberList(1, 90000).map(x => numberList(1, 90000))",
        "numberList(1, 40).reduce((s, x) => s + s, 'x')",
        "numberList(1, 40).reduce((s, x) => s.replace(/x/g, 'xx'), 'x')",
        "numberList(1, 40).reduce((a, x) => a.concat(a), [1])",
        "numberList(1, 40).reduce((a, x) => [...a, ...a], [1])",
        "numberList(1, 40).reduce((a, x) => JSON.stringify([a, a]), 'x')",
        "numberList(1, 40).reduce((a, x) => `${a}${a}`, 'x')",
        "numberList(1, 40).reduce((a, x) => a.split('').join('xx'), 'xx')",
        "'x'.repeat(1e6).replace(/x/g, '$`')",
        "'x'.repeat(1e6).replaceAll('x', 'y'.repeat(1000))",
        "[...'x'.repeat(1e7)].length",
        "'x'.repeat(1e7).split('').length",
        "numberList(1, 1000).map(x => 'x'.repeat(1e5)).join('')",
        "JSON.stringify(numberList(1, 90000).map(x => numberList(1, 90)))",
    ] {
        assert!(matches!(error(source), ExprError::Memory { .. }), "{source}");
    }
    for source in [
        "numberList(1, 9000).map(a => numberList(1, 9000).map(b => a * b).length)",
        "numberList(1, 40).reduce((a, x) => [a, a], 1)",
        "numberList(1, 40).reduce((a, x) => ({ a, b: a }), 1).toJsonString()",
        "String(numberList(1, 40).reduce((a, x) => [a, a], 1))",
    ] {
        assert!(
            matches!(error(source), ExprError::Loops { .. } | ExprError::Memory { .. }),
            "{source}"
        );
    }
    check_declined("numberList(1, 90000).reduce((a, x) => [a], 1)", json!({}));
    check_declined("numberList(1, 90000).reduce((a, x) => ({ a }), 1)", json!({}));
    check_declined(
        "(() => { let a = 0; numberList(1, 90000).forEach(x => { a = [a]; }); return a; })()",
        json!({}),
    );
}

#[test]
fn issue_14_06_patterns_cost_what_they_may_take() {
    // Each would take seconds or hours here; the sandbox can be stopped at any time.
    for source in [
        "'A'.repeat(60000).match(/.*[^A-Z]|[A-Z]/g)",
        "'A'.repeat(60000).replace(/.*[^A-Z]|[A-Z]/g, '')",
        "'A'.repeat(60000).split(/.*[^A-Z]|[A-Z]/)",
        "[...'A'.repeat(60000).matchAll(/.*[^A-Z]|[A-Z]/g)].length",
        "/[ab]*a[ab]{8000}[cd]/.test('a'.repeat(36000))",
        "/[ab]*a[ab]{8000}[cd]/.exec('a'.repeat(36000))",
        "'a'.repeat(36000).search(/[ab]*a[ab]{8000}[cd]/)",
        "new RegExp('[ab]*a[ab]{8000}[cd]').test('a'.repeat(36000))",
        "'a'.repeat(36000).match(/a[ab]{800}c|a/g).length",
        "numberList(1, 1000).map(n => new RegExp('[^a]{' + n + '}').test('b')).length",
    ] {
        let began = compute::cpu_used();
        check_declined(source, json!({}));
        assert!(compute::cpu_used() - began < std::time::Duration::from_secs(3), "{source}");
    }
}

#[test]
fn issue_14_06_honest_patterns_stay_where_they_are() {
    let data = || json!({ "text": "Some words, and a name@example.com.  ".repeat(2_000), "mail": "ann@example.com" });
    check("$json.text.match(/\\w+/g).length", data(), json!(14_000));
    check("$json.text.replace(/\\s+/g, ' ').length", data(), json!(72_000));
    check("$json.text.split(/[,.]\\s*/).length", data(), json!(6_001));
    check("$json.text.match(/([\\w.+-]+)@([\\w-]+)\\.[a-z]{2,}/g).length", data(), json!(2_000));
    let (result, steps, _) = super::measured(
        "/^[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}$/i.test($json.mail)",
        &TestScope::new(data()),
    )
    .unwrap();
    assert_eq!(result, Ok(json!(true)));
    assert!(steps < 5_000, "{steps}");
}

#[test]
fn issue_14_06_searches_end_when_nobody_wants_them() {
    let allowance = compute::Allowance::new(
        std::time::Duration::from_nanos(1),
        std::time::Duration::from_secs(9),
    );
    let program =
        Program::compile("numberList(1, 90000).map(x => /b/.test($json.s)).length").unwrap();
    let scope = TestScope::new(json!({ "s": "a".repeat(600) }));
    let ended = compute::within(&allowance, || program.evaluate(&scope)).unwrap();
    assert_eq!(ended, Err(NativeFailure::Error(ExprError::Time { limit_ms: 0 })));
}

#[test]
fn issue_14_06_a_function_for_each_match_reads_the_text_once() {
    check(
        "'aéa😀a'.replace(/a/g, (found, at, text) => at + text.length)",
        json!({}),
        json!("6é8😀11"),
    );
    check("'axa'.replaceAll('a', (found, at) => found + at)", json!({}), json!("a0xa2"));
    let time = |length: usize| {
        let data = json!({ "s": "é".repeat(length) });
        let once = || {
            let began = compute::cpu_used();
            check(
                "$json.s.replace(/é/g, (found, at) => at % 10).length",
                data.clone(),
                json!(length),
            );
            (compute::cpu_used() - began).as_secs_f64()
        };
        (0..5).map(|_| once()).fold(f64::INFINITY, f64::min)
    };
    let (small, large) = (time(8_000), time(80_000));
    assert!(large < small * 30.0 + 0.02, "ten times as much took {small} and then {large} seconds");
}

#[test]
fn deep_nesting_is_left_alone() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{a:", "}"),
        ("!", ""),
        ("- ", ""),
        ("x => ", ""),
        ("`${", "}`"),
        ("1 + (", ")"),
        ("f(", ")"),
    ] {
        let source = format!("{}1{}", open.repeat(5000), close.repeat(5000));
        let _ = evaluate(&source, json!({}));
    }
    for chain in [" + 1", ".a", "[0]", "?.a", " ? 1 : 2", ", 1", " && 1", "()", " ** 1"] {
        let source = format!("$json{}", chain.repeat(5000));
        let _ = evaluate(&source, json!({}));
    }
    let _ = Program::compile(&"(".repeat(60_000));
    let _ = Program::compile(&"a=>".repeat(20_000));
    let regexp = format!("/{}a{}/.test('a')", "(".repeat(1000), ")".repeat(1000));
    check_declined(&regexp, json!({}));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_never_panics(source in "\\PC{0,60}") {
        let _ = evaluate(&source, json!({ "a": "é😀", "n": 1 }));
    }

    #[test]
    fn text_made_of_pieces_never_panics(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..14)) {
        let source: String = pieces.concat();
        if let Some(program) = Program::compile(&source) {
            let _ = program.evaluate(&TestScope::new(json!({ "a": "é😀x", "n": -3.7, "l": [1, "b", null, { "c": [] }], "d": "2024-02-29" })));
        }
    }
}

/// Parts that are likely to form an expression together.
const PIECES: &[&str] = &[
    "$json",
    ".a",
    ".n",
    ".l",
    ".d",
    "[0]",
    "[-1]",
    "?.",
    ".length",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "?",
    "+",
    "-",
    "*",
    "/",
    "%",
    "**",
    "=>",
    "x",
    "x => x",
    "1",
    "0",
    "1e9",
    "-5",
    "'é'",
    "'😀'",
    "\"b\"",
    "`t${",
    "}`",
    ".map(x => x)",
    ".slice(1, -1)",
    ".substring(-1, 9)",
    ".at(-9)",
    ".repeat(3)",
    ".split('')",
    ".join('-')",
    ".replace(/./g, '$1')",
    ".padStart(5, 'é')",
    ".toFixed(3)",
    ".toString(2)",
    "new Date(",
    "DateTime.fromISO(",
    "$now",
    ".plus({ days: 1e9 })",
    ".minus({ years: 5000 })",
    ".toFormat('yyyy LLL')",
    ".startOf('week')",
    "Math.round(",
    "JSON.stringify(",
    "Object.keys(",
    "...",
    "undefined",
    "null",
    "NaN",
    "Infinity",
    " && ",
    " ?? ",
    " in ",
    "typeof ",
    "!",
    "/a(b)?/",
    ".chunk(2)",
    ".unique()",
    ".sum()",
    ".setZone('UTC+3')",
    "$('Before')",
    ".item",
    ".json",
    ".splice(1, 2)",
    ".fill(0)",
    ".charAt(1)",
    ".codePointAt(0)",
    ".toLocaleDateString()",
    ".setMonth(99)",
    ".diff($now)",
];
