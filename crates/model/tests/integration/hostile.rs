//! The reader of imports: absurd documents cost in proportion to their size, or are refused.

use heddle_model::{Value, Workflow, WorkflowError};

#[test]
fn a_hundred_thousand_levels_are_refused_and_not_followed() {
    for text in [
        "[".repeat(100_000),
        "{\"a\":".repeat(100_000),
        format!("{{\"nodes\":{}", "[{\"parameters\":".repeat(50_000)),
    ] {
        let error = Workflow::parse(&text).unwrap_err();
        assert!(
            matches!(error, WorkflowError::Json(_))
                && error.to_string().contains("nested too deep"),
            "{error}"
        );
    }
}

#[test]
fn what_is_no_object_is_refused() {
    for text in ["", "null", "[]", "\"x\"", "1", "{", "{\"a\":1}x", "\u{0}"] {
        assert!(Workflow::parse(text).is_err(), "{text:?}");
    }
}

/// Each document is made of ten times the other; the bytes that the reader holds for it may grow
/// twentyfold at most.
#[test]
fn ten_times_the_text_is_at_most_twenty_times_the_work() {
    type Make = fn(usize) -> String;
    let documents: &[(&str, Make)] = &[
        ("one long text", |n| format!("{{\"a\":\"{}\"}}", "x".repeat(n))),
        ("one text of escapes", |n| format!("{{\"a\":\"{}\"}}", "\\u00e9".repeat(n / 6))),
        ("a long key above many numbers", |n| {
            format!("{{\"{}\":[{}1.0]}}", "k".repeat(n / 2), "1.0,".repeat(n / 8))
        }),
        ("many keys", |n| {
            format!(
                "{{{}\"z\":1}}",
                (0..n / 16).map(|at| format!("\"key{at}\":{at},")).collect::<String>()
            )
        }),
        ("the same key many times", |n| format!("{{{}\"a\":1}}", "\"a\":[1],".repeat(n / 8))),
        ("many empty lists", |n| format!("{{\"nodes\":[{}[]]}}", "[],".repeat(n / 3))),
    ];
    for (what, make) in documents {
        let measure = |size: usize| {
            let text = make(size);
            let workflow = Workflow::parse(&text).unwrap();
            let written = workflow.to_text();
            assert_eq!(Workflow::parse(&written).unwrap().to_text(), written, "{what}");
            workflow.to_value().estimated_bytes() + written.len()
        };
        let (small, large) = (measure(20_000), measure(200_000));
        assert!(large <= 20 * small, "{what}: {large} against {small}");
    }
}

#[test]
fn a_hundred_megabytes_are_read() {
    let text = format!("{{\"nodes\":[],\"blob\":\"{}\"}}", "x".repeat(100 << 20));
    let workflow = Workflow::parse(&text).unwrap();
    assert_eq!(workflow.doc().get("blob").and_then(Value::as_str).map(str::len), Some(100 << 20));
}

#[test]
fn a_long_name_is_shared_by_the_connections_that_use_it() {
    let name = "n".repeat(1_000_000);
    let targets = "{\"node\":\"B\"},".repeat(10_000);
    let text =
        format!("{{\"connections\":{{\"{name}\":{{\"main\":[[{targets}{{\"node\":\"B\"}}]]}}}}}}");
    let edges = Workflow::parse(&text).unwrap().edges();
    assert_eq!(edges.len(), 10_001);
    let first = edges[0].from.as_ptr();
    // Copied for each connection the names would be 10 GB.
    assert!(edges.iter().all(|edge| edge.from.as_ptr() == first));
}
