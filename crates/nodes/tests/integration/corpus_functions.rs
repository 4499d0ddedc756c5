//! Runs the corpus' cases of single functions: conditions and field types.

use heddle_nodes::conditions::{ConditionFilter, FilterOptions, array_contains_value};
use heddle_nodes::field_type::{DateContext, FieldCheck, TypeOptions, validate_field_type};
use model::{Object, Value, json};

struct FunctionCase {
    function: String,
    args: Vec<Value>,
    expected: Value,
    error: Value,
    id: String,
}

/// The cases of a function; says so when there is no corpus to take them from.
fn cases(function: &str, known: usize) -> Vec<FunctionCase> {
    let Some(file) = testkit::corpus("expressions/functions.jsonl") else { return Vec::new() };
    let text = std::fs::read_to_string(file).unwrap();
    let cases = text.lines().map(|line| {
        let case = decode(&model::json::parse(line).unwrap());
        let field = |key: &str| case.get(key).cloned().unwrap_or_default();
        let name = |key: &str| field(key).as_str().unwrap_or_default().to_owned();
        let args = field("args").as_array().unwrap_or_default().to_vec();
        FunctionCase {
            function: name("function"),
            args,
            expected: field("expected"),
            error: field("expectedError"),
            id: name("id"),
        }
    });
    let cases: Vec<FunctionCase> = cases.filter(|case| case.function == function).collect();
    assert_eq!(cases.len(), known, "cases of {function}");
    cases
}

/// The corpus' spelling of values that JSON does not have.
fn decode(value: &Value) -> Value {
    match value {
        Value::Object(object) if object.contains_key("$undefined") => Value::Undefined,
        Value::Object(object) if object.contains_key("$number") => {
            match object.get("$number").and_then(Value::as_str) {
                Some("Infinity") => Value::Number(f64::INFINITY),
                Some("-Infinity") => Value::Number(f64::NEG_INFINITY),
                _ => Value::Number(f64::NAN),
            }
        }
        Value::Object(object) => Value::object(
            object.iter().map(|(key, value)| (key.clone(), decode(value))).collect::<Object>(),
        ),
        Value::Array(values) => Value::array(values.iter().map(decode).collect()),
        other => other.clone(),
    }
}

#[test]
fn conditions_decide_as_in_the_corpus() {
    for case in cases("executeFilter", 144) {
        let filter =
            ConditionFilter::read(&case.args[0], FilterOptions::of(true, true, 1)).unwrap();
        match filter.passes(0, &DateContext::utc()) {
            Ok(passes) => assert_eq!(json!(passes), case.expected, "{}", case.id),
            Err(error) => assert!(
                error.message.contains(case.error.as_str().unwrap_or("no error")),
                "{}: {error}",
                case.id
            ),
        }
    }
}

#[test]
fn arrays_are_searched_as_in_the_corpus() {
    for case in cases("arrayContainsValue", 7) {
        let found = array_contains_value(
            case.args[0].as_array().unwrap(),
            &case.args[1],
            case.args[2].is_truthy(),
        );
        assert_eq!(json!(found), case.expected, "{}", case.id);
    }
}

#[test]
fn field_types_are_checked_as_in_the_corpus() {
    for case in cases("validateFieldType", 30) {
        let given = case.args.get(3).cloned().unwrap_or_default();
        let flag = |key: &str| given.get(key).is_some_and(Value::is_truthy);
        let allowed = given.get("valueOptions").and_then(Value::as_array).unwrap_or_default();
        let allowed = allowed.iter().filter_map(|option| option.get("value").cloned()).collect();
        let options =
            TypeOptions { strict: flag("strict"), parse_strings: flag("parseStrings"), allowed };
        let (name, wanted) = (case.args[0].as_str().unwrap(), case.args[2].as_str().unwrap());
        let found =
            match validate_field_type(name, &case.args[1], wanted, &options, &DateContext::utc()) {
                FieldCheck::Valid(value) => {
                    Value::object(Object::from_iter([("valid", json!(true)), ("newValue", value)]))
                }
                FieldCheck::Invalid(reason) => json!({ "valid": false, "errorMessage": reason }),
            };
        assert_eq!(found, case.expected, "{}", case.id);
    }
}
