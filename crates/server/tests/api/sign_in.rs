//! The first owner, passwords, sessions and invitations.

use crate::app::{PASSWORD, Session, TestApp};
use std::time::{Duration, Instant};
use store::users::Role;

#[tokio::test]
async fn the_token_of_the_first_start_makes_the_owner_once() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let set_up = |token: &str, email: &str| {
        let body = format!(r#"{{"token":"{token}","email":"{email}","password":"{PASSWORD}","firstName":"Ada"}}"#);
        app.call("POST", "/api/setup").json(&body)
    };
    assert!(app.call("GET", "/api/setup").send().await.body.contains("true"));
    assert_eq!(set_up("wrong", "a@b.c").send().await.status, 401);
    assert_eq!(app.call("POST", "/api/login").json(r#"{"email":"a@b.c","password":""}"#).send().await.status, 401);
    let reply = set_up(&app.setup_token, "Ada@b.c").send().await;
    assert_eq!((reply.status, reply.text("role"), reply.text("email")), (200, "owner".to_owned(), "ada@b.c".to_owned()));
    assert_eq!(set_up(&app.setup_token, "second@b.c").send().await.status, 401);
    assert!(app.call("GET", "/api/setup").send().await.body.contains("false"));
    let session = Session::of(&reply);
    assert_eq!(app.call("GET", "/api/v1/workflows").session(&session).send().await.status, 200);
    // Keys that were made on the command line before belong to the owner now.
    assert_eq!(app.call("GET", "/api/me").key(&key).send().await.text("email"), "ada@b.c");
}

#[tokio::test]
async fn the_cookie_is_kept_from_scripts_and_other_sites() {
    let app = TestApp::start().await;
    app.user("a@b.c", Role::Editor).await;
    let body = format!(r#"{{"email":"A@B.c","password":"{PASSWORD}"}}"#);
    let reply = app.call("POST", "/api/login").json(&body).send().await;
    let cookie = reply.header("set-cookie").unwrap();
    for part in ["heddle_session=", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=604800"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!reply.body.contains(Session::of(&reply).cookie.split_once('=').unwrap().1));
}

#[tokio::test]
async fn changes_need_the_token_of_the_session_and_our_own_page() {
    let app = TestApp::start().await;
    app.user("a@b.c", Role::Editor).await;
    let (session, other) = (app.log_in("a@b.c").await, app.log_in("a@b.c").await);
    let make = |name: &str| app.call("POST", "/api/v1/tags").json(&format!(r#"{{"name":"{name}"}}"#));
    assert_eq!(app.call("GET", "/api/v1/tags").cookie(&session).send().await.status, 200);
    assert_eq!(make("a").cookie(&session).send().await.status, 403);
    assert_eq!(make("a").cookie(&session).header("X-CSRF-Token", &other.csrf).send().await.status, 403);
    assert_eq!(make("a").session(&session).header("Origin", "http://evil.example").send().await.status, 403);
    assert_eq!(make("a").session(&session).header("Origin", "null").send().await.status, 403);
    assert_eq!(make("a").session(&session).header("Origin", &format!("http://{}", app.address)).send().await.status, 201);
    assert_eq!(app.call("POST", "/api/logout").cookie(&session).send().await.status, 403);
    assert_eq!(app.call("GET", "/api/me").cookie(&session).send().await.text("csrfToken"), session.csrf);
}

#[tokio::test]
async fn another_sites_page_cannot_sign_anybody_in() {
    let app = TestApp::start().await;
    app.user("a@b.c", Role::Editor).await;
    let body = format!(r#"{{"email":"a@b.c","password":"{PASSWORD}"}}"#);
    let foreign = app.call("POST", "/api/login").json(&body).header("Origin", "http://evil.example").send().await;
    assert_eq!(foreign.status, 403);
    let form = app.call("POST", "/api/login").header("Content-Type", "text/plain").send().await;
    assert_eq!(form.status, 400);
}

#[tokio::test]
async fn a_session_ends_when_it_is_logged_out_or_the_password_changes() {
    let app = TestApp::start().await;
    app.user("a@b.c", Role::Viewer).await;
    let (first, second, third) = (app.log_in("a@b.c").await, app.log_in("a@b.c").await, app.log_in("a@b.c").await);
    let list = |session: &Session| app.call("GET", "/api/v1/tags").cookie(session).send();
    let out = app.call("POST", "/api/logout").session(&first).send().await;
    assert_eq!(out.status, 204);
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    assert_eq!(list(&first).await.status, 401);
    assert_eq!(list(&second).await.status, 200);
    let change = |current: &str| {
        app.call("POST", "/api/me/password")
            .session(&second)
            .json(&format!(r#"{{"currentPassword":"{current}","password":"another one"}}"#))
    };
    assert_eq!(change("wrong").send().await.status, 403);
    let changed = change(PASSWORD).send().await;
    assert_eq!(changed.status, 200);
    assert_eq!((list(&second).await.status, list(&third).await.status), (401, 401));
    assert_eq!(list(&Session::of(&changed)).await.status, 200);
}

#[tokio::test]
async fn an_unknown_person_and_a_wrong_password_look_the_same() {
    let app = TestApp::start().await;
    app.user("a@b.c", Role::Editor).await;
    app.user("b@b.c", Role::Editor).await;
    app.log_in("b@b.c").await;
    let try_it = |email: String| {
        let app = &app;
        async move {
            let began = Instant::now();
            let reply = app.call("POST", "/api/login").json(&format!(r#"{{"email":"{email}","password":"wrong"}}"#)).send().await;
            (reply.status, reply.body, began.elapsed())
        }
    };
    let (mut known, mut unknown) = (Duration::MAX, Duration::MAX);
    for index in 0..4 {
        let (status, body, took) = try_it("a@b.c".to_owned()).await;
        let (other_status, other_body, other_took) = try_it(format!("nobody{index}@b.c")).await;
        assert_eq!((status, &body), (401, &other_body));
        assert_eq!(status, other_status);
        known = known.min(took);
        unknown = unknown.min(other_took);
    }
    // The fastest of each: the hash takes most of it, whoever was asked for.
    assert!(unknown * 4 > known && known * 4 > unknown, "known {known:?}, unknown {unknown:?}");
}

#[tokio::test]
async fn guessing_is_slowed_down_for_anybody_alike() {
    let app = TestApp::start().await;
    app.user("a@b.c", Role::Editor).await;
    for email in ["a@b.c", "nobody@b.c"] {
        let wrong = || app.call("POST", "/api/login").json(&format!(r#"{{"email":"{email}","password":"wrong"}}"#));
        for _ in 0..5 {
            assert_eq!(wrong().send().await.status, 401);
        }
        let refused = wrong().send().await;
        assert_eq!(refused.status, 429, "{}", refused.body);
        assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    }
    let right = format!(r#"{{"email":"a@b.c","password":"{PASSWORD}"}}"#);
    let many = (0..20).map(|_| app.call("POST", "/api/login").json(r#"{"email":"c@b.c","password":"wrong"}"#).send());
    let replies = futures::future::join_all(many).await;
    assert!(replies.iter().filter(|reply| reply.status == 401).count() <= 5, "many at once slip through");
    assert_eq!(app.call("POST", "/api/login").json(&right).send().await.status, 429);
}

#[tokio::test]
async fn an_invitation_is_good_for_one_password() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let body = r#"[{"email":"new@b.c","role":"global:member"},{"email":"owner@localhost"}]"#;
    let reply = app.call("POST", "/api/v1/users").key(&key).json(body).send().await;
    assert_eq!(reply.status, 201);
    let rows = reply.json().as_array().unwrap().to_vec();
    assert_eq!(rows[0].get("error").unwrap().as_str(), Some(""));
    assert!(rows[1].get("error").unwrap().as_str().unwrap().contains("there already"));
    let link = rows[0].get("user").and_then(|user| user.get("inviteAcceptUrl")).unwrap().as_str().unwrap().to_owned();
    let token = link.split_once('#').unwrap().1;
    let accept = |token: &str, password: &str| {
        app.call("POST", "/api/invitation").json(&format!(r#"{{"token":"{token}","password":"{password}","firstName":"N"}}"#))
    };
    assert_eq!(accept("wrong", PASSWORD).send().await.status, 401);
    assert_eq!(accept(token, "short").send().await.status, 400);
    let accepted = accept(token, PASSWORD).send().await;
    assert_eq!((accepted.status, accepted.text("role")), (200, "editor".to_owned()));
    assert_eq!(accept(token, PASSWORD).send().await.status, 401);
    app.log_in("new@b.c").await;
}
