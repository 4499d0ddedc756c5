//! The corpus' cases for the pure functions on expression texts.

use heddle_expr::{
    FromAiCall, TemplateSegment, extract_from_ai_calls, is_expression, is_from_ai_only_expression,
    rename_in_expression, split,
};
use model::{Object, Value, json};

#[test]
fn functions_on_expression_texts_answer_as_n8n_does() {
    let Some(file) = testkit::corpus("expressions/functions.jsonl") else { return };
    let text = std::fs::read_to_string(file).unwrap();
    let (mut passed, mut wrong) = (0, Vec::new());
    for line in text.lines() {
        let case = json::parse(line).unwrap();
        let Some(answer) = answer(&case) else { continue };
        let expects_error = case.get("expectedError").is_some();
        let is_right = match &answer {
            Ok(value) => !expects_error && *value == *case.get("expected").unwrap(),
            Err(_) => expects_error,
        };
        if is_right { passed += 1 } else { wrong.push(format!("{line}\n  got {answer:?}")) }
    }
    println!("functions: {passed} right, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(passed >= 50, "only {passed} cases were found");
}

/// What our function gives; `None` for functions that live elsewhere.
fn answer(case: &Value) -> Option<Result<Value, heddle_expr::ExprError>> {
    let args = case.get("args")?.as_array()?;
    let text = |at: usize| args.get(at).and_then(Value::as_str).unwrap_or_default();
    Some(Ok(match case.get("function")?.as_str()? {
        "splitExpression" => Value::array(split(text(0)).into_iter().map(piece).collect()),
        "isExpression" => args.first()?.as_str().is_some_and(is_expression).into(),
        "applyAccessPatterns" => rename_in_expression(text(0), text(1), text(2)).into(),
        "isFromAIOnlyExpression" => is_from_ai_only_expression(text(0)).into(),
        "extractFromAICalls" => match extract_from_ai_calls(text(0)) {
            Ok(calls) => Value::array(calls.into_iter().map(call).collect()),
            Err(error) => return Some(Err(error)),
        },
        _ => return None,
    }))
}

fn piece(piece: TemplateSegment) -> Value {
    let mut object = Object::new();
    match piece {
        TemplateSegment::Text(text) => {
            object.insert("type", "text");
            object.insert("text", text);
        }
        TemplateSegment::Code { source, is_closed } => {
            object.insert("type", "code");
            object.insert("text", source);
            object.insert("hasClosingBrackets", is_closed);
        }
    }
    object.into()
}

fn call(call: FromAiCall) -> Value {
    let mut object = Object::new();
    object.insert("key", call.key);
    object.insert("description", call.description);
    object.insert("type", call.kind.name());
    object.insert("defaultValue", call.default);
    object.into()
}
