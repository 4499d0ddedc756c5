//! Helper functions that cases call by their names in n8n, and what does the same here.

use super::special::decode;
use expr::sandbox::{ExpressionCode, Sandbox, SandboxLimits};
use expr::testing::FakeScope;
use formats::names;
use model::workflow::{Edge, children, parents};
use model::{Kind, Object, Str, Value};
use nodes::conditions::{ConditionFilter, FilterOptions, array_contains_value};
use nodes::field_type::{
    DateContext, FieldCheck, JsonText, TypeOptions, parse_url, validate_field_type,
};
use nodes::triggers::schedule;

/// Calls a function; an unknown name is an error.
pub(crate) fn call(function: &str, arguments: &[Value]) -> Result<Value, String> {
    let arguments = FunctionArguments(arguments.iter().map(decode).collect());
    let first = arguments.get(0);
    Ok(match function {
        "executeFilter" => {
            let filter = ConditionFilter::read(first, FilterOptions::of(true, true, 1))
                .ok_or("the argument is not a filter")?;
            filter.passes(0, &DateContext::utc()).map_err(|error| error.message.to_string())?.into()
        }
        "arrayContainsValue" => array_contains_value(
            first.as_array().unwrap_or_default(),
            arguments.get(1),
            arguments.get(2).is_truthy(),
        )
        .into(),
        "validateFieldType" => validate(&arguments)?,
        "tryToParseUrl" => parse_url(&first.to_js_string())
            .ok_or_else(|| format!("The value \"{}\" is not a valid url.", first.to_js_string()))?
            .into(),
        "extractFromAICalls" => {
            let calls = expr::extract_from_ai_calls(arguments.text(0)?)
                .map_err(|error| error.to_string())?;
            Value::array(calls.iter().map(from_ai_call).collect())
        }
        "isFromAIOnlyExpression" => expr::is_from_ai_only_expression(arguments.text(0)?).into(),
        "splitExpression" => {
            Value::array(expr::split(arguments.text(0)?).iter().map(piece).collect())
        }
        "isExpression" => first.as_str().is_some_and(expr::is_expression).into(),
        "applyAccessPatterns" => {
            expr::rename_in_expression(arguments.text(0)?, arguments.text(1)?, arguments.text(2)?)
                .into()
        }
        "dollarEscape" => arguments.text(0)?.replace('$', "$$").into(),
        "backslashEscape" => escaped(arguments.text(0)?).into(),
        "hasDotNotationBannedChar" => (!expr::is_plain_name(arguments.text(0)?)).into(),
        "evaluateJmespathQuery" => {
            let scope = FakeScope::with_json(
                model::json!({ "data": first.clone(), "query": arguments.text(1)? }),
            );
            let call = ExpressionCode::new("$jmespath($json.data, $json.query)");
            Sandbox::new()
                .session(SandboxLimits::expression())
                .evaluate(&call, &scope)
                .map_err(|error| error.to_string())?
        }
        "getChildNodes" => walk(&arguments, Direction::Down)?,
        "getParentNodes" => walk(&arguments, Direction::Up)?,
        "nodeNameToToolName" => {
            let name = first
                .as_str()
                .or_else(|| first.get("name")?.as_str())
                .ok_or("the argument is neither a name nor a node")?;
            node_api::tool_name(name).into()
        }
        "toCronExpression" => {
            let spread = schedule::Spread::of("conformance");
            schedule::cron_of_trigger_time(first, &spread)
                .map_err(|error| error.to_string())?
                .into()
        }
        "isSubMinuteCron" => {
            schedule::runs_within_a_minute(arguments.text(0)?).unwrap_or(false).into()
        }
        "jsonParse" => parse_json(&arguments)?,
        "isSafeObjectProperty" => names::is_safe_property(arguments.text(0)?).into(),
        "sanitizeXmlName" => names::sanitize_xml_name(arguments.text(0)?).into(),
        "sanitizeFilename" => names::sanitize_file_name(first.as_str().unwrap_or_default()).into(),
        _ => return Err(format!("the function '{function}' does not exist here")),
    })
}

struct FunctionArguments(Vec<Value>);

impl FunctionArguments {
    fn get(&self, index: usize) -> &Value {
        self.0.get(index).unwrap_or(&Value::Undefined)
    }

    fn text(&self, index: usize) -> Result<&str, String> {
        self.get(index).as_str().ok_or_else(|| format!("argument {index} is not a string"))
    }

    /// A flag among the options that an argument holds.
    fn flag(&self, index: usize, key: &str) -> bool {
        self.get(index).get(key).is_some_and(Value::is_truthy)
    }
}

fn validate(arguments: &FunctionArguments) -> Result<Value, String> {
    let allowed =
        arguments.get(3).get("valueOptions").and_then(Value::as_array).unwrap_or_default();
    let options = TypeOptions {
        strict: arguments.flag(3, "strict"),
        parse_strings: arguments.flag(3, "parseStrings"),
        allowed: allowed.iter().filter_map(|option| option.get("value").cloned()).collect(),
    };
    Ok(
        match validate_field_type(
            arguments.text(0)?,
            arguments.get(1),
            arguments.text(2)?,
            &options,
            &DateContext::utc(),
        ) {
            FieldCheck::Valid(value) => object([("valid", true.into()), ("newValue", value)]),
            FieldCheck::Invalid(reason) => {
                object([("valid", false.into()), ("errorMessage", reason.into())])
            }
        },
    )
}

fn from_ai_call(call: &expr::FromAiCall) -> Value {
    let description = call.description.clone().map_or(Value::Undefined, Value::from);
    object([
        ("key", call.key.clone().into()),
        ("description", description),
        ("type", call.kind.name().into()),
        ("defaultValue", call.default.clone().unwrap_or_default()),
    ])
}

fn piece(piece: &expr::TemplateSegment) -> Value {
    match piece {
        expr::TemplateSegment::Text(text) => {
            object([("type", "text".into()), ("text", text.as_str().into())])
        }
        expr::TemplateSegment::Code { source, is_closed } => object([
            ("type", "code".into()),
            ("text", source.as_str().into()),
            ("hasClosingBrackets", (*is_closed).into()),
        ]),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Down,
    Up,
}

/// `(connections, node, kind = main, depth = -1)`. Going up, the connections are keyed by the node
/// that they end at.
fn walk(arguments: &FunctionArguments, direction: Direction) -> Result<Value, String> {
    let workflow = model::Workflow::from_value(&object([
        ("nodes", Value::array(Vec::new())),
        ("connections", arguments.get(0).clone()),
    ]));
    let mut edges = workflow.ok_or("the argument contains no connections")?.edges();
    if direction == Direction::Up {
        edges =
            edges.into_iter().map(|edge| Edge { from: edge.to, to: edge.from, ..edge }).collect();
    }
    let kind = match arguments.get(2).as_str() {
        None => Some(Kind::Main),
        Some("ALL") => None,
        Some("ALL_NON_MAIN") => {
            edges.retain(|edge| edge.kind != Kind::Main);
            None
        }
        // Nothing is connected by a kind that there is not.
        Some(name) => match Kind::from_name(name) {
            None => return Ok(Value::array(Vec::new())),
            kind => kind,
        },
    };
    let depth = arguments.get(3).as_usize();
    let found: Vec<Str> = match direction {
        Direction::Down => children(&edges, arguments.text(1)?, kind, depth),
        Direction::Up => parents(&edges, arguments.text(1)?, kind, depth),
    };
    Ok(Value::array(found.into_iter().map(Value::from).collect()))
}

fn parse_json(arguments: &FunctionArguments) -> Result<Value, String> {
    let reader = JsonText {
        accept_js_object: arguments.flag(1, "acceptJSObject"),
        repair: arguments.flag(1, "repairJSON"),
    };
    reader.read(arguments.text(0)?).or_else(|problem| {
        let options = arguments.get(1);
        match (options.get("fallbackValue"), options.get("errorMessage").and_then(Value::as_str)) {
            (Some(fallback), _) => Ok(fallback.clone()),
            (None, Some(message)) => Err(message.to_owned()),
            (None, None) => Err(problem),
        }
    })
}

/// A name inside a regular expression of JavaScript. We build none out of names, so there is
/// nothing to call for it.
fn escaped(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for letter in name.chars() {
        if ".*+?^${}()|[]\\".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::object(Object::from_iter(fields))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn functions_are_called_by_name_with_what_json_cannot_spell() {
        for (function, arguments, expected) in [
            ("isExpression", json!([{ "$undefined": true }]), json!(false)),
            ("backslashEscape", json!(["a.b-c"]), json!("a\\.b-c")),
            ("jsonParse", json!(["{", { "fallbackValue": 7 }]), json!(7)),
            (
                "getChildNodes",
                json!([{ "A": { "ai_tool": [[{ "node": "B", "type": "ai_tool", "index": 0 }]] } }, "A", "ALL_NON_MAIN"]),
                json!(["B"]),
            ),
            (
                "getParentNodes",
                json!([{ "B": { "main": [null, [{ "node": "A", "type": "main", "index": 0 }]] } }, "B"]),
                json!(["A"]),
            ),
            ("getParentNodes", json!([{}, "B", "no_such_type"]), json!([])),
            (
                "toCronExpression",
                json!([{ "mode": "custom", "cronExpression": " 1 * * * * " }]),
                json!("1 * * * *"),
            ),
        ] {
            assert_eq!(call(function, arguments.as_array().unwrap()), Ok(expected), "{function}");
        }
    }

    #[test]
    fn what_cannot_be_done_is_an_error() {
        assert_eq!(
            call("jsonParse", &[json!("{"), json!({ "errorMessage": "no" })]),
            Err("no".into())
        );
        assert!(call("noSuchFunction", &[]).is_err());
        assert!(call("executeFilter", &[]).is_err());
        assert!(call("tryToParseUrl", &[json!("javascript:alert(1)")]).is_err());
    }
}
