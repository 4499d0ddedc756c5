//! `heddle expr`: evaluates one expression, or a file of cases.

use super::read_text;
use crate::cli;
use crate::conformance::{context, special};
use crate::settings::Settings;
use crate::terminal::{eprint_line, print_line};
use anyhow::{Context as _, Result};
use model::{Object, Value};
use std::process::ExitCode;

pub(super) fn run(arguments: &cli::ExprArgs) -> Result<ExitCode> {
    let settings = Settings::load()?;
    if let Some(file) = &arguments.cases {
        return cases(file, arguments.evaluator);
    }
    let expression = arguments.expression.as_deref().unwrap_or_default();
    let expression =
        if expression.starts_with('=') { expression.to_owned() } else { format!("={expression}") };
    let data = match &arguments.json {
        Some(text) => model::json::parse(text).context("--json is not JSON")?,
        None => Value::empty_object(),
    };
    let items: Vec<Value> = match &data {
        Value::Array(elements) => elements.to_vec(),
        single => vec![single.clone()],
    };
    let items = items.into_iter().map(|json| Object::from_iter([("json", json)]).into()).collect();
    let case = Object::from_iter([
        ("expression", Value::from(expression)),
        ("items", Value::array(items)),
    ]);
    let instance =
        context::Instance { timezone: settings.timezone, ..context::Instance::default() };
    match context::evaluate(&case, None, &instance, arguments.evaluator) {
        Ok(value) => {
            print_line(&match value {
                Value::String(text) => text.to_string(),
                Value::Undefined => "undefined".to_owned(),
                Value::Number(number) => model::number_to_string(number),
                other => model::json::to_pretty_string(&other, &Default::default()),
            });
            Ok(ExitCode::SUCCESS)
        }
        Err(error) => {
            eprint_line(&format!("failed: {error} [{}]", error.code()));
            if let expr::ExprError::Syntax { detail } = &error {
                eprint_line(&format!("  {detail}"));
            }
            Ok(ExitCode::from(1))
        }
    }
}

/// One line out per line in: `{"id", "value"}` or `{"id", "error"}`.
fn cases(file: &std::path::Path, evaluator: cli::EvaluatorChoice) -> Result<ExitCode> {
    let folder = file.parent();
    let instance = context::Instance::corpus();
    for (number, line) in
        read_text(file)?.lines().enumerate().filter(|(_, line)| !line.trim().is_empty())
    {
        let case = model::json::parse(line)
            .with_context(|| format!("line {} of {} is not JSON", number + 1, file.display()))?;
        let case = case.as_object().with_context(|| {
            format!("line {} of {} is not an object", number + 1, file.display())
        })?;
        let mut result = Object::from_iter([("id", case.get("id").cloned().unwrap_or_default())]);
        let evaluated = match case.get("function").and_then(Value::as_str) {
            Some(function) => crate::conformance::functions::call(
                function,
                case.get("args").and_then(Value::as_array).unwrap_or_default(),
            ),
            None => context::evaluate(case, folder, &instance, evaluator)
                .map_err(|error| error.to_string()),
        };
        match evaluated {
            Ok(value) => result.insert("value", special::encode(&value)),
            Err(message) => result.insert("error", message),
        };
        print_line(&model::json::to_string(&result.into()));
    }
    Ok(ExitCode::SUCCESS)
}
