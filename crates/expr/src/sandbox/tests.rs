//! The sandbox from the outside: expressions with the values n8n gives them.

use super::{ExpressionCode, Limits, Sandbox};
use crate::Error;
use crate::testing::FakeScope;
use model::{Value, json};

fn evaluate(source: &str, scope: &FakeScope) -> Result<Value, Error> {
    Sandbox::new().session(Limits::expression()).evaluate(&ExpressionCode::new(source), scope)
}

fn check(source: &str, json: Value, expected: Value) {
    assert_eq!(evaluate(source, &FakeScope::with_json(json)), Ok(expected), "{source}");
}

#[test]
fn an_expression_reads_the_item() {
    check("$json.a + 1", json!({ "a": 1 }), json!(2));
    check("$json.text.toUpperCase()", json!({ "text": "é😀" }), json!("É😀"));
    check("({ ...$json, list: [1, 'x', null, true, 1.5] })", json!({ "a": 1 }), json!({ "a": 1, "list": [1, "x", null, true, 1.5] }));
    check("asdas", json!({}), Value::Undefined);
    check("$json.a.b.c", json!({}), Value::Undefined);
    check("Math.min(1, 2);", json!({}), json!(1));
}

#[test]
fn prototypes_are_handed_over_without_leaking() {
    let mut session = Sandbox::new().session(Limits::expression());
    let code = ExpressionCode::new("[{}, {}, {}, { a: {} }]");
    for _ in 0..10_000 {
        session.evaluate(&code, &FakeScope::default()).unwrap();
    }
}

#[test]
fn every_extension_that_is_rewritten_is_there() {
    let mut session = Sandbox::new().session(Limits::expression());
    for name in super::names::EXTENSION_NAMES {
        let code = ExpressionCode::new(format!("typeof ({{}}).__x_{name}"));
        assert_eq!(session.evaluate(&code, &FakeScope::default()), Ok(json!("function")), "{name}");
    }
}
