//! No way in without a key or a session, whatever the address looks like.

use crate::app::{TestApp, operations};

/// What needs a principal besides the API.
const OTHERS: [(&str, &str); 9] = [
    ("GET", "/metrics"),
    ("GET", "/api/me"),
    ("POST", "/api/me/name"),
    ("POST", "/api/me/email"),
    ("POST", "/api/me/password"),
    ("GET", "/api/me/api-keys"),
    ("POST", "/api/me/api-keys"),
    ("DELETE", "/api/me/api-keys/nope"),
    ("POST", "/api/logout"),
];

#[tokio::test]
async fn anonymous_calls_of_every_guarded_route_are_refused() {
    let app = TestApp::start().await;
    let all = operations(&app).await;
    let routes = all
        .iter()
        .map(|operation| (operation.method.as_str(), operation.path.as_str()))
        .chain(OTHERS);
    for (method, path) in routes {
        for (name, value) in [
            ("X-Nothing", ""),
            ("X-N8N-API-KEY", "heddle_wrong"),
            ("Authorization", "Bearer x"),
            ("Cookie", "heddle_session=x"),
        ] {
            let reply = app.call(method, path).header(name, value).json("{}").send().await;
            assert_eq!(reply.status, 401, "{method} {path} with {name}: {}", reply.body);
            assert!(!reply.text("message").is_empty());
        }
    }
}

#[tokio::test]
async fn no_spelling_of_an_address_opens_it() {
    let app = TestApp::start().await;
    for path in [
        "/api/v1/workflows",
        "/api/v1/credentials",
        "/api/v1/users",
        "/api/v1/projects",
        "/api/v1/events",
        "/api/me",
        "/api/me/api-keys",
        "/metrics",
    ] {
        let tail = &path[1..];
        let spellings = [
            format!("{path}/"),
            format!("/{path}"),
            path.replace("/api", "//api").replace("/metrics", "//metrics"),
            path.replace("/v1/", "/v1//"),
            path.to_uppercase(),
            path.replace("api", "%61pi").replace("metrics", "%6detrics"),
            path.replace('/', "%2f"),
            format!("/%2e/{tail}"),
            format!("/./{tail}"),
            format!("/webhook/../{tail}"),
            format!("/webhook/%2e%2e/{tail}"),
            format!("/webhook/..%2f{tail}"),
            format!("/healthz/../{tail}"),
            format!("/healthz;/{tail}"),
            format!("{path};x=1"),
            format!("{path}%00"),
            format!("{path}.json"),
            format!("{path}?x=/healthz"),
            format!("{path}%3f"),
            format!("{path}#/healthz"),
            format!("http://127.0.0.1{path}"),
            format!("http://evil.example{path}"),
        ];
        for spelling in spellings {
            for method in ["GET", "HEAD", "OPTIONS", "POST", "get"] {
                let reply = app.call(method, &spelling).send().await;
                assert!(
                    matches!(reply.status, 400 | 401 | 404 | 405 | 421),
                    "{method} {spelling}: {} {}",
                    reply.status,
                    reply.body
                );
            }
        }
    }
}

#[tokio::test]
async fn a_header_does_not_change_the_method() {
    let app = TestApp::start().await;
    let key = app.key("viewer@x.y", &["tag:list"]).await;
    let owner = app.owner_key().await;
    let tag = app
        .call("POST", "/api/v1/tags")
        .key(&owner)
        .json(r#"{"name":"a"}"#)
        .send()
        .await
        .text("id");
    for name in ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"] {
        app.call("GET", &format!("/api/v1/tags/{tag}"))
            .key(&owner)
            .header(name, "DELETE")
            .send()
            .await;
    }
    assert_eq!(app.call("GET", "/api/v1/tags?_method=DELETE").key(&key).send().await.status, 400);
    assert_eq!(app.call("GET", "/api/v1/tags").key(&key).send().await.rows().len(), 1);
}

#[tokio::test]
async fn other_sites_get_no_permission_to_read() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    app.user("a@b.c", store::users::UserRole::Editor).await;
    let session = app.log_in("a@b.c").await;
    for path in
        ["/api/v1/workflows", "/api/v1/credentials", "/api/me", "/api/v1/events", "/healthz"]
    {
        let call = |method: &str| app.call(method, path).header("Origin", "http://evil.example");
        let preflight =
            call("OPTIONS").header("Access-Control-Request-Method", "DELETE").send().await;
        for reply in [
            call("GET").key(&key).send().await,
            call("GET").cookie(&session).send().await,
            preflight,
        ] {
            let allowed = [
                "access-control-allow-origin",
                "access-control-allow-credentials",
                "access-control-allow-methods",
            ];
            assert!(
                allowed.iter().all(|name| reply.header(name).is_none()),
                "{path}: {}",
                reply.head
            );
        }
    }
}

#[tokio::test]
async fn an_answer_is_for_whoever_asked() {
    let app = TestApp::start().await;
    let owner = app.owner_key().await;
    app.user("a@b.c", store::users::UserRole::Editor).await;
    let other = app.key("a@b.c", &["*"]).await;
    let body = r#"{"name":"w","nodes":[],"connections":{},"settings":{}}"#;
    assert_eq!(
        app.call("POST", "/api/v1/workflows").key(&owner).json(body).send().await.status,
        200
    );
    for _ in 0..3 {
        for (key, expected) in [(&owner, 1), (&other, 0)] {
            let reply = app.call("GET", "/api/v1/workflows").key(key).send().await;
            assert_eq!(reply.rows().len(), expected);
            assert_eq!(
                reply.header("cache-control"),
                Some("no-store"),
                "a cache on the way may keep an answer"
            );
        }
    }
}

#[tokio::test]
async fn errors_have_one_shape() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    for (method, path, body, status) in [
        ("GET", "/api/v1/nothing", "", 404),
        ("DELETE", "/api/v1/tags", "", 405),
        ("GET", "/api/v1/tags/%ff", "", 400),
        ("GET", "/api/v1/tags?limit=0", "", 400),
        ("GET", "/api/v1/tags?limit=251", "", 400),
        ("GET", "/api/v1/tags?cursor=!", "", 400),
        ("GET", "/api/v1/tags?unheard=of", "", 400),
        ("POST", "/api/v1/tags", "{", 400),
        ("POST", "/api/v1/tags", "[]", 400),
        ("POST", "/api/v1/tags", r#"{"name":7}"#, 400),
        ("GET", "/api/v1/workflows/nope", "", 404),
        ("GET", "/api/v1/executions/nope", "", 404),
    ] {
        let reply = app.call(method, path).key(&key).json(body).send().await;
        assert_eq!(reply.status, status, "{method} {path}: {}", reply.body);
        assert!(!reply.text("message").is_empty() && !reply.text("code").is_empty());
        assert!(reply.header("content-type").unwrap().starts_with("application/json"));
    }
}
