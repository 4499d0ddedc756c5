//! One's own API keys, and links for a new password.

use crate::app::{PASSWORD, TestApp};
use store::users::UserRole;

#[tokio::test]
async fn a_key_is_shown_once_and_works_until_it_is_removed() {
    let app = TestApp::start().await;
    app.user("a@b.c", UserRole::Editor).await;
    app.user("b@b.c", UserRole::Editor).await;
    let (session, other) = (app.log_in("a@b.c").await, app.log_in("b@b.c").await);
    let make = |body: &str| app.call("POST", "/api/me/api-keys").session(&session).json(body);
    let made =
        make(r#"{"label":"laptop","scopes":["tag:list"],"expiresAt":"2100-01-01T00:00:00Z"}"#)
            .send()
            .await;
    assert_eq!(made.status, 201, "{}", made.body);
    let (id, raw) = (made.text("id"), made.text("rawApiKey"));
    assert_eq!(app.call("GET", "/api/v1/tags").key(&raw).send().await.status, 200);
    assert_eq!(
        app.call("POST", "/api/v1/tags").key(&raw).json(r#"{"name":"x"}"#).send().await.status,
        403
    );
    let listed = app.call("GET", "/api/me/api-keys").session(&session).send().await;
    assert!(
        listed.body.contains("laptop")
            && listed.body.contains("tag:list")
            && !listed.body.contains(&raw),
        "{}",
        listed.body
    );
    let path = format!("/api/me/api-keys/{id}");
    assert_eq!(
        app.call("DELETE", &path).session(&other).send().await.status,
        404,
        "another person's key"
    );
    assert_eq!(app.call("DELETE", &path).key(&raw).send().await.status, 403, "a key removes a key");
    assert_eq!(
        app.call("DELETE", &path).cookie(&session).send().await.status,
        403,
        "without the token of the session"
    );
    assert_eq!(app.call("DELETE", &path).session(&session).send().await.status, 204);
    assert_eq!(app.call("GET", "/api/v1/tags").key(&raw).send().await.status, 401);
}

#[tokio::test]
async fn issue_14_00_a_key_makes_shows_and_removes_no_key() {
    let app = TestApp::start().await;
    app.user("a@b.c", UserRole::Editor).await;
    let session = app.log_in("a@b.c").await;
    let made = app.call("POST", "/api/me/api-keys").session(&session);
    let made = made
        .json(
            r#"{"label":"tonight","scopes":["workflow:read"],"expiresAt":"2100-01-01T00:00:00Z"}"#,
        )
        .send()
        .await;
    let (id, expiring) = (made.text("id"), made.text("rawApiKey"));
    for key in
        [expiring, app.key("a@b.c", &["workflow:read"]).await, app.key("a@b.c", &["*"]).await]
    {
        let call = |method: &str, path: &str| app.call(method, path).key(&key);
        for body in [
            r#"{"label":"x","scopes":["workflow:read"]}"#,
            r#"{"label":"x","scopes":["workflow:read"],"expiresAt":"2099-01-01T00:00:00Z"}"#,
            r#"{"label":"x","scopes":["*"]}"#,
            r#"{"label":"x"}"#,
        ] {
            let reply = call("POST", "/api/me/api-keys").json(body).send().await;
            assert_eq!(reply.status, 403, "{body}: {}", reply.body);
            assert!(reply.text("hint").contains("Sign in"), "{}", reply.body);
        }
        let listed = call("GET", "/api/me/api-keys").send().await;
        assert!(listed.status == 403 && !listed.body.contains("tonight"), "{}", listed.body);
        assert_eq!(call("DELETE", &format!("/api/me/api-keys/{id}")).send().await.status, 403);
        let change = format!(r#"{{"currentPassword":"{PASSWORD}","password":"another one"}}"#);
        assert_eq!(call("POST", "/api/me/password").json(&change).send().await.status, 403);
        // The cookie beside it changes nothing: what shows a key is a key.
        let both = call("POST", "/api/me/api-keys")
            .session(&session)
            .json(r#"{"label":"x"}"#)
            .send()
            .await;
        assert_eq!(both.status, 403, "{}", both.body);
    }
    assert_eq!(
        app.call("GET", "/api/me/api-keys")
            .session(&session)
            .send()
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        3
    );
}

#[tokio::test]
async fn a_key_allows_no_more_than_the_role_of_its_maker() {
    let app = TestApp::start().await;
    app.user("a@b.c", UserRole::Editor).await;
    let session = app.log_in("a@b.c").await;
    let make = |body: &str| app.call("POST", "/api/me/api-keys").json(body);
    for (body, status) in [
        (r#"{"label":"k","scopes":["user:create"]}"#, 403),
        (r#"{"label":"k","scopes":["nothing:known"]}"#, 400),
        (r#"{"label":"k","scopes":[]}"#, 400),
        (r#"{"label":"","scopes":["tag:list"]}"#, 400),
        (r#"{"label":"k","expiresAt":"2001-01-01T00:00:00Z"}"#, 400),
        (r#"{"label":"k","expiresAt":true}"#, 400),
        (r#"{"label":"k","userId":"x"}"#, 400),
        (r#"{"label":"k","expiresAt":null}"#, 201),
    ] {
        let reply = make(body).session(&session).send().await;
        assert_eq!(reply.status, status, "{body}: {}", reply.body);
    }
}

#[tokio::test]
async fn a_lost_password_is_replaced_by_a_link_that_works_once() {
    let app = TestApp::start().await;
    let owner = app.owner_key().await;
    app.user("a@b.c", UserRole::Editor).await;
    app.user("admin@b.c", UserRole::Admin).await;
    let admin = app.key("admin@b.c", &["*"]).await;
    let session = app.log_in("a@b.c").await;
    let reset = |user: &str, key: &str| {
        app.call("POST", &format!("/api/v1/users/{user}/password-reset")).key(key).send()
    };
    assert_eq!(
        reset("owner@localhost", &admin).await.status,
        403,
        "an admin takes the owner's account"
    );
    assert_eq!(reset("nobody@b.c", &owner).await.status, 404);
    let (first, second) =
        (reset("a@b.c", &owner).await.text("link"), reset("a@b.c", &owner).await.text("link"));
    let token = |link: &str| link.split_once("/password-reset#").unwrap().1.to_owned();
    let accept = |token: &str| {
        app.call("POST", "/api/invitation")
            .json(&format!(r#"{{"token":"{token}","password":"another one"}}"#))
            .send()
    };
    assert_eq!(accept(&token(&first)).await.status, 401, "an older link");
    assert_eq!(accept(&token(&second)).await.status, 200);
    assert_eq!(accept(&token(&second)).await.status, 401, "the same link again");
    assert_eq!(
        app.call("GET", "/api/v1/tags").cookie(&session).send().await.status,
        401,
        "a session from before"
    );
    let old = format!(r#"{{"email":"a@b.c","password":"{PASSWORD}"}}"#);
    assert_eq!(app.call("POST", "/api/login").json(&old).send().await.status, 401);
    assert_eq!(
        app.call("POST", "/api/login")
            .json(r#"{"email":"a@b.c","password":"another one"}"#)
            .send()
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn the_pages_behind_links_are_plain_and_closed() {
    let app = TestApp::start().await;
    for path in ["/invitation", "/password-reset"] {
        let page = app.call("GET", path).send().await;
        assert_eq!(page.status, 200);
        assert!(!page.body.contains("{{") && page.body.contains("autocomplete=\"new-password\""));
        let policy = page.header("content-security-policy").unwrap();
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(
            policy.contains("script-src 'sha256-")
                && !policy.contains("script-src 'self'")
                && !policy.contains("unsafe"),
            "{policy}"
        );
        assert_eq!(
            (page.header("referrer-policy"), page.header("cache-control")),
            (Some("no-referrer"), Some("no-store"))
        );
    }
}

#[tokio::test]
async fn issue_14_00_api_keys_end_with_a_password_that_somebody_else_resets() {
    let app = TestApp::start().await;
    let admin = app.owner_key().await;
    let user = app.user("a@b.c", UserRole::Editor).await;
    let other = app.key("owner@localhost", &["tag:list"]).await;
    let (own, session) = (app.key("a@b.c", &["*"]).await, app.log_in("a@b.c").await);
    let list = |key: &str| app.call("GET", "/api/v1/tags").key(key).send();
    let change = format!(r#"{{"currentPassword":"{PASSWORD}","password":"chosen by myself"}}"#);
    assert_eq!(
        app.call("POST", "/api/me/password").session(&session).json(&change).send().await.status,
        200
    );
    assert_eq!(list(&own).await.status, 200, "whoever changes their own password keeps their keys");
    let reset = app
        .call("POST", &format!("/api/v1/users/{}/password-reset", user.id))
        .key(&admin)
        .send()
        .await
        .text("link");
    assert_eq!(list(&own).await.status, 200, "a link that nobody has used changes nothing");
    let body =
        format!(r#"{{"token":"{}","password":"another one"}}"#, reset.split_once('#').unwrap().1);
    assert_eq!(app.call("POST", "/api/invitation").json(&body).send().await.status, 200);
    assert_eq!(list(&own).await.status, 401);
    assert_eq!(list(&other).await.status, 200, "keys of others stay");
}
