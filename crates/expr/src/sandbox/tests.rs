//! The sandbox from the outside: expressions with the values n8n gives them.

use super::{ExpressionCode, Sandbox, SandboxLimits};
use crate::ExprError;
use crate::testing::FakeScope;
use model::{Value, json};

fn evaluate(source: &str, scope: &FakeScope) -> Result<Value, ExprError> {
    Sandbox::new()
        .session(SandboxLimits::expression())
        .evaluate(&ExpressionCode::new(source), scope)
}

fn check(source: &str, json: Value, expected: Value) {
    assert_eq!(evaluate(source, &FakeScope::with_json(json)), Ok(expected), "{source}");
}

#[test]
fn an_expression_reads_the_item() {
    check("$json.a + 1", json!({ "a": 1 }), json!(2));
    check("$json.text.toUpperCase()", json!({ "text": "é😀" }), json!("É😀"));
    check(
        "({ ...$json, list: [1, 'x', null, true, 1.5] })",
        json!({ "a": 1 }),
        json!({ "a": 1, "list": [1, "x", null, true, 1.5] }),
    );
    check("asdas", json!({}), Value::Undefined);
    check("$json.a.b.c", json!({}), Value::Undefined);
    check("Math.min(1, 2);", json!({}), json!(1));
}

#[test]
fn prototypes_are_handed_over_without_leaking() {
    let mut session = Sandbox::new().session(SandboxLimits::expression());
    let code = ExpressionCode::new("[{}, {}, {}, { a: {} }]");
    for _ in 0..10_000 {
        session.evaluate(&code, &FakeScope::default()).unwrap();
    }
}

#[test]
fn every_extension_that_is_rewritten_is_there() {
    let mut session = Sandbox::new().session(SandboxLimits::expression());
    for name in super::names::EXTENSION_NAMES {
        let code = ExpressionCode::new(format!("typeof ({{}}).__x_{name}"));
        assert_eq!(session.evaluate(&code, &FakeScope::default()), Ok(json!("function")), "{name}");
    }
}

#[test]
fn names_of_the_run_are_there() {
    let scope = FakeScope::with_json(json!({ "a": 1 }))
        .with_node("Start", [json!({ "s": 7 }), json!({ "s": 8 })])
        .with_variable("$workflow", json!({ "id": "w", "name": "W" }))
        .with_variable("$pageCount", 3);
    for (source, expected) in [
        ("$('Start').item.json.s", json!(7)),
        ("$('Start').all().map(i => i.json.s)", json!([7, 8])),
        ("$('Start').last().json.s + $('Start').first().json.s", json!(15)),
        ("$('Start').isExecuted", json!(true)),
        ("$node['Start'].json.s + $node.Start.data.s", json!(14)),
        ("$items('Start').length", json!(2)),
        ("$input.item.json.a + $input.all().length", json!(2)),
        ("$itemIndex + $runIndex", json!(0)),
        ("$workflow.name + $pageCount", json!("W3")),
        ("$nothing", Value::Undefined),
        ("$now.zoneName", json!("America/New_York")),
        ("$today.toISO()", json!("2024-05-06T00:00:00.000-04:00")),
        ("$jmespath($json, 'a')", json!(1)),
        (
            "$if($json.a > 0, 'yes', 'no') + $ifEmpty('', 'x') + $min(2, 1) + $max(1, 2)",
            json!("yesx12"),
        ),
        ("$evaluateExpression('n {{ $json.a + 1 }}')", json!("n 2")),
    ] {
        assert_eq!(evaluate(source, &scope), Ok(expected), "{source}");
    }
    for source in [
        "$('Nowhere')",
        "$('Nowhere').item.json.a",
        "$node.Nowhere.json",
        "$('Start').itemMatching()",
        "$env.X",
        "$fromAI('')",
    ] {
        assert!(matches!(evaluate(source, &scope), Err(ExprError::Data { .. })), "{source}");
    }
    assert!(matches!(evaluate("1 +", &scope), Err(ExprError::Syntax { .. })));
    assert_eq!(
        evaluate("$json.a", &FakeScope::default()),
        Err(ExprError::data("Node 'node' hasn't been executed"))
    );
}

#[test]
fn dates_and_odd_numbers_cross_the_border_both_ways() {
    let scope = FakeScope::with_json(json!({}));
    let made =
        evaluate("({ js: new Date(5), luxon: $now, nan: NaN, minus: -Infinity, none: undefined, list: [undefined] })", &scope).unwrap();
    let Some(Value::Date(date)) = made.get("luxon") else { panic!("{made:?}") };
    assert_eq!(
        (date.iso.as_str(), date.kind),
        ("2024-05-06T03:08:09.010-04:00", model::DateKind::Luxon)
    );
    let again = evaluate(
        "[$json.js.getTime(), $json.luxon.toFormat('HH:mm'), $json.nan !== $json.nan, $json.minus, $json.list[0] === undefined]",
        &FakeScope::with_json(made),
    );
    assert_eq!(
        again,
        Ok(Value::array(vec![
            json!(5),
            json!("03:08"),
            json!(true),
            Value::Number(f64::NEG_INFINITY),
            json!(true)
        ]))
    );
}

#[test]
fn extensions_give_what_their_manual_says() {
    for (source, expected) in [
        ("'quick brown $FOX'.toSnakeCase()", json!("quick_brown_fox")),
        ("'quick a brown FOX'.toTitleCase()", json!("Quick a Brown FOX")),
        ("'déjà ß'.replaceSpecialChars()", json!("deja ss")),
        ("'hello'.hash('sha256').length", json!(64)),
        (
            "'# Head\\n- **bold** [link](http://x) `code`\\n---\\n2 * 3 * 4'.removeMarkdown()",
            json!("Head\nbold link code\n---\n2 * 3 * 4"),
        ),
        ("'a@b.example x'.extractEmail()", json!("a@b.example")),
        ("[5, 3].average() + [1, 2].sum()", json!(7)),
        ("[{ a: 1, b: 2 }, { a: 3 }].pluck('a')", json!([1, 3])),
        ("[1, null, '', 2].compact()", json!([1, 2])),
        ("({ a: 1 }).merge({ a: 2, b: 3 })", json!({ "a": 1, "b": 3 })),
        ("({ a: 1, b: 2 }).removeField('a').keys()", json!(["b"])),
        ("(1234.5).format('de-DE')", json!("1.234,5")),
        ("'2024-01-05'.toDateTime().plus(1, 'week').format('dd LLL')", json!("12 Jan")),
        ("'2024-01-05'.toDateTime().isBetween('2024-01-01', '2024-02-01')", json!(true)),
        ("'5'.toNumber() + '3.5 €'.toFloat()", json!(8.5)),
        ("$json.missing?.first()", Value::Undefined),
    ] {
        assert_eq!(evaluate(source, &FakeScope::with_json(json!({}))), Ok(expected), "{source}");
    }
    let failed = evaluate("$json.missing.first()", &FakeScope::with_json(json!({})));
    assert!(
        matches!(failed, Err(ExprError::Data { ref message, .. }) if message == "first can't be used on undefined value"),
        "{failed:?}"
    );
    let failed = evaluate("(5).first()", &FakeScope::with_json(json!({})));
    assert!(
        matches!(failed, Err(ExprError::Data { ref message, .. }) if message.contains("works on values of type")),
        "{failed:?}"
    );
}
