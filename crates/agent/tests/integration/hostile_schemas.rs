//! Schemas of tools that ask for endless work: they are refused, or what they would be asked about
//! is, before the work begins.

use crate::support::{CallLedger, tool_with};
use heddle_agent::{AgentError, SchemaCheck, ToolGuard};
use model::Value;
use ports::ai::ToolEffect;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Far more than any of it takes, and far less than it took.
const SOON: Duration = Duration::from_secs(60);

/// Definitions `x0` to `x…`, each made of the next.
fn chain(links: usize, link: &dyn Fn(&str) -> String, last: &str) -> Value {
    let definitions: Vec<String> = (0..links)
        .map(|at| format!(r#""x{at}":{}"#, link(&format!(r##"{{"$ref":"#/$defs/x{}"}}"##, at + 1))))
        .collect();
    read(&format!(
        r##"{{"$ref":"#/$defs/x0","$defs":{{{},"x{links}":{last}}}}}"##,
        definitions.join(",")
    ))
}

fn read(text: &str) -> Value {
    model::json::parse(text).unwrap()
}

fn nested(depth: usize) -> Value {
    read(&format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth)))
}

/// What is wrong with the value, or the schema, on a thread with no more stack than those that
/// serve.
fn problems(schema: Value, value: Value) -> Vec<String> {
    let begun = Instant::now();
    let check = move || {
        SchemaCheck::new(&schema)
            .map_or_else(|problem| vec![problem], |shape| shape.problems(&value))
    };
    let found =
        std::thread::Builder::new().stack_size(2 << 20).spawn(check).unwrap().join().unwrap();
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    found
}

#[test]
fn issue_14_00_a_schema_that_doubles_with_every_reference_is_not_followed() {
    type Link = fn(&str) -> String;
    let twice: [(&str, Link); 5] = [
        ("allOf", |next| format!(r#"{{"allOf":[{next},{next}]}}"#)),
        ("anyOf", |next| format!(r#"{{"anyOf":[{next},{next}]}}"#)),
        ("oneOf", |next| format!(r#"{{"oneOf":[{next},{next}]}}"#)),
        ("if", |next| format!(r#"{{"if":{next},"then":{next},"else":{next}}}"#)),
        ("fields", |next| {
            format!(
                r#"{{"properties":{{"a":{next}}},"patternProperties":{{"a":{next}}},"additionalProperties":{next}}}"#
            )
        }),
    ];
    for (name, link) in twice {
        let found = problems(chain(60, &link, r#"{"type":"string"}"#), nested(100));
        assert!(found[0].contains("too complex"), "{name}: {found:?}");
    }
    let recursive =
        read(r##"{"type":"object","properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}"##);
    assert!(problems(recursive, nested(100))[0].contains("too complex"));
    let mut unseen = r#"{"properties":{"a":{}},"unevaluatedProperties":false}"#.to_owned();
    for _ in 0..40 {
        unseen = format!(r#"{{"allOf":[{unseen}],"unevaluatedProperties":false}}"#);
    }
    assert!(problems(read(&unseen), nested(1))[0].contains("too complex"));
}

#[test]
fn issue_14_00_a_schema_inside_of_itself_does_not_use_up_the_stack() {
    let all = |next: &str| format!(r#"{{"allOf":[{next}]}}"#);
    let last = r##"{"type":"object","properties":{"a":{"$ref":"#"}}}"##;
    assert!(problems(chain(120, &all, last), nested(120))[0].contains("too complex"));
    let any = |next: &str| format!(r#"{{"anyOf":[{next}]}}"#);
    assert!(
        problems(chain(1600, &any, r#"{"type":"string"}"#), Value::from(1.0))[0]
            .contains("too complex")
    );
    let plain = |next: &str| next.to_owned();
    assert!(!problems(chain(4900, &plain, r#"{"type":"string"}"#), Value::from(1.0)).is_empty());
}

#[test]
fn issue_14_00_a_wide_schema_is_read_in_a_moment() {
    let (many, more) =
        (vec![r##"{"$ref":"#/$defs/x"}"##; 2400].join(","), vec!["{}"; 2400].join(","));
    let wide = read(&format!(r##"{{"allOf":[{many}],"$defs":{{"x":{{"allOf":[{more}]}}}}}}"##));
    assert!(problems(wide, Value::from(1.0))[0].contains("too complex"));
    let larger = read(&format!(r#"{{"allOf":[{}]}}"#, vec!["{}"; 6000].join(",")));
    assert!(problems(larger, Value::from(1.0))[0].contains("more than 5000 parts"));
    let patterns: Vec<String> = (0..200).map(|at| format!(r#"{{"pattern":"^{at}$"}}"#)).collect();
    assert!(
        problems(read(&format!(r#"{{"anyOf":[{}]}}"#, patterns.join(","))), Value::from("a"))[0]
            .contains("patterns")
    );
}

#[test]
fn issue_14_00_large_things_are_not_compared_again_and_again() {
    let double = |next: &str| format!(r#"{{"allOf":[{next},{next}]}}"#);
    let numbers =
        format!("[{}]", (0..50_000).map(|at| at.to_string()).collect::<Vec<_>>().join(","));
    assert!(
        problems(chain(12, &double, &format!(r#"{{"const":{numbers}}}"#)), read(&numbers))[0]
            .contains("too complex")
    );
    let required = numbers.replace('[', "[\"").replace(',', "\",\"").replace(']', "\"]");
    assert!(
        problems(chain(12, &double, &format!(r#"{{"required":{required}}}"#)), nested(1))[0]
            .contains("too complex")
    );
    let text = Value::from("a".repeat(1 << 20));
    assert!(
        problems(chain(12, &double, r#"{"pattern":"^(a|b)*$"}"#), text)[0].contains("too complex")
    );
}

/// The tools of an agent, one for each schema, are ready within a moment or refused.
fn guarded(schemas: impl IntoIterator<Item = String>) -> Result<ToolGuard, AgentError> {
    let begun = Instant::now();
    let tool = |(at, schema): (usize, String)| {
        tool_with(&format!("t{at}"), read(&schema), ToolEffect::None, &CallLedger::new(), |_| {
            Err(String::new())
        })
    };
    let guard = ToolGuard::new(schemas.into_iter().enumerate().map(tool).collect(), 1000);
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    guard
}

fn with_patterns(patterns: impl Iterator<Item = String>) -> String {
    let patterns: Vec<String> = patterns.map(|pattern| format!(r#""{pattern}":{{}}"#)).collect();
    format!(r#"{{"type":"object","patternProperties":{{{}}}}}"#, patterns.join(","))
}

#[test]
fn issue_14_02_the_patterns_of_all_tools_are_limited_together() {
    let large = (0..128)
        .map(|tool| with_patterns((0..100).map(move |at| format!("a{{30000}}{tool}_{at}"))));
    assert!(guarded(large).is_err());
    let many = (0..128)
        .map(|tool| with_patterns((0..50).map(move |at| format!("^[ab]{{20}}{tool}_{at}$"))));
    assert!(guarded(many).is_err_and(|error| error.to_string().contains("patterns")));
    let long =
        (0..128).map(|tool| with_patterns(std::iter::once(format!("{}{tool}", "a".repeat(2000)))));
    assert!(guarded(long).is_err_and(|error| error.to_string().contains("patterns")));
    let plain = (0..30).map(|tool| {
        with_patterns((0..5).map(move |at| format!("^[A-Za-z0-9_.-]{{1,64}}{tool}_{at}$")))
    });
    assert!(guarded(plain).is_ok());
}

#[test]
fn issue_14_02_a_pattern_with_many_states_is_refused() {
    for pattern in [
        "a{30000}17",
        "[a-z](?s:.){20000}$",
        "(a{200}){100}",
        r"(\\p{L}{50}){10}",
        &"a".repeat(5000),
    ] {
        let schema = read(&format!(r#"{{"pattern":"{pattern}"}}"#));
        assert!(SchemaCheck::new(&schema).is_err(), "{}", &pattern[..10]);
    }
    for pattern in [
        "^.{1,120}$",
        "^[A-Za-z0-9+/]{40}$",
        r"^[\\w.+-]+@[\\w-]+\\.[\\w.-]+$",
        r"^\\d{4}-\\d{2}-\\d{2}$",
    ] {
        let schema = read(&format!(r#"{{"pattern":"{pattern}"}}"#));
        assert_eq!(SchemaCheck::new(&schema).err(), None, "{pattern}");
    }
}

#[test]
fn issue_14_02_a_text_is_not_held_against_patterns_again_and_again() {
    let references = vec![r##"{"$ref":"#/$defs/x"}"##; 4000].join(",");
    let schema = format!(
        r##"{{"allOf":[{references}],"$defs":{{"x":{{"pattern":"[a-z][^0]{{100}}$"}}}}}}"##
    );
    assert!(problems(read(&schema), Value::from("a".repeat(10_000)))[0].contains("too complex"));
    let names: Vec<String> =
        (0..100).map(|at| format!(r#""{}{at}":1"#, "a".repeat(1000))).collect();
    let schema = with_patterns((0..90).map(|at| format!("[a-z][^b]{{50}}{at}$")));
    assert!(
        problems(read(&schema), read(&format!("{{{}}}", names.join(","))))[0]
            .contains("too complex")
    );
}

/// The only thread that serves is the one that checks.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn issue_14_02_others_are_served_while_a_value_is_checked() {
    let served = Arc::new(AtomicBool::new(false));
    let seen = served.clone();
    let checking = tokio::spawn(async move {
        let shape =
            SchemaCheck::new(&read(r#"{"type":"array","items":{"type":"integer"}}"#)).unwrap();
        let numbers = Value::array((0..5000).map(Value::from).collect());
        let begun = Instant::now();
        while !seen.load(Ordering::Relaxed) && begun.elapsed() < SOON {
            assert!(shape.problems(&numbers).is_empty());
        }
    });
    let other = tokio::spawn(async move { served.store(true, Ordering::Relaxed) });
    let begun = Instant::now();
    other.await.unwrap();
    assert!(begun.elapsed() < SOON / 2, "{:?}", begun.elapsed());
    checking.await.unwrap();
}

#[test]
fn schemas_as_people_write_them_are_checked_to_the_last_item() {
    let list = read(
        r##"{"type":"array","items":{"$ref":"#/$defs/row"},"$defs":{"row":{"type":"object","properties":{"id":{"type":"integer"},
        "tags":{"type":"array","items":{"enum":["a","b"]}},"next":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/row"}]}},"required":["id"],"additionalProperties":false}}}"##,
    );
    let rows = |last: &str| {
        let rows: Vec<String> = (0..20_000)
            .map(|at| format!(r#"{{"id":{at},"tags":["a","b"],"next":{{"id":1,"next":null}}}}"#))
            .collect();
        read(&format!("[{},{last}]", rows.join(",")))
    };
    assert_eq!(problems(list.clone(), rows(r#"{"id":1}"#)), Vec::<String>::new());
    assert_eq!(problems(list.clone(), rows(r#"{"id":"x"}"#)), ["it does not match the schema"]);
    let few = read(r#"[{"id":1},{"id":"x","tags":["c"],"more":1}]"#);
    assert_eq!(problems(list, few).len(), 3);
    let tree = read(
        r##"{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#"}}},"additionalProperties":false}"##,
    );
    let deep = read(&format!("{}{}", r#"{"children":["#.repeat(60), "]}".repeat(60)));
    assert_eq!(problems(tree, deep), Vec::<String>::new());
}
