//! What the native evaluator allocates is charged: every method and function is called with large
//! arguments, and what is in use at most while it runs is compared with what it has paid for. The
//! allocator is that of the whole binary, but counts for each thread, so other tests do not matter.

#![expect(unsafe_code, reason = "counting what is allocated needs an allocator")]

use heddle_expr::native::{NativeFailure, measured, method_names};
use heddle_expr::testing::FakeScope;
use heddle_expr::{ExprError, Template};
use model::{Object, Value, json};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static IN_USE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

/// The system's allocator with a count for each thread.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn count(bytes: isize) {
    let now = IN_USE.get() + bytes;
    IN_USE.set(now);
    PEAK.set(PEAK.get().max(now));
}

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// What growing lists and texts have to spare, or have twice for a moment.
const SPARE: usize = 3;
/// What does not grow with the arguments, and what a compiled pattern takes.
const FIXED_BYTES: usize = 64 << 10;
const PATTERN_BYTES: usize = 512 << 10;

/// What one evaluation may take.
const LIMIT_BYTES: usize = 128 << 20;

const SIZE: usize = 150_000;
const PARTS: usize = 10_000;

fn scope() -> FakeScope {
    let mut data = Object::new();
    for (name, text) in [
        ("plain", "a"),
        ("slashes", "\\"),
        ("quotes", "\""),
        ("wide", "ΐ"),
        ("points", "."),
        ("tags", "<"),
        ("control", "\u{1}"),
    ] {
        data.insert(name, text.repeat(SIZE / text.len()));
    }
    data.insert("words", "some words, ".repeat(SIZE / 12));
    data.insert("digits", "12345".repeat(SIZE / 5));
    data.insert("base64", "YWJj".repeat(SIZE / 4));
    data.insert("escapes", "%41".repeat(SIZE / 3));
    data.insert("numbers", Value::array((0..PARTS).map(Value::from).collect()));
    data.insert(
        "texts",
        Value::array(
            (0..PARTS).map(|at| Value::from(format!("a text that is not short {at}"))).collect(),
        ),
    );
    data.insert("lists", Value::array((0..PARTS).map(|at| json!([at, "x"])).collect()));
    data.insert(
        "objects",
        Value::array(
            (0..PARTS)
                .map(|at| json!({ "a": at, "k": format!("{at}"), "v": "some longer text" }))
                .collect(),
        ),
    );
    data.insert(
        "fields",
        (0..PARTS)
            .map(|at| (format!("a longer name {at}"), Value::from("some text & more")))
            .collect::<Object>(),
    );
    data.insert("date", "2024-05-06");
    let mut scope = FakeScope::with_json(Value::object(data))
        .with_node("Start", (0..PARTS).map(|at| json!({ "a": at })));
    scope.items.extend((0..PARTS).map(|at| model::Item::new(json!({ "a": at }))));
    scope
}

const RECEIVERS: [&str; 17] = [
    "$json.plain",
    "$json.slashes",
    "$json.quotes",
    "$json.wide",
    "$json.points",
    "$json.tags",
    "$json.control",
    "$json.words",
    "$json.digits",
    "$json.base64",
    "$json.escapes",
    "$json.numbers",
    "$json.texts",
    "$json.lists",
    "$json.objects",
    "$json.fields",
    "$json.date.toDateTime()",
];

const ARGUMENTS: [&str; 21] = [
    "",
    "1",
    "0, 100000",
    "'a'",
    "'\\''",
    "'a', 'v'",
    "'k', 'v'",
    "'base64'",
    "$json.plain",
    "$json.plain, $json.plain",
    "$json.numbers",
    "$json.numbers, $json.numbers, $json.numbers",
    "400000, 'ab'",
    "/a/g",
    "/(.)(.)/g",
    "/[a-z]+/g, '<$&>'",
    "/./g, x => x + x",
    "x => x",
    "(a, b) => 1",
    "(a, x) => [a, x], 0",
    "x => [x, x, x]",
];

/// Functions that are not methods.
const FUNCTIONS: [&str; 24] = [
    "encodeURIComponent($json.wide)",
    "encodeURI($json.wide)",
    "decodeURIComponent($json.escapes)",
    "decodeURI($json.escapes)",
    "String($json.texts)",
    "zip($json.texts, $json.texts)",
    "numberList(1, 50000)",
    "$items()",
    "$items('Start')",
    "$input.all()",
    "$('Start').all()",
    "Object.keys($json.fields)",
    "Object.values($json.fields)",
    "Object.entries($json.fields)",
    "Object.entries($json.numbers)",
    "Object.fromEntries($json.lists)",
    "Object.assign({}, $json.fields, $json.fields)",
    "Array.from($json.texts, x => x)",
    "Array.from({ length: 50000 })",
    "Array.of(...$json.texts)",
    "[...new Set($json.texts)]",
    "[...$json.plain]",
    "(([first, ...rest]) => rest)($json.numbers)",
    "(({ first, ...rest }) => rest)($json.fields)",
];

/// And forms that are no calls.
const FORMS: [&str; 15] = [
    "$json.plain + $json.plain",
    "`${$json.plain}${$json.texts}`",
    "[...$json.numbers, ...$json.numbers, ...$json.numbers]",
    "({ ...$json.fields, ...$json.fields })",
    "[$json.plain, $json.plain].join($json.plain)",
    "String($json.lists) + $json.lists",
    "$json.numbers.flatMap(x => $json.date.split(''))",
    "$now.toFormat($json.words)",
    "numberList(1, 5000).map(x => `a text that is longer than others, and longer still, for each of them ${x}`)",
    "numberList(1, 5000).map(x => $prevNode)",
    "numberList(1, 5000).map(x => $input.item)",
    "numberList(1, 5000).map(x => $now)",
    "numberList(1, 5000).map(x => $workflow)",
    "numberList(1, 5000).map(x => x / 7).map(String)",
    "numberList(1, 5000).map(x => ({ x, y: [x] }))",
];

#[test]
fn issue_14_09_what_native_methods_make_is_charged() {
    let scope = scope();
    let methods: Vec<&str> = method_names().collect();
    // Zones are read when they are first asked for.
    let _ = measured("$json.date.toDateTime().toISO()", &scope);
    let mut taken = 0;
    let mut unpaid = Vec::new();
    let mut check = |source: &str| {
        let before = IN_USE.get();
        PEAK.set(before);
        let Some((result, _, bytes)) = measured(source, &scope) else { return };
        let used = (PEAK.get() - before).max(0) as usize;
        taken += usize::from(!matches!(result, Err(NativeFailure::Declined)));
        // What was refused is not made.
        let fixed = if source.contains('/') { PATTERN_BYTES } else { FIXED_BYTES };
        if used > bytes.min(LIMIT_BYTES) * SPARE + fixed {
            unpaid.push(format!("{source}: {used} bytes in use, {bytes} charged"));
        }
    };
    for receiver in RECEIVERS {
        for method in &methods {
            for arguments in ARGUMENTS {
                check(&format!("{receiver}.{method}({arguments})"));
            }
        }
    }
    FUNCTIONS.into_iter().chain(FORMS).for_each(&mut check);
    assert!(unpaid.is_empty(), "{}", unpaid.join("\n"));
    assert!(taken > 1_000, "only {taken} calls were taken");
}

#[test]
fn issue_14_09_a_chain_of_calls_ends_at_the_limit() {
    let scope = scope();
    for (receiver, call, times) in [
        ("$json.slashes", ".quote()", 14),
        ("$json.numbers", ".chunk(1)", 200),
        ("$json.wide", ".urlEncode()", 12),
        ("$json.control", ".toJsonString()", 40),
        ("$json.numbers", ".map(x => [x, x])", 200),
    ] {
        let before = IN_USE.get();
        PEAK.set(before);
        let source = format!("{receiver}{}", call.repeat(times.min(60)));
        let result = measured(&source, &scope).map(|(result, ..)| result);
        let used = (PEAK.get() - before) as usize;
        assert!(used < 2 * LIMIT_BYTES, "{call}: {used}");
        assert!(
            matches!(result, Some(Err(NativeFailure::Error(ExprError::Memory { .. })) | Ok(_))),
            "{call}: {result:?}"
        );
    }
}

#[test]
fn issue_14_09_patterns_are_compiled_when_they_are_used_and_within_limits() {
    let scope = FakeScope::with_json(json!({}));
    let many = (0..3_000)
        .map(|number| format!("/[ab]{{18{number:03}}}/.test('a')"))
        .collect::<Vec<_>>()
        .join("||");
    for text in [
        format!("={{{{ {many} }}}}"),
        format!("={}", "{{ /[ab]{18000}/.test('a') }}".repeat(2_000)),
    ] {
        let before = IN_USE.get();
        PEAK.set(before);
        let template = Template::parse(&text);
        let read = (PEAK.get() - before) as usize;
        assert!(read < 40 * text.len(), "{read} bytes for a text of {}", text.len());
        // The sandbox goes on where the steps for it are used up.
        let _ = template.evaluate_with(&scope, |_| Ok(Value::Null));
        let used = (PEAK.get() - before) as usize;
        assert!(used < 128 << 20, "{used} bytes");
    }
}
