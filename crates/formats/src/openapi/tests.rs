//! Documents as they are written.

use super::*;
use model::{Object, Value, json};

const PETS: &str = r##"
openapi: 3.1.0
info: { title: Pets, version: "1.2" }
servers:
  - url: https://{region}.pets.example/v1/
    variables: { region: { default: eu, enum: [eu, us] } }
security: [{ key: [] }]
paths:
  /pets:
    parameters: [{ $ref: "#/components/parameters/Trace" }]
    get:
      operationId: listPets
      summary: List all pets
      tags: [pets]
      parameters:
        - { name: limit, in: query, required: true, schema: { type: integer, default: 20 } }
        - { name: tags, in: query, required: true, example: [a, b], schema: { type: array, items: { type: string } } }
        - { name: after, in: query, schema: { type: string } }
      responses: { 200: { description: All of them } }
    post:
      security: [{ token: [] }]
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: "#/components/schemas/Pet" } }
      responses: { "201": { description: Made } }
  /pets/{petId}:
    get:
      deprecated: true
      responses: {}
    put: nothing
components:
  parameters:
    Trace: { name: X-Trace, in: header, required: true, schema: { type: string, enum: ["on"] } }
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string, example: Rex }
        born: { type: string, format: date, nullable: true }
        parent: { $ref: "#/components/schemas/Pet" }
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    token: { type: http, scheme: Bearer }
"##;

fn call(document: &ApiDocument, id: &str) -> Call {
    let operation = document.operation(id).unwrap();
    Call::of(document, &operation, &KnownValues::default(), None)
}

fn given(value: impl Into<Value>) -> CallValue {
    CallValue::Given(value.into())
}

fn sent(fields: &[CallField]) -> Vec<(&str, CallValue)> {
    fields.iter().map(|field| (field.name.as_str(), field.value.clone())).collect()
}

#[test]
fn a_document_is_listed_with_an_id_for_every_operation() {
    let pets = read(PETS).unwrap();
    assert_eq!((pets.title.as_str(), pets.version.as_str()), ("Pets", "1.2"));
    assert_eq!(pets.servers[0].address(None), "https://eu.pets.example/v1");
    let ids: Vec<_> = pets.operations.iter().map(|operation| operation.id.as_str()).collect();
    assert_eq!(ids, ["listPets", "post_pets", "get_pets_petId"]);
    assert!(pets.operations[2].deprecated);
    let finding = &pets.findings[0];
    assert_eq!(
        (finding.place.as_str(), finding.problem.as_str()),
        ("PUT /pets/{petId}", "The operation is not an object")
    );
}

#[test]
fn an_operation_becomes_a_request_with_what_is_required() {
    let pets = read(PETS).unwrap();
    let list = call(&pets, "listPets");
    assert_eq!(list.base_url, "https://eu.pets.example/v1");
    assert_eq!(list.path, [PathPart::Text("/pets".into())]);
    assert_eq!(
        sent(&list.query),
        [("limit", given(20)), ("tags", given("a")), ("tags", given("b"))]
    );
    assert!(list.repeats_names);
    assert_eq!(sent(&list.headers), [("X-Trace", given("on"))]);
    assert_eq!(list.left_out, ["after"]);
    assert_eq!(
        list.security[0].kind,
        SecurityKind::ApiKey { place: ApiKeyPlace::Header, name: "X-Key".into() }
    );
    let made = call(&pets, "post_pets");
    let Some(CallBody::Json { value, .. }) = &made.body else { panic!("{:?}", made.body) };
    assert_eq!(*value, json!({ "name": "Rex", "born": "2025-01-31" }));
    assert_eq!(made.security[0].kind, SecurityKind::Bearer);
}

#[test]
fn a_path_parameter_is_left_open_unless_its_value_is_known() {
    let pets = read(PETS).unwrap();
    let operation = pets.operation("get_pets_petId").unwrap();
    assert_eq!(operation.findings[0].problem, "The path parameter 'petId' is not declared");
    let path = |known: &Value| {
        let known = KnownValues::new(known.as_object().unwrap());
        match Call::of(&pets, &operation, &known, None).path.remove(1) {
            PathPart::Value(field) => field.value,
            PathPart::Text(text) => given(text),
        }
    };
    assert_eq!(path(&json!({})), CallValue::Open("petId".into()));
    assert_eq!(
        path(&json!({ "pet_id": "={{ $json.id }}" })),
        CallValue::Known("={{ $json.id }}".into())
    );
    let locator = json!({ "petId": { "__rl": true, "mode": "id", "value": "p7" } });
    assert_eq!(path(&locator), CallValue::Known("p7".into()));
}

#[test]
fn swagger_2_says_the_same_in_its_own_way() {
    let document = read(
        r##"{ "swagger": "2.0", "info": { "title": "Files" }, "host": "files.example", "basePath": "/v2",
            "schemes": ["http", "https"], "consumes": ["application/json"],
            "securityDefinitions": { "login": { "type": "basic" } }, "security": [{ "login": [] }],
            "paths": {
              "/files": { "post": { "parameters": [
                { "name": "file", "in": "formData", "type": "file", "required": true },
                { "name": "note", "in": "formData", "type": "string", "default": "hi" } ] } },
              "/find": { "get": { "parameters": [
                { "name": "ids", "in": "query", "required": true, "type": "array", "collectionFormat": "pipes",
                  "items": { "type": "integer" }, "default": [1, 2] } ] } },
              "/rows": { "post": { "parameters": [
                { "in": "body", "name": "row", "schema": { "$ref": "#/definitions/Row" } } ] } } },
            "definitions": { "Row": { "type": "object", "properties": { "a": { "type": "integer", "minimum": 3 } } } } }"##,
    )
    .unwrap();
    assert_eq!(document.format, ApiFormat::Swagger2);
    let upload = call(&document, "post_files");
    assert_eq!(upload.base_url, "https://files.example/v2");
    let Some(CallBody::Multipart(parts)) = upload.body else { panic!() };
    assert!(matches!(&parts[..], [CallPart::File(name), CallPart::Field(_)] if name == "file"));
    assert_eq!(sent(&call(&document, "get_find").query), [("ids", given("1|2"))]);
    let Some(CallBody::Json { value, .. }) = call(&document, "post_rows").body else { panic!() };
    assert_eq!(value, json!({ "a": 3 }));
    assert_eq!(upload.security[0].kind, SecurityKind::Basic);
}

#[test]
fn schemas_are_read_without_references() {
    let pets = read(PETS).unwrap();
    let operation = pets.operation("post_pets").unwrap();
    let schema = &operation.body.unwrap().content[0].schema;
    assert_eq!(schema.get_path("properties.born.type"), Some(&json!(["string", "null"])));
    assert_eq!(schema.get_path("properties.parent"), Some(&json!({})), "where it contains itself");
}

#[test]
fn the_spellings_of_lists_and_objects_are_those_of_the_document() {
    let query = |parameter: Value| {
        let document = json!({ "openapi": "3.0.3", "servers": [{ "url": "https://x.example" }],
            "paths": { "/a": { "get": { "parameters": [(parameter)] } } } });
        let document = read(&model::json::to_string(&document)).unwrap();
        let fields = call(&document, "get_a").query;
        fields
            .iter()
            .map(|field| match &field.value {
                CallValue::Given(value) => format!("{}={}", field.name, value.to_js_string()),
                other => format!("{other:?}"),
            })
            .collect::<Vec<_>>()
            .join("&")
    };
    let param = |value: Value, style: &str, explode: bool| json!({ "name": "q", "in": "query", "required": true, "example": (value), "style": (style), "explode": (explode) });
    let (list, object) = (json!([1, 2]), json!({ "a": 1, "b": 2 }));
    assert_eq!(query(param(list.clone(), "form", true)), "q=1&q=2");
    assert_eq!(query(param(list.clone(), "form", false)), "q=1,2");
    assert_eq!(query(param(list.clone(), "spaceDelimited", false)), "q=1 2");
    assert_eq!(query(param(object.clone(), "form", true)), "a=1&b=2");
    assert_eq!(query(param(object.clone(), "form", false)), "q=a,1,b,2");
    assert_eq!(query(param(object.clone(), "deepObject", true)), "q[a]=1&q[b]=2");
    let as_json = json!({ "name": "q", "in": "query", "required": true, "content": { "application/json": { "example": (object) } } });
    assert_eq!(query(as_json), r#"q={"a":1,"b":2}"#);
}

#[test]
fn a_server_without_a_host_is_where_the_document_is() {
    let document = read(r#"{ "openapi": "3.0.0", "servers": [{ "url": "/api" }], "paths": { "/a": { "get": {} } } }"#).unwrap();
    let operation = document.operation("get_a").unwrap();
    let base = |url| Call::of(&document, &operation, &KnownValues::default(), url).base_url;
    assert_eq!(base(Some("https://x.example/docs/openapi.json")), "https://x.example/api");
    assert_eq!(base(None), "");
}

#[test]
fn ids_stay_unique_and_do_not_depend_on_operations_without_one() {
    let with = |paths: Value| {
        let document = json!({ "openapi": "3.0.0", "paths": (paths) });
        let document = read(&model::json::to_string(&document)).unwrap();
        document
            .operations
            .into_iter()
            .map(|operation| operation.id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        with(
            json!({ "/a": { "get": {} }, "/b": { "get": { "operationId": "get_a" } }, "/c": { "get": { "operationId": "get_a" } } })
        ),
        ["get_a_2", "get_a", "get_c"]
    );
    assert_eq!(
        with(json!({ "/a/{x}": { "get": {} }, "/a/x": { "get": {} } })),
        ["get_a_x", "get_a_x_2"]
    );
}

#[test]
fn what_is_known_of_a_body_comes_in_the_place_of_an_example() {
    let pets = read(PETS).unwrap();
    let known = KnownValues::new(&Object::from_iter([("Name", "={{ $json.title }}")]));
    let operation = pets.operation("post_pets").unwrap();
    let Some(CallBody::Json { known, .. }) = Call::of(&pets, &operation, &known, None).body else {
        panic!()
    };
    assert_eq!(known, [("name".into(), "={{ $json.title }}".into())]);
}
