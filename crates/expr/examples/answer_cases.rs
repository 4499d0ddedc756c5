//! Answers the generated cases that need nothing but items: `answer_cases FILE [sandbox]`. See `tests/oracle/README.md`.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use heddle_expr::testing::FakeScope;
use heddle_expr::{EvalRoute, Evaluator, Template};
use model::{DateKind, Item, Object, Value, json};

fn main() {
    let file = std::env::args().nth(1).expect("the path of the cases");
    let route = match std::env::args().nth(2).as_deref() {
        Some("sandbox") => EvalRoute::Sandbox,
        _ => EvalRoute::Auto,
    };
    for line in std::fs::read_to_string(&file).unwrap().lines() {
        let case = json::parse(line).unwrap();
        if case.get("workflow").is_some() || case.get("function").is_some() {
            continue;
        }
        let expression = case.get("expression").and_then(Value::as_str).unwrap_or_default();
        let mut answer = Object::from_iter([("id", case.get("id").cloned().unwrap_or_default())]);
        match Evaluator::new(route).evaluate(&Template::parse(expression), &scope(&case)) {
            Ok(value) => answer.insert("value", encode(&value)),
            Err(error) => answer.insert("error", error.to_string()),
        };
        println!("{}", json::to_string(&answer.into()));
    }
}

fn scope(case: &Value) -> FakeScope {
    let items = case.get("items").and_then(Value::as_array).unwrap_or_default();
    let now = case.get("now").and_then(Value::as_str).unwrap_or("2026-01-15T12:34:56.789Z");
    FakeScope {
        items: items.iter().map(Item::from_value).collect(),
        now_ms: now.parse::<jiff::Timestamp>().unwrap().as_millisecond(),
        ..FakeScope::default()
    }
}

/// As the corpus spells values that JSON has no word for.
fn encode(value: &Value) -> Value {
    let tagged = |key: &str, value: Value| Value::from(Object::from_iter([(key, value)]));
    match value {
        Value::Undefined => tagged("$undefined", true.into()),
        Value::Number(number) if !number.is_finite() => {
            tagged("$number", model::number_to_string(*number).into())
        }
        Value::Date(date) if date.kind == DateKind::Js => tagged("$date", date.iso.clone().into()),
        Value::Date(date) => date.iso.clone().into(),
        Value::Array(values) => Value::array(values.iter().map(encode).collect()),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, field)| (key.clone(), encode(field)))
            .collect::<Object>()
            .into(),
        other => other.clone(),
    }
}
