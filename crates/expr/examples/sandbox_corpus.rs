//! Sends the corpus' expressions that need nothing but items through the sandbox and prints how
//! many agree.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use heddle_expr::ExprError;
use heddle_expr::sandbox::{ExpressionCode, Sandbox, SandboxLimits, Thrown};
use heddle_expr::testing::FakeScope;
use model::{Item, Value, json};

fn main() {
    let path = std::env::args().nth(1).expect("the path of expressions.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let folder = std::path::Path::new(&path).parent().unwrap().to_owned();
    let (mut passed, mut total) = (0, 0);
    for line in text.lines() {
        let case = model::json::parse(line).unwrap();
        if case.get("fixture").is_some()
            || case.get("runData").is_some()
            || case.get("workflow").is_some()
        {
            continue;
        }
        let Some(expression) = case.get("expression").and_then(Value::as_str) else { continue };
        total += 1;
        let mut scope = FakeScope::default();
        for item in case.get("items").and_then(Value::as_array).unwrap_or_default() {
            scope.items.push(Item::from_value(item));
        }
        scope.item_index = case.get("itemIndex").and_then(Value::as_usize).unwrap_or(0);
        if let Some(context) = case.get("context").and_then(Value::as_str) {
            wild_context(&mut scope, &folder, context, &case);
        }
        let mut thrown = Thrown::BecomesUndefined;
        if let Some(globals) = case.get("globals").and_then(Value::as_object) {
            thrown = Thrown::IsReported;
            for (name, value) in globals.iter() {
                scope.variables.insert(name.clone(), value.clone());
            }
        }
        let result = evaluate(expression, &scope, thrown);
        let good = match (case.get("expectedError"), &result) {
            (Some(Value::Bool(true)), Err(_)) => true,
            (Some(Value::String(part)), Err(error)) => error.to_string().contains(part.as_str()),
            (Some(Value::Object(regex)), Err(error)) => {
                let pattern = regex.get("$regex").and_then(Value::as_str).unwrap_or_default();
                regex_matches(pattern, &error.to_string())
            }
            (Some(_), _) => false,
            (None, Err(_)) => false,
            (None, Ok(value)) => matches(value, case.get("expected").unwrap_or(&Value::Undefined)),
        };
        if good {
            passed += 1;
        } else {
            println!(
                "{expression}\n   expected {:?}{:?}\n   got      {result:?}",
                case.get("expected"),
                case.get("expectedError")
            );
        }
    }
    println!("{passed} of {total}");
}

/// Every pinned node counts as run; the input is the named one.
fn wild_context(scope: &mut FakeScope, folder: &std::path::Path, context: &str, case: &Value) {
    let text =
        std::fs::read_to_string(folder.join("wild_contexts").join(format!("{context}.json")))
            .unwrap();
    let context = model::json::parse(&text).unwrap();
    for node in context.get("nodes").and_then(Value::as_array).unwrap_or_default() {
        scope
            .nodes
            .insert(node.get("name").and_then(Value::as_str).unwrap_or_default().into(), None);
    }
    for (name, items) in context.get("pinData").and_then(Value::as_object).unwrap().iter() {
        scope.nodes.insert(
            name.clone(),
            Some(items.as_array().unwrap().iter().map(Item::from_value).collect()),
        );
    }
    let input = case.get("input").and_then(Value::as_str).unwrap_or_default();
    scope.items = scope.nodes.get(input).cloned().flatten().unwrap_or_default();
    if let Some(now) = case.get("now").and_then(Value::as_str) {
        scope.now_ms = now.parse::<jiff::Timestamp>().unwrap().as_millisecond();
    }
}

fn evaluate(expression: &str, scope: &FakeScope, thrown: Thrown) -> Result<Value, ExprError> {
    let Some(template) = expression.strip_prefix('=') else { return Ok(Value::from(expression)) };
    let mut session = Sandbox::new().session(SandboxLimits::expression());
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let (code, behind) = after.split_once("}}").unwrap();
        // A brace that closes an object literal belongs to the code.
        let extra = behind.len() - behind.trim_start_matches('}').len();
        let code = format!("{code}{}", "}".repeat(extra));
        parts.push((
            before.to_owned(),
            session.evaluate(&ExpressionCode { source: code.into(), thrown }, scope)?,
        ));
        rest = &behind[extra..];
    }
    if let [(before, value)] = parts.as_slice()
        && before.is_empty()
        && rest.is_empty()
    {
        return Ok(value.clone());
    }
    Ok(Value::from(
        parts
            .iter()
            .map(|(before, value)| format!("{before}{}", as_text(value)))
            .collect::<String>()
            + rest,
    ))
}

fn as_text(value: &Value) -> String {
    match value {
        Value::Undefined | Value::Null => String::new(),
        Value::Object(_) => format!("[Object: {}]", model::json::to_string(value)),
        Value::Array(_) => format!("[Array: {}]", model::json::to_string(value)),
        other => other.to_js_string().to_string(),
    }
}

fn matches(value: &Value, expected: &Value) -> bool {
    if let Some(object) = expected.as_object() {
        if object.get("$undefined").is_some() {
            return value.is_undefined();
        }
        if let Some(text) = object.get("$number").and_then(Value::as_str) {
            return value.as_f64().is_some_and(|number| model::number_to_string(number) == text);
        }
        if let Some(text) = object.get("$date").and_then(Value::as_str) {
            return matches!(value, Value::Date(date) if date.iso == text);
        }
        if let Some(pattern) = object.get("$regex").and_then(Value::as_str) {
            return regex_matches(pattern, &value.to_js_string());
        }
        if let Some(all) = object.get("$arrayContaining").and_then(Value::as_array) {
            return all.iter().all(|wanted| {
                value.as_array().unwrap_or_default().iter().any(|found| matches(found, wanted))
            });
        }
        return value.as_object().is_some_and(|found| {
            object
                .iter()
                .all(|(key, wanted)| matches(found.get(key).unwrap_or(&Value::Undefined), wanted))
                && found.iter().all(|(key, field)| field.is_undefined() || object.contains_key(key))
        });
    }
    if let (Some(found), Some(wanted)) = (value.as_array(), expected.as_array()) {
        return found.len() == wanted.len()
            && found.iter().zip(wanted).all(|(found, wanted)| matches(found, wanted));
    }
    let value =
        if let Value::Date(date) = value { json!(date.iso.as_str()) } else { value.clone() };
    value == *expected
}

fn regex_matches(pattern: &str, text: &str) -> bool {
    regex::Regex::new(pattern).is_ok_and(|regex| regex.is_match(text))
}
