//! Documents that are broken, or made to harm.

#[path = "../../../../fuzz/src/openapi.rs"]
mod property;

use super::*;
use model::{Value, json};
use proptest::prelude::*;

fn problems(document: &ApiDocument) -> Vec<&str> {
    document.findings.iter().map(|finding| finding.problem.as_str()).collect()
}

fn with_paths(paths: &str, components: &str) -> ApiDocument {
    read(&format!(r#"{{ "openapi": "3.0.0", "paths": {paths}, "components": {components} }}"#))
        .unwrap()
}

#[test]
fn a_broken_text_says_where() {
    let error = |text: &str| read(text).unwrap_err().to_string();
    assert!(
        error("{\n  \"openapi\": nope }").contains("at line 2, column"),
        "{}",
        error("{\n  \"openapi\": nope }")
    );
    let yaml = error("openapi: 3.0.0\npaths:\n  /a: [1, 2\n  /b: 3");
    assert!(yaml.contains("YAML") && yaml.contains("at line"), "{yaml}");
    assert!(error("hello").contains("no 'openapi'"), "{}", error("hello"));
    assert!(error("{}").contains("no 'openapi'"));
    assert!(error(r#"{ "openapi": "4.0" }"#).contains("version 4.0"));
    assert!(error(&" ".repeat(MAX_DOCUMENT_BYTES + 1)).contains("exceeds"));
}

#[test]
fn another_document_is_not_fetched_but_reported() {
    let document = with_paths(
        r##"{ "/a": { "$ref": "https://evil.example/a.json" }, "/b": { "get": {} }, "/c": { "$ref": "#/nowhere" } }"##,
        "{}",
    );
    assert_eq!(document.operations.len(), 1);
    assert_eq!(
        problems(&document),
        [
            "'https://evil.example/a.json' is in another document, which is not fetched",
            "'#/nowhere' does not exist"
        ]
    );
}

#[test]
fn references_in_a_circle_end() {
    let document = with_paths(
        r##"{ "/a": { "$ref": "#/paths/~1b" }, "/b": { "$ref": "#/paths/~1a" } }"##,
        "{}",
    );
    assert!(problems(&document)[0].contains("circle"));
}

#[test]
fn a_chain_of_a_hundred_thousand_references_ends_early() {
    let links: Vec<String> = (0..100_000)
        .map(|number| format!(r##""s{number}":{{"$ref":"#/components/schemas/s{}"}}"##, number + 1))
        .collect();
    let components = format!(r#"{{ "schemas": {{ {} }} }}"#, links.join(","));
    let document = with_paths(
        r##"{ "/a": { "post": { "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/s0" } } } } } } }"##,
        &components,
    );
    let operation = document.operation("post_a").unwrap();
    assert!(operation.findings[0].problem.contains("levels"), "{:?}", operation.findings);
}

#[test]
fn schemas_that_double_at_each_step_are_cut() {
    let level = |number: usize| {
        format!(
            r##""s{number}":{{"type":"object","properties":{{"a":{{"$ref":"#/components/schemas/s{0}"}},"b":{{"$ref":"#/components/schemas/s{0}"}}}}}}"##,
            number + 1
        )
    };
    let levels: Vec<String> = (0..40).map(level).collect();
    let document = with_paths(
        r##"{ "/a": { "post": { "requestBody": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/s0" } } } } } } }"##,
        &format!(r#"{{ "schemas": {{ {} }} }}"#, levels.join(",")),
    );
    let operation = document.operation("post_a").unwrap();
    assert!(
        operation.findings.iter().any(|finding| finding.problem.contains("exceed")),
        "{:?}",
        operation.findings
    );
    let call = Call::of(&document, &operation, &KnownValues::default(), None);
    let Some(CallBody::Json { value, .. }) = call.body else { panic!() };
    assert!(model::json::to_string(&value).len() < 100_000);
}

#[test]
fn yaml_that_multiplies_itself_is_refused() {
    let mut text = String::from("openapi: 3.0.0\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let before = level - 1;
        let aliases = vec![format!("*a{before}"); 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    assert!(matches!(read(&text), Err(DocumentError::Yaml { .. })));
}

#[test]
fn deep_documents_are_refused() {
    for open in ["[", "{\"a\":"] {
        assert!(read(&open.repeat(100_000)).is_err());
    }
    let fits = format!("{}{}", "[".repeat(50), "]".repeat(50));
    assert!(read(&format!("openapi: 3.0.0\na: {fits}")).is_ok());
    let nested = format!("{}{}", "[".repeat(300), "]".repeat(300));
    assert_eq!(read(&nested).unwrap_err(), DocumentError::TooDeep);
    assert!(read(&format!("openapi: 3.0.0\na: {nested}")).is_err());
    let block: String = (0..2_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    assert!(read(&block).is_err());
}

#[test]
fn more_operations_than_fit_are_left_out_with_a_word() {
    let paths: Vec<String> =
        (0..MAX_OPERATIONS + 5).map(|number| format!(r#""/p{number}":{{"get":{{}}}}"#)).collect();
    let document = with_paths(&format!("{{ {} }}", paths.join(",")), "{}");
    assert_eq!(document.operations.len(), MAX_OPERATIONS);
    assert!(problems(&document)[0].contains("Only the first"));
}

#[test]
fn a_list_of_operations_follows_none_of_their_references() {
    let paths: Vec<String> = (0..1_000).map(|number| format!(r##""/p{number}":{{"get":{{"summary":"One of many","responses":{{"200":{{"$ref":"#/components/responses/r"}}}}}}}}"##)).collect();
    let document = with_paths(&format!("{{ {} }}", paths.join(",")), "{}");
    assert_eq!(
        (document.operations.len(), document.findings.len()),
        (1_000, 0),
        "references are followed later"
    );
}

#[test]
fn what_is_no_operation_leaves_the_others_usable() {
    for broken in [
        "null",
        "7",
        "[]",
        r#""x""#,
        r#"{ "parameters": 7, "requestBody": [], "responses": "x", "tags": {}, "security": 1 }"#,
        r#"{ "parameters": [null, {}, { "name": "a" }, { "in": "query" }, { "name": 7, "in": "query", "schema": 7 }] }"#,
    ] {
        let document = with_paths(
            &format!(r#"{{ "/a": {{ "get": {broken} }}, "/b": {{ "get": {{}} }} }}"#),
            "{}",
        );
        assert!(document.operation("get_b").is_some());
        if let Some(operation) = document.operation("get_a") {
            Call::of(&document, &operation, &KnownValues::default(), None);
        }
    }
}

#[test]
fn a_path_cannot_smuggle_an_expression() {
    let document = with_paths(r#"{ "/a/{{ $env.SECRET }}/{}/{x": { "get": {} } }"#, "{}");
    let id = document.operations[0].id.clone();
    let operation = document.operation(&id).unwrap();
    let call = Call::of(&document, &operation, &KnownValues::default(), None);
    for part in call.path {
        if let PathPart::Text(text) = part {
            assert!(!text.contains(['{', '}']), "{text}");
        }
    }
}

/// Values that are shaped like parts of a document, and often wrong.
fn part() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "#/paths/~1a",
        "#/components/schemas/s",
        "#",
        "#/",
        "string",
        "object",
        "array",
        "query",
        "path",
        "header",
        "cookie",
        "body",
        "formData",
        "file",
        "multi",
        "deepObject",
        "https://x.example/{a}",
        "{a}",
        "apiKey",
        "oauth2",
        "2.0",
        "3.0.0",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-5i32..2000).prop_map(Value::from),
        words.prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    let keys = prop::sample::select(vec![
        "$ref",
        "get",
        "post",
        "parameters",
        "name",
        "in",
        "schema",
        "type",
        "properties",
        "items",
        "allOf",
        "oneOf",
        "required",
        "requestBody",
        "content",
        "application/json",
        "multipart/form-data",
        "text/plain",
        "responses",
        "200",
        "example",
        "examples",
        "value",
        "enum",
        "default",
        "style",
        "explode",
        "servers",
        "url",
        "variables",
        "security",
        "s",
        "a",
        "tags",
        "operationId",
        "consumes",
        "schemas",
        "collectionFormat",
    ]);
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::array),
            prop::collection::vec((keys.clone(), inner), 0..6)
                .prop_map(|fields| Value::object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        property::holds(&text);
        property::holds(&format!("openapi: 3.0.0\npaths:\n  {text}"));
    }

    #[test]
    fn any_document_is_read_without_a_panic(paths in prop::collection::vec(("(/[a-z{}]{0,4}){0,3}", part()), 0..5), components in part(), is_swagger in any::<bool>(), servers in part()) {
        let version = if is_swagger { "swagger" } else { "openapi" };
        let number = if is_swagger { "2.0" } else { "3.1.0" };
        let paths = Value::object(paths.into_iter().map(|(path, item)| (path, item)).collect());
        let mut document = json!({ "paths": (paths), "components": (components.clone()), "definitions": (components.clone()), "securityDefinitions": (components.clone()), "servers": (servers), "security": (components) });
        document.make_object().insert(version, number);
        let text = model::json::to_string(&document);
        property::holds(&text);
    }
}
