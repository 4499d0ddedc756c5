//! Cases that once differed from n8n; see `tests/oracle/README.md` for how they were found.

use heddle_expr::testing::FakeScope;
use heddle_expr::{EvalRoute, Evaluator, Template};
use model::{Item, Object, Value, json};

#[test]
fn cases_that_differed_are_answered_as_n8n_does() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle/cases.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    let cases: Vec<Value> = text.lines().map(|line| json::parse(line).unwrap()).collect();
    assert!(cases.len() > 100, "only {} cases were found", cases.len());
    let mut wrong = Vec::new();
    for route in [EvalRoute::Auto, EvalRoute::Sandbox] {
        for case in &cases {
            let expression = case.get("expression").and_then(Value::as_str).unwrap_or_default();
            let found = Evaluator::new(route).evaluate(&Template::parse(expression), &scope(case));
            let is_right = match (&found, case.get("expectedError")) {
                (Err(_), Some(_)) => true,
                (Ok(found), None) => {
                    agrees(case.get("expected").unwrap_or(&Value::Undefined), found)
                }
                _ => false,
            };
            if !is_right {
                wrong.push(format!(
                    "{expression}\n  {route:?} gives {found:?}\n  n8n gives {:?}",
                    case.get("expected").or(case.get("expectedError"))
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
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

/// By the rules of the corpus: what is missing and what is undefined are the same.
fn agrees(expected: &Value, found: &Value) -> bool {
    let is_nothing = |value: &Value| value.is_nullish() || value.get("$undefined").is_some();
    if let Some(name) = expected.get("$number").and_then(Value::as_str) {
        return found.as_f64().is_some_and(|number| model::number_to_string(number) == name);
    }
    if let Some(iso) = expected.get("$date") {
        return matches!(found, Value::Date(date) if Some(date.iso.as_str()) == iso.as_str());
    }
    if expected.get("$opaque").is_some() {
        return true;
    }
    if is_nothing(expected) || expected.get("$invalid").is_some() {
        return found.is_nullish();
    }
    match (expected, found) {
        (Value::String(text), Value::Date(date)) => date.iso == *text,
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len()
                && expected
                    .iter()
                    .zip(found.iter())
                    .all(|(expected, found)| agrees(expected, found))
        }
        (Value::Object(expected), Value::Object(found)) => {
            let field = |object: &Object, key: &str| object.get(key).cloned().unwrap_or_default();
            let mut keys = expected.keys().chain(found.keys());
            keys.all(|key| agrees(&field(expected, key), &field(found, key)))
        }
        _ => expected == found,
    }
}
