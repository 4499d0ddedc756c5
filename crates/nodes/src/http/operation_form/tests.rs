//! Documents become parameters of the node.

use super::*;
use formats::openapi::{KnownValues, read};

fn form_of(operation: Value, known: Value, source: ValueSource) -> Value {
    form_at("/things/{thing-id}", "post", "https://api.example.com/v1", operation, known, source)
}

fn form_at(
    path: &str,
    method: &str,
    server: &str,
    operation: Value,
    known: Value,
    source: ValueSource,
) -> Value {
    let mut item = Object::new();
    item.insert(method, operation);
    let mut paths = Object::new();
    paths.insert(path, Value::object(item));
    let document = json!({
        "openapi": "3.1.0",
        "servers": [{ "url": (server) }],
        "paths": (Value::object(paths)),
        "components": { "securitySchemes": {
            "key": { "type": "apiKey", "in": "query", "name": "key" },
            "login": { "type": "http", "scheme": "basic" },
            "token": { "type": "http", "scheme": "bearer" }
        } }
    });
    let document = read(&model::json::to_string(&document)).unwrap();
    let operation = document.operation(&document.operations[0].id).unwrap();
    let known = KnownValues::new(known.as_object().unwrap());
    let call = Call::of(&document, &operation, &known, None);
    let credentials = crate::credentials::registry();
    Value::object(http_request_parameters(&call, &credentials, None, source))
}

fn body(schema: Value) -> Value {
    json!({ "requestBody": { "content": { "application/json": { "schema": (schema) } } } })
}

#[test]
fn an_open_value_comes_from_the_item_and_stays_in_its_segment() {
    let form = form_of(json!({}), json!({}), ValueSource::Item);
    assert_eq!(
        form,
        json!({
            "method": "POST",
            "url": "=https://api.example.com/v1/things/{{ encodeURIComponent($json[\"thing-id\"]) }}"
        })
    );
}

#[test]
fn what_the_node_knew_is_kept() {
    let known = json!({ "thingId": "={{ $json.id }}", "name": "=Dear {{ $json.name }}!" });
    let schema =
        json!({ "properties": { "name": { "type": "string" }, "n": { "type": "integer" } } });
    let form = form_of(body(schema), known, ValueSource::Item);
    assert_eq!(
        form.get("url"),
        Some(&json!("=https://api.example.com/v1/things/{{ encodeURIComponent(($json.id)) }}"))
    );
    assert_eq!(
        form.get("jsonBody"),
        Some(&json!("={{ {\n  \"name\": \"Dear \" + ($json.name) + \"!\",\n  \"n\": 0\n} }}"))
    );
    let plain = form_of(json!({}), json!({ "thing_id": "a/b" }), ValueSource::Item);
    assert_eq!(plain.get("url"), Some(&json!("https://api.example.com/v1/things/a%2Fb")));
}

#[test]
fn a_tool_leaves_open_values_to_its_model() {
    let operation = json!({ "parameters": [
        { "name": "thing-id", "in": "path", "required": true, "description": "Which one", "schema": {} },
        { "name": "q", "in": "query", "required": true, "example": 5 } ] });
    let form = form_of(operation, json!({}), ValueSource::Model);
    assert_eq!(
        form.get("url"),
        Some(&json!(
            "=https://api.example.com/v1/things/{{ encodeURIComponent($fromAI(\"thing_id\", \"Which one\", \"string\")) }}"
        ))
    );
    assert_eq!(
        form.get_path("queryParameters.parameters.0.value"),
        Some(&json!("={{ $fromAI(\"q\", \"\", \"number\") }}"))
    );
}

#[test]
fn texts_of_a_document_never_become_expressions() {
    let evil = "={{ $env.SECRET }}";
    let operation = json!({
        "parameters": [
            { "name": (evil), "in": "query", "required": true, "example": (evil) },
            { "name": "x]) }}{{ $env.SECRET", "in": "path", "required": true },
            { "name": "X-A", "in": "header", "required": true, "example": (evil) }
        ],
        "requestBody": { "content": { "text/plain": { "example": (evil) } } }
    });
    let form = form_at(
        "/a/{x]) {{ $env.SECRET }}",
        "post",
        "https://x.example/{{ $env.SECRET }}",
        operation,
        json!({}),
        ValueSource::Item,
    );
    let texts = [
        form.get_path("queryParameters.parameters.0.value"),
        form.get_path("queryParameters.parameters.0.name"),
        form.get_path("headerParameters.parameters.0.value"),
        form.get("body"),
    ];
    for text in texts {
        assert_eq!(text, Some(&json!("={{ \"={\\u007b $env.SECRET }\\u007d\" }}")));
    }
    let url = form.get("url").and_then(Value::as_str).unwrap();
    assert!(!url.replace("{{ encodeURIComponent(", "").contains("{{"), "{url}");
}

#[test]
fn the_credential_is_the_service_s_own_or_fits_any() {
    let auth = |server: &str, security: Value| {
        let operation = json!({ "security": (security) });
        let form = form_at("/a", "get", server, operation, json!({}), ValueSource::Item);
        let name = |key: &str| form.get(key).map(|value| value.to_js_string().to_string());
        name("nodeCredentialType").or_else(|| name("genericAuthType"))
    };
    let any = "https://unknown.example";
    assert_eq!(
        auth("https://api.airtable.com/v0", json!([{ "token": [] }])).as_deref(),
        Some("airtableTokenApi")
    );
    assert_eq!(auth(any, json!([{ "token": [] }])).as_deref(), Some("httpBearerAuth"));
    assert_eq!(auth(any, json!([{ "key": [] }])).as_deref(), Some("httpQueryAuth"));
    assert_eq!(
        auth(any, json!([{ "gone": [] }, { "login": [] }])).as_deref(),
        Some("httpBasicAuth")
    );
    assert_eq!(auth(any, json!([{ "key": [], "login": [] }])).as_deref(), Some("httpCustomAuth"));
    assert_eq!(auth(any, json!([])), None);
}

#[test]
fn a_form_that_repeats_a_name_is_written_as_text() {
    let schema = json!({ "properties": { "a": { "example": ["x y", "z"] } } });
    let operation = json!({ "requestBody": { "content": { "application/x-www-form-urlencoded": { "schema": (schema) } } } });
    let form = form_of(operation, json!({}), ValueSource::Item);
    assert_eq!(form.get("contentType"), Some(&json!("raw")));
    assert_eq!(
        form.get("body"),
        Some(&json!(
            "={{ \"a=\" + encodeURIComponent(\"x y\") + \"&\" + \"a=\" + encodeURIComponent(\"z\") }}"
        ))
    );
}
