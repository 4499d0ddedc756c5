//! Manifests as operators write them, and as nobody should.

use super::*;
use model::{Object, json};
use ports::policy::SideEffect;
use ports::tools::{HttpTool, HttpToolBody, McpAddress, RegisteredTool, ToolAction};

const PETS: &str = r#"{
  "openapi": "3.0.0", "info": { "title": "Pets", "version": "1" },
  "servers": [{ "url": "https://pets.test/v1" }],
  "paths": {
    "/pets/{petId}": { "get": { "operationId": "getPet", "tags": ["read"], "summary": "Show a pet",
      "parameters": [{ "name": "petId", "in": "path", "required": true, "schema": { "type": "integer" } }] } },
    "/pets": {
      "get": { "operationId": "listPets", "parameters": [
        { "name": "filter[kind]", "in": "query", "schema": { "type": "array", "items": { "type": "string" } }, "explode": false }] },
      "post": { "operationId": "addPet", "requestBody": { "required": true, "content": { "application/json": {
        "schema": { "type": "object", "properties": { "name": { "type": "string" } } } } } } }
    }
  }
}"#;

fn read_from(text: &str, origin: ToolOrigin) -> Manifest {
    let context = ManifestContext {
        origin,
        load: &|file| match file {
            "pets.json" => Ok(PETS.to_owned()),
            _ => Err("does not exist".to_owned()),
        },
        check_schema: &|_| None,
        node_version: &|kind, version| match kind {
            "table" => Ok(version.unwrap_or(2.0)),
            _ => Err(format!("'{kind}' is no known node type")),
        },
    };
    read(text, &context)
}

fn read_file(text: &str) -> Manifest {
    read_from(text, ToolOrigin::File("tools.yaml".into()))
}

fn good(text: &str) -> Vec<RegisteredTool> {
    let manifest = read_file(text);
    assert_eq!(manifest.findings, [], "{text}");
    manifest.tools
}

/// The only finding, as a person reads it.
fn problem(text: &str) -> String {
    let manifest = read_file(text);
    assert_eq!(manifest.findings.len(), 1, "{:?}\n{text}", manifest.findings);
    manifest.findings[0].to_string()
}

fn http(tool: &RegisteredTool) -> &HttpTool {
    match &tool.action {
        ToolAction::Http(http) => http,
        other => panic!("{other:?}"),
    }
}

const SEARCH: &str = "
version: 1
tools:
  - name: tickets.search
    description: Search tickets.
    effect: read
    timeout: 5
    retry: { attempts: 2, wait: 0.5 }
    rate_limit: { calls: 10, seconds: 60, per: workflow }
    allow: { projects: [support, 'sales-*'] }
    input:
      properties:
        id: { type: string }
        words: { type: array }
      required: [id]
    output: { type: object }
    http:
      method: POST
      url: https://Tickets.test:443/v1/{id}/notes.{id}
      query: { page: 1, q: 'x {words}' }
      headers: { X-Trace: '{id}' }
      body: { json: { words: '{words}', fixed: 'a {{b}}' } }
      credential: { type: httpHeaderAuth, id: abc }
      response: { select: data.items }
";

#[test]
fn a_declared_request_keeps_its_shape_and_fills_its_places() {
    let tools = good(SEARCH);
    let tool = &tools[0];
    assert_eq!((tool.name.as_str(), tool.effect), ("tickets.search", Some(SideEffect::Read)));
    assert_eq!(
        (tool.timeout_ms, tool.retry.unwrap().attempts, tool.limit.unwrap().per_workflow),
        (Some(5_000), 2, true)
    );
    assert!(tool.allows("sales-eu", "w") && !tool.allows("hr", "w"));
    assert_eq!(tool.input.as_ref().unwrap().get("type"), Some(&"object".into()));
    let request = http(tool);
    let arguments = Object::from_iter([("id", json!("a/b")), ("words", json!([1, 2]))]);
    assert_eq!(
        request.url(&arguments).unwrap(),
        "https://tickets.test/v1/a%2Fb/notes.a%2Fb",
        "the default port is none"
    );
    assert_eq!(request.query[1].1.fill(&arguments), Some("x [1,2]".into()));
    let Some(HttpToolBody::Json(body)) = &request.body else { panic!() };
    assert_eq!(body.fill(&arguments), Some(json!({ "words": [1, 2], "fixed": "a {b}" })));
}

#[test]
fn json_is_read_like_yaml_and_a_missing_input_is_made_of_the_places() {
    let tools = good(
        r#"{ "version": 1, "tools": [{ "name": "a.b", "description": "d",
            "http": { "url": "https://x.test/{id}", "query": { "q": "{q}" } } }] }"#,
    );
    let schema = json!({
        "type": "object",
        "properties": { "q": { "type": "string" }, "id": { "type": "string" } },
        "required": ["id"],
        "additionalProperties": false
    });
    let made = tools[0].input.clone().unwrap();
    assert_eq!(made.get("required"), schema.get("required"));
    assert_eq!(
        made.get("properties").unwrap().as_object().unwrap().len(),
        schema.get("properties").unwrap().as_object().unwrap().len()
    );
}

#[test]
fn a_finding_names_the_line_the_tool_and_the_problem() {
    let one = |line: &str, with: &str| SEARCH.replacen(line, with, 1);
    for (text, expected) in [
        (
            one("effect: read", "effect: reads"),
            "line 6, column 13: tickets.search: 'effect' must be read, write, send or spend",
        ),
        (
            one("    timeout: 5", "    timeouts: 5"),
            "line 7, column 15: tools[0]: unknown field 'timeouts'",
        ),
        (one("timeout: 5", "timeout: -1"), "'timeout' must be a number from 0.1 to 3600"),
        (
            one("words: '{words}'", "words: '{word}'"),
            "the request uses {word}, which 'input' does not have",
        ),
        (
            one("required: [id]", "required: [words]"),
            "'url' uses {id}, which must be 'required' in 'input'",
        ),
        (one("effect: read", "effect: write"), "would repeat a call that changes something"),
        ("tools: []".to_owned(), "it needs 'version: 1'"),
        ("version: 2\ntools: []".to_owned(), "'version' must be 1"),
        (
            "version: 1\ntools:\n  - name: a\n    description: d\n".to_owned(),
            "exactly one of http, openapi, node and mcp",
        ),
        ("version: 1\ntools: [".to_owned(), "line"),
    ] {
        let problem = problem(&text);
        assert!(problem.contains(expected), "{problem}\n{expected}");
    }
}

#[test]
fn an_address_names_its_host_itself() {
    for url in [
        "https://{host}/x",
        "https://x.test{path}",
        "https://user:pw@x.test/",
        "https://x.test@evil.test/",
        "https://x.test\\\\@evil.test/",
        "https://x.test/a?b={q}",
        "https://x.test?b=1",
        "https://x.test/a#b",
        "https://x.test/../admin/{id}",
        "https://x.test/%2e%2e/{id}",
        "https://x.test/a b",
        "https://x.test/{id",
        "https://x.test/{a.b}",
        "https:///x",
        "ftp://x.test/",
        "//x.test/",
        "javascript:alert(1)",
        "https://x.test/a\\r\\nHost: evil",
    ] {
        let text = format!(
            "version: 1\ntools:\n  - name: a\n    description: d\n    http: {{ url: \"{url}\" }}\n"
        );
        let problem = problem(&text);
        assert!(problem.contains("'url'"), "{url}: {problem}");
    }
}

#[test]
fn headers_that_lead_elsewhere_are_refused() {
    for name in
        ["Host", "content-length", "Transfer-Encoding", "Proxy-Authorization", "a b", "a\\r\\nb"]
    {
        let text = format!(
            "version: 1\ntools:\n  - name: a\n    description: d\n    http: {{ url: 'https://x.test/', headers: {{ \"{name}\": x }} }}\n"
        );
        assert!(problem(&text).contains("header"), "{name}");
    }
}

#[test]
fn names_that_a_model_cannot_tell_apart_are_refused() {
    let entry = |name: &str| {
        format!("  - name: {name}\n    description: d\n    http: {{ url: 'https://x.test/' }}\n")
    };
    let manifest = read_file(&format!("version: 1\ntools:\n{}{}", entry("a.b"), entry("a_b")));
    assert_eq!(manifest.tools.len(), 1);
    assert_eq!(manifest.findings[0].code, Code::TOOL_TAKEN);
    assert_eq!(manifest.findings[0].line, 6);
    for name in ["'a..b'", "'.a'", "'a b'", "'1a'", "'a.*'", "ä", &"x".repeat(65)] {
        let problem = problem(&format!("version: 1\ntools:\n{}", entry(name)));
        assert!(problem.contains("'name' must be words"), "{name}: {problem}");
    }
}

#[test]
fn operations_of_an_api_become_requests() {
    let tools = good(
        "version: 1\ntools:\n  - namespace: pets\n    openapi: { file: pets.json, exclude: 'nothing', effects: { 'add*': spend } }\n",
    );
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["pets.getPet", "pets.listPets", "pets.addPet"]);
    let (get, list, add) = (http(&tools[0]), http(&tools[1]), http(&tools[2]));
    let arguments = Object::from_iter([
        ("petId", json!(7)),
        ("filter_kind", json!(["a", "b"])),
        ("body", json!({ "name": "Rex" })),
    ]);
    assert_eq!(get.url(&arguments).unwrap(), "https://pets.test/v1/pets/7");
    assert_eq!(tools[0].description, "Show a pet");
    assert_eq!(list.query[0].0, "filter[kind]");
    assert_eq!(list.query[0].1.fill(&arguments), Some("a,b".into()));
    assert_eq!((add.method.as_str(), tools[2].effect), ("POST", Some(SideEffect::Spend)));
    let Some(HttpToolBody::Json(body)) = &add.body else { panic!() };
    assert_eq!(body.fill(&arguments), Some(json!({ "name": "Rex" })));
    let tagged = good(
        "version: 1\ntools:\n  - namespace: pets\n    openapi: { file: pets.json, tags: read }\n",
    );
    assert_eq!(tagged.len(), 1);
    let none = "version: 1\ntools:\n  - namespace: pets\n    openapi: { file: pets.json, include: 'x*' }\n";
    assert!(problem(none).contains("no operation of the document is chosen"));
    let missing = "version: 1\ntools:\n  - namespace: pets\n    openapi: { file: ../pets.json }\n";
    assert!(problem(missing).contains("'file' does not exist"));
}

#[test]
fn operations_of_a_node_share_its_parameters() {
    let tools = good(
        "version: 1\ntools:\n  - namespace: rows\n    effect: write\n    node:\n      type: table\n      parameters: { table: orders, operation: none }\n      credential: { type: tableApi, id: c1 }\n      operations:\n        create: { description: Add a row, parameters: { operation: create } }\n        list: { description: List rows, effect: read, parameters: { operation: list } }\n",
    );
    let ToolAction::Node(create) = &tools[0].action else { panic!() };
    assert_eq!((create.version, create.credentials[0].id.as_str()), (2.0, "c1"));
    assert_eq!(
        Value::from(create.parameters.clone()),
        json!({ "table": "orders", "operation": "create" })
    );
    assert_eq!(
        (tools[0].effect, tools[1].effect),
        (Some(SideEffect::Write), Some(SideEffect::Read))
    );
    let unknown = "version: 1\ntools:\n  - namespace: a\n    node: { type: other, operations: { a: { description: d } } }\n";
    assert!(problem(unknown).contains("'other' is no known node type"));
}

#[test]
fn tools_of_a_server_are_listed_by_name() {
    let tools = good(
        "version: 1\ntools:\n  - namespace: files\n    mcp:\n      server: fs\n      tools:\n        read_text_file: { as: read, effect: read }\n        write_file: {}\n",
    );
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["files.read", "files.write_file"]);
    let ToolAction::Mcp(call) = &tools[0].action else { panic!() };
    assert_eq!(
        (&call.server, call.tool.as_str()),
        (&McpAddress::Configured("fs".into()), "read_text_file")
    );
    let both = "version: 1\ntools:\n  - namespace: a\n    mcp: { server: x, url: 'https://y.test', tools: {} }\n";
    assert!(problem(both).contains("either 'server' (of mcp.json) or 'url'"));
}

#[test]
fn hostile_texts_are_findings_and_nothing_else() {
    let deep = format!("version: 1\ntools: {}{}", "[".repeat(5_000), "]".repeat(5_000));
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n";
    let itself = "version: 1\ntools: &a [*a]\n";
    let many: String = (0..10_000)
        .map(|at| {
            format!("  - name: t{at}\n    description: d\n    http: {{ url: 'https://x.test/' }}\n")
        })
        .collect();
    let many = format!("version: 1\ntools:\n{many}");
    let long = format!("version: 1\ntools: # {}\n", "x".repeat(MAX_MANIFEST_BYTES));
    let twice = "version: 1\nversion: 1\ntools: []\n";
    for text in [
        &deep,
        bomb,
        itself,
        &many,
        &long,
        twice,
        "",
        "\0",
        "{}",
        "- a",
        "? [a]\n: b",
        "--- 1\n--- 2",
    ] {
        let manifest = read_file(text);
        assert!(!manifest.findings.is_empty(), "{}", &text[..text.len().min(80)]);
        assert!(manifest.tools.len() <= MAX_MANIFEST_TOOLS);
    }
}

#[test]
fn a_manifest_of_a_project_says_no_less_than_its_tools_do() {
    let project = ToolOrigin::Project { project: "p".into(), manifest: "m".into() };
    let text = "version: 1\ntools:\n  - name: a\n    description: d\n    effect: read\n    http: { url: 'https://x.test/', method: POST }\n";
    let manifest = read_from(text, project);
    let tool = &manifest.tools[0];
    assert_eq!(tool.class(tool.effect, SideEffect::Send), SideEffect::Send);
    assert_eq!(tool.class(Some(SideEffect::Spend), SideEffect::Send), SideEffect::Spend);
    let tool = &good(text)[0];
    assert_eq!(tool.class(tool.effect, SideEffect::Send), SideEffect::Read, "the operator knows");
}

#[test]
fn the_schema_for_editors_is_json_and_knows_every_kind() {
    let schema = model::json::parse(MANIFEST_SCHEMA).unwrap();
    for part in ["httpTool", "openapiTools", "nodeTools", "mcpTools"] {
        let properties = schema.get("$defs").unwrap().get(part).unwrap().get("properties").unwrap();
        for common in super::entry::COMMON {
            assert!(properties.get(common).is_some(), "{part} {common}");
        }
    }
}
