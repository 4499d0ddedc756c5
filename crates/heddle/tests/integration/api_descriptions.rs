//! Operations of OpenAPI documents as HTTP Request: each passes the check, and sends exactly the
//! request that the document describes.

use crate::support::in_process::{node, run_document};
use engine::check::check;
use formats::openapi::{Call, KnownValues, ValueSource, read};
use model::{Object, Value, Workflow};
use serde_json::{Value as Json, json as js};
use testkit::{FakeHttp, FakeResponse};

/// An API whose server is the fake one.
fn document(server: &FakeHttp) -> String {
    format!(
        r##"
openapi: 3.1.0
info: {{ title: Shelf, version: "1" }}
servers: [{{ url: "{}" }}]
paths:
  /shelves/{{shelf id}}/books:
    post:
      operationId: addBook
      security: [{{ key: [] }}]
      parameters:
        - {{ name: shelf id, in: path, required: true, schema: {{ type: string }} }}
        - {{ name: tags, in: query, required: true, example: [new, "a&b"], schema: {{ type: array }} }}
        - {{ name: near, in: query, required: true, style: deepObject, example: {{ lat: 1.5, lon: 2 }} }}
        - {{ name: page, in: query, schema: {{ type: integer }} }}
        - {{ name: X-Trace, in: header, required: true, schema: {{ const: "on" }} }}
        - {{ name: session, in: cookie, required: true, example: s1 }}
      requestBody:
        content:
          application/vnd.shelf+json:
            schema: {{ $ref: "#/components/schemas/Book" }}
  /forms:
    post:
      operationId: sendForm
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {{ type: object, properties: {{ name: {{ example: "=Ann & Bo" }}, n: {{ type: integer }} }} }}
  /lists:
    post:
      operationId: sendList
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {{ type: object, properties: {{ id: {{ example: [1, 2] }} }} }}
  /notes:
    put:
      operationId: putNote
      requestBody: {{ content: {{ text/plain: {{ example: "={{{{ 1 + 1 }}}}" }} }} }}
  /upload:
    post:
      operationId: upload
      requestBody:
        content:
          multipart/form-data:
            schema: {{ properties: {{ title: {{ example: Hi }}, n: {{ example: 7 }} }} }}
components:
  schemas:
    Book:
      type: object
      required: [title]
      properties:
        id: {{ type: integer, readOnly: true }}
        title: {{ type: string, example: "}}}} {{{{ $json.secret }}}}" }}
        author: {{ type: object, properties: {{ name: {{ type: string }}, born: {{ type: object }} }} }}
  securitySchemes:
    key: {{ type: apiKey, in: header, name: X-Key }}
"##,
        server.url("/v1/")
    )
}

fn parameters(server: &FakeHttp, id: &str, known: Json) -> Value {
    let document = read(&document(server)).unwrap();
    let operation = document.operation(id).unwrap();
    let known = KnownValues::new(Value::from(known).as_object().unwrap());
    let call = Call::of(&document, &operation, &known, None);
    let credentials = nodes::credentials::registry();
    let form = nodes::http::http_request_parameters(&call, &credentials, None, ValueSource::Item);
    Value::object(form)
}

/// Runs the request on an item, and gives what the server got.
async fn sent(server: &FakeHttp, parameters: &Value, item: Json) -> testkit::FakeRequest {
    let text = model::json::to_string(parameters);
    let parameters: Json = serde_json::from_str(&text).unwrap();
    let mut request = node("Ask", "n8n-nodes-base.httpRequest", 4.5, parameters);
    let kind = request["parameters"]["genericAuthType"].as_str().map(str::to_owned);
    if let Some(kind) = kind {
        request["credentials"] = js!({ kind: { "id": "1", "name": "Key" } });
    }
    let document = js!({
        "name": "Shelf",
        "nodes": [node("Start", "n8n-nodes-base.manualTrigger", 1.0, js!({})), request],
        "connections": { "Start": { "main": [[{ "node": "Ask", "type": "main", "index": 0 }]] } },
        "settings": { "executionOrder": "v1" }
    });
    let workflow = Workflow::from_value(&Value::from(document.clone())).unwrap();
    let problems = check(&workflow, &nodes::registry()).problems;
    assert!(problems.is_empty(), "{problems:?}");
    let credential = Object::from_iter([("name", "X-Key"), ("value", "k-1")]);
    let before = server.n_requests();
    let outcome = run_document(credential, &document, js!([item])).await;
    assert_eq!(outcome.status, model::RunStatus::Success, "{:?}", outcome.error);
    server.requests()[before].clone()
}

fn server() -> FakeHttp {
    FakeHttp::start(|_| FakeResponse::json(&js!({ "ok": true })))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operation_sends_the_request_that_the_document_describes() {
    let server = server();
    let form = parameters(&server, "addBook", js!({}));
    let request = sent(&server, &form, js!({ "shelf id": "a/../b c" })).await;
    assert_eq!(
        (request.method.as_str(), request.path.as_str()),
        (
            "POST",
            "/v1/shelves/a%2F..%2Fb%20c/books?tags=new&tags=a%26b&near%5Blat%5D=1.5&near%5Blon%5D=2"
        )
    );
    assert_eq!(request.header("x-trace"), Some("on"));
    assert_eq!(request.header("cookie"), Some("session=s1"));
    assert_eq!(request.header("x-key"), Some("k-1"));
    assert_eq!(request.header("content-type"), Some("application/vnd.shelf+json"));
    assert_eq!(
        request.json(),
        js!({ "title": "}} {{ $json.secret }}", "author": { "name": "string", "born": {} } })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_replaced_node_had_is_sent_and_may_be_computed() {
    let server = server();
    let known =
        js!({ "shelfId": "={{ $json.shelf }}", "title": "=On {{ $json.topic }}", "page": 3 });
    let form = parameters(&server, "addBook", known);
    let request = sent(&server, &form, js!({ "shelf": "s/1", "topic": "\"tea\"" })).await;
    assert!(request.path.starts_with("/v1/shelves/s%2F1/books?"), "{}", request.path);
    assert!(request.path.ends_with("&page=3"), "{}", request.path);
    assert_eq!(request.json()["title"], "On \"tea\"");
    assert_eq!(request.json()["author"], js!({ "name": "string", "born": {} }));
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_and_texts_are_sent_as_they_are_written() {
    let server = server();
    for (id, kind, body) in [
        ("sendForm", "application/x-www-form-urlencoded", "name=%3DAnn%20%26%20Bo&n=0"),
        ("sendList", "application/x-www-form-urlencoded", "id=1&id=2"),
        ("putNote", "text/plain", "={{ 1 + 1 }}"),
    ] {
        let form = parameters(&server, id, js!({}));
        let request = sent(&server, &form, js!({})).await;
        assert_eq!(request.header("content-type"), Some(kind), "{id}");
        assert_eq!(String::from_utf8_lossy(&request.body), body, "{id}");
    }
    let form = parameters(&server, "upload", js!({}));
    let request = sent(&server, &form, js!({})).await;
    let kind = request.header("content-type").unwrap_or_default();
    assert!(kind.starts_with("multipart/form-data; boundary="), "{kind}");
    assert!(request.text().contains("name=\"title\"\r\n\r\nHi\r\n"), "{}", request.text());
    assert!(request.text().contains("name=\"n\"\r\n\r\n7\r\n"), "{}", request.text());
}
