//! What a credential holds never comes back.

use crate::app::{TestApp, operations};
use store::users::UserRole;

const CANARY: &str = "canary-7f3a91c2";

#[tokio::test]
async fn no_answer_of_the_api_holds_a_secret() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    app.user("a@b.c", UserRole::Editor).await;
    let create = |kind: &str, data: &str| {
        let body = format!(r#"{{"name":"c","type":"{kind}","data":{data}}}"#);
        app.call("POST", "/api/v1/credentials").key(&key).json(&body)
    };
    let made =
        create("httpHeaderAuth", &format!(r#"{{"name":"X-Key","value":"{CANARY}"}}"#)).send().await;
    assert_eq!(made.status, 200, "{}", made.body);
    let id = made.text("id");
    let mut bodies = vec![made.body];
    for (kind, data) in [
        ("noSuchKind", format!(r#"{{"token":"{CANARY}"}}"#)),
        ("httpBearerAuth", format!(r#"{{"tokenn":"{CANARY}"}}"#)),
        ("httpBearerAuth", format!(r#"{{"token":["{CANARY}"]}}"#)),
        ("httpBearerAuth", format!(r#""{CANARY}""#)),
    ] {
        let refused = create(kind, &data).send().await;
        assert_eq!(refused.status, 400);
        bodies.push(refused.body);
    }
    let path = format!("/api/v1/credentials/{id}");
    let change = format!(r#"{{"data":{{"value":"{CANARY}"}},"isPartialData":true}}"#);
    bodies.push(app.call("PATCH", &path).key(&key).json(&change).send().await.body);
    bodies.push(
        app.call("PATCH", &path)
            .key(&key)
            .json(&format!(r#"{{"data":"{CANARY}"}}"#))
            .send()
            .await
            .body,
    );
    for operation in operations(&app).await.iter().filter(|operation| operation.method == "GET") {
        let real = operation.path.replace("credentials/nope", &format!("credentials/{id}"));
        bodies.push(app.call("GET", &real).key(&key).send().await.body);
    }
    bodies.push(app.call("POST", "/api/v1/audit").key(&key).send().await.body);
    bodies.push(app.call("GET", "/metrics").key(&key).send().await.body);
    bodies.push(app.call("DELETE", &path).key(&key).send().await.body);
    for body in bodies {
        assert!(!body.contains(CANARY), "{body}");
    }
}

#[tokio::test]
async fn issue_14_08_a_change_of_the_host_needs_the_secret_again() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let body = format!(
        r#"{{"name":"c","type":"openAiApi","data":{{"apiKey":"{CANARY}","url":"https://api.openai.com/v1"}}}}"#
    );
    let made = app.call("POST", "/api/v1/credentials").key(&key).json(&body).send().await;
    assert_eq!(made.status, 200, "{}", made.body);
    let path = format!("/api/v1/credentials/{}", made.text("id"));
    let change = |data: &str| {
        let body = format!(r#"{{"data":{data},"isPartialData":true}}"#);
        app.call("PATCH", &path).key(&key).json(&body)
    };
    for data in [
        r#"{"url":"https://evil.test/v1"}"#,
        r#"{"allowedHttpRequestDomains":"domains","allowedDomains":"evil.test"}"#,
        r#"{"url":"https://evil.test","organizationId":"o"}"#,
        r#"{"baseUrl":"https://evil.test"}"#,
    ] {
        let refused = change(data).send().await;
        assert_eq!(refused.status, 422, "{data}: {}", refused.body);
        assert!(
            refused.body.contains("CREDENTIAL_SECRET") && refused.body.contains("apiKey"),
            "{}",
            refused.body
        );
        assert!(!refused.body.contains(CANARY));
    }
    assert_eq!(
        change(r#"{"organizationId":"o"}"#).send().await.status,
        200,
        "what leads nowhere may change alone"
    );
    assert_eq!(change(r#"{"url":"https://gateway.test","apiKey":"new"}"#).send().await.status, 200);
}

#[tokio::test]
async fn passwords_hashes_and_tokens_stay_inside() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    app.user("a@b.c", UserRole::Editor).await;
    for operation in operations(&app).await.iter().filter(|operation| operation.method == "GET") {
        let path = operation.path.replace("users/nope", "users/a@b.c");
        let body = app.call("GET", &path).key(&key).send().await.body;
        assert!(
            !body.contains("argon2") && !body.contains(&app.setup_token) && !body.contains(&key),
            "{path}: {body}"
        );
    }
}
