//! What a model does without a script: it calls the first tool it is offered, once, and then
//! answers, in the form that it was asked for.

use crate::reply::ScriptedReply;
use serde_json::{Map, Value, json};

/// The tool by which agents are made to give their answer.
const FORM_TOOL: &str = "format_final_json_response";

pub(crate) fn default_reply(body: &Value) -> ScriptedReply {
    let tools = tools(body);
    let form = tools.iter().find(|(name, _)| name == FORM_TOOL);
    match (tools.first(), form) {
        (Some((name, schema)), _) if !has_result(body) => {
            ScriptedReply::call(name, sample_for(schema))
        }
        (_, Some((name, schema))) => ScriptedReply::call(name, sample_for(schema)),
        _ => match requested_schema(body) {
            Some(schema) => ScriptedReply::text(&sample_for(&schema).to_string()),
            None => ScriptedReply::text("Hello from the mock model."),
        },
    }
}

fn tools(body: &Value) -> Vec<(String, Value)> {
    let listed = body["tools"].as_array().into_iter().flatten();
    let named = listed.flat_map(|tool| match tool["functionDeclarations"].as_array() {
        Some(declarations) => declarations.iter().collect::<Vec<_>>(),
        None => vec![if tool["function"].is_object() { &tool["function"] } else { tool }],
    });
    named.filter_map(tool).collect()
}

fn tool(function: &Value) -> Option<(String, Value)> {
    let schemas = ["parameters", "input_schema", "parametersJsonSchema"];
    let schema = schemas
        .iter()
        .map(|key| &function[*key])
        .find(|schema| schema.is_object())
        .cloned()
        .unwrap_or_default();
    Some((function["name"].as_str()?.to_owned(), schema))
}

/// Whether the conversation holds the result of a tool already.
fn has_result(body: &Value) -> bool {
    let turns =
        ["messages", "contents", "input"].iter().filter_map(|key| body[*key].as_array()).flatten();
    let holds =
        |part: &Value| part["type"] == "tool_result" || part["functionResponse"].is_object();
    turns.into_iter().any(|turn| {
        let parts =
            [&turn["content"], &turn["parts"]].into_iter().filter_map(Value::as_array).flatten();
        turn["role"] == "tool"
            || turn["type"] == "function_call_output"
            || parts.into_iter().any(holds)
    })
}

/// The schema that the answer is to fit, by the field of each format, or in the words of the
/// conversation.
fn requested_schema(body: &Value) -> Option<Value> {
    let places = [
        "/response_format/json_schema/schema",
        "/text/format/schema",
        "/output_config/format/schema",
        "/generationConfig/responseJsonSchema",
        "/format",
    ];
    let named =
        places.iter().find_map(|place| body.pointer(place)).filter(|schema| schema.is_object());
    named.cloned().or_else(|| {
        let mut words = Vec::new();
        for key in ["messages", "contents", "input", "system", "systemInstruction", "instructions"]
        {
            collect(&body[key], &mut words);
        }
        words.into_iter().find_map(in_words)
    })
}

fn collect<'b>(value: &'b Value, words: &mut Vec<&'b str>) {
    match value {
        Value::String(text) => words.push(text),
        Value::Array(values) => values.iter().for_each(|value| collect(value, words)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, words)),
        _ => {}
    }
}

/// The first JSON after the word schema that is one.
fn in_words(text: &str) -> Option<Value> {
    let after = &text[text.find("schema")?..];
    let starts = after.match_indices('{').map(|(at, _)| at);
    starts
        .filter_map(|at| {
            serde_json::Deserializer::from_str(&after[at..]).into_iter::<Value>().next()?.ok()
        })
        .find(|found| found["type"].is_string())
}

/// Something that fits a schema.
fn sample_for(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"].get(0)?.as_str());
    match kind {
        Some("number" | "integer") => {
            schema["minimum"].as_f64().map_or(json!(1), |least| json!(least))
        }
        Some("boolean") => json!(true),
        Some("array") if schema["minItems"].as_u64().unwrap_or_default() > 0 => {
            json!([sample_for(&schema["items"])])
        }
        Some("array") => json!([]),
        Some("object") => {
            let required =
                schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            Value::Object(
                required
                    .map(|name| (name.to_owned(), sample_for(&schema["properties"][name])))
                    .collect::<Map<_, _>>(),
            )
        }
        _ if schema["properties"].is_object() => sample_for(&with_type(schema)),
        _ => json!("2+2"),
    }
}

fn with_type(schema: &Value) -> Value {
    let mut schema = schema.clone();
    schema["type"] = json!("object");
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_script_the_first_tool_is_called_once() {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] });
        let bodies = [
            json!({ "tools": [{ "type": "function", "function": { "name": "t", "parameters": schema } }] }),
            json!({ "tools": [{ "name": "t", "input_schema": schema }] }),
            json!({ "tools": [{ "functionDeclarations": [{ "name": "t", "parametersJsonSchema": schema }] }] }),
        ];
        for body in bodies {
            let reply = default_reply(&body);
            assert_eq!(
                (reply.calls[0].name.as_str(), &reply.calls[0].arguments),
                ("t", &json!({ "n": 1 })),
                "{body}"
            );
        }
        for turn in [
            json!({ "messages": [{ "role": "tool", "content": "4" }] }),
            json!({ "messages": [{ "role": "user", "content": [{ "type": "tool_result" }] }] }),
            json!({ "contents": [{ "parts": [{ "functionResponse": {} }] }] }),
            json!({ "input": [{ "type": "function_call_output" }] }),
        ] {
            let mut body = turn;
            body["tools"] = json!([{ "name": "t" }]);
            assert!(default_reply(&body).calls.is_empty(), "{body}");
        }
    }

    #[test]
    fn without_a_script_the_answer_has_the_form_that_was_asked_for() {
        let schema = json!({ "type": "object", "properties": { "mood": { "enum": ["good", "bad"] }, "n": { "type": "number", "minimum": 0 } }, "required": ["mood", "n"] });
        let wanted = json!({ "mood": "good", "n": 0.0 });
        for body in [
            json!({ "response_format": { "json_schema": { "schema": schema } } }),
            json!({ "text": { "format": { "schema": schema } } }),
            json!({ "generationConfig": { "responseJsonSchema": schema } }),
            json!({ "format": schema }),
            json!({ "messages": [{ "role": "system", "content": format!("Fit this schema: {schema}") }] }),
        ] {
            assert_eq!(
                serde_json::from_str::<Value>(&default_reply(&body).text).unwrap(),
                wanted,
                "{body}"
            );
        }
        let body = json!({ "tools": [{ "name": "t" }, { "name": FORM_TOOL, "input_schema": schema }], "messages": [{ "role": "tool" }] });
        assert_eq!(default_reply(&body).calls[0].name, FORM_TOOL);
    }
}
