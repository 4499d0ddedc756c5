//! OpenAPI documents: their operations, and the request that one becomes.

use super::{EditorHarness, text};
use model::{Value, json};

const PETS: &str = r#"
openapi: 3.0.3
info: { title: Pets, version: "1" }
servers: [{ url: "https://pets.example/v1" }]
security: [{ key: [] }]
paths:
  /pets: { get: { operationId: listPets, summary: List pets, tags: [pets] }, post: nothing }
  /pets/{petId}: { delete: { operationId: deletePet } }
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
"#;

fn ids(read: &Value) -> Vec<String> {
    let operations = read.get("operations").and_then(Value::as_array).unwrap();
    operations.iter().map(|operation| text(operation, "id").to_owned()).collect()
}

#[tokio::test]
async fn the_operations_of_a_document_are_listed_and_searched() {
    let editor = EditorHarness::new().await;
    let document = json!({ "document": (PETS) });
    let read = editor.post("/api-descriptions", &document).await;
    assert_eq!(read.status, 200, "{}", read.body);
    let read = read.json();
    assert_eq!(
        (text(&read, "title"), ids(&read)),
        ("Pets", vec!["listPets".into(), "deletePet".into()])
    );
    assert_eq!(read.get_path("servers.0.url"), Some(&json!("https://pets.example/v1")));
    assert_eq!(read.get_path("security.0.hint"), Some(&json!("the API key in the header X-Key")));
    assert_eq!(read.get_path("findings.0.place"), Some(&json!("POST /pets")));
    let found = editor.post("/api-descriptions?query=PETS%20list", &document).await.json();
    assert_eq!((ids(&found), found.get("total")), (vec!["listPets".to_owned()], Some(&json!(2))));
}

#[tokio::test]
async fn an_operation_becomes_the_parameters_of_a_request() {
    let editor = EditorHarness::new().await;
    let ask = |operation: &str| json!({ "document": (PETS), "operation": (operation), "values": { "pet_id": "={{ $json.id }}" } });
    let reply = editor.post("/api-descriptions", &ask("deletePet")).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(
        reply.json().get("request"),
        Some(&json!({
            "parameters": {
                "method": "DELETE",
                "url": "=https://pets.example/v1/pets/{{ encodeURIComponent(($json.id)) }}",
                "authentication": "genericCredentialType",
                "genericAuthType": "httpHeaderAuth"
            },
            "credentialHint": "the API key in the header X-Key",
            "leftOut": []
        }))
    );
    let reply = editor.post("/api-descriptions", &ask("noSuchPet")).await;
    assert_eq!((reply.status, reply.text("code").as_str()), (400, "REQUEST_INVALID"));
    assert!(reply.text("message").contains("noSuchPet"), "{}", reply.body);
}

#[tokio::test]
async fn a_document_that_cannot_be_read_says_why_and_where() {
    let editor = EditorHarness::new().await;
    for (body, words) in [
        (json!({ "document": "openapi: 3.0.0\npaths: [" }), "line"),
        (json!({ "document": "{ \"openapi\": 3" }), "line 1"),
        (json!({ "document": "hello: world" }), "no 'openapi'"),
        (json!({}), "required"),
        (json!({ "document": (PETS), "url": "https://pets.example/openapi.json" }), "not both"),
        (json!({ "url": "http://127.0.0.1:9/openapi.json" }), "blocked"),
        (json!({ "url": "file:///etc/passwd" }), "http"),
    ] {
        let reply = editor.post("/api-descriptions", &body).await;
        assert_eq!((reply.status, reply.text("code").as_str()), (400, "REQUEST_INVALID"));
        assert!(reply.text("message").contains(words), "{words}: {}", reply.body);
    }
}
