//! The first owner, passwords, sessions and invitations.

use crate::app::{PASSWORD, Reply, Session, TestApp, TestOptions};
use heddle_server::AdmissionLimits;
use std::time::{Duration, Instant};
use store::users::UserRole;

#[tokio::test]
async fn the_token_of_the_first_start_makes_the_owner_once() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let set_up = |token: &str, email: &str| {
        let body = format!(
            r#"{{"token":"{token}","email":"{email}","password":"{PASSWORD}","firstName":"Ada"}}"#
        );
        app.call("POST", "/api/setup").json(&body)
    };
    assert!(app.call("GET", "/api/setup").send().await.body.contains("true"));
    assert_eq!(set_up("wrong", "a@b.c").send().await.status, 401);
    assert_eq!(
        app.call("POST", "/api/login")
            .json(r#"{"email":"a@b.c","password":""}"#)
            .send()
            .await
            .status,
        401
    );
    let reply = set_up(&app.setup_token, "Ada@b.c").send().await;
    assert_eq!(
        (reply.status, reply.text("role"), reply.text("email")),
        (200, "owner".to_owned(), "ada@b.c".to_owned())
    );
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
    app.user("a@b.c", UserRole::Editor).await;
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
    app.user("a@b.c", UserRole::Editor).await;
    let (session, other) = (app.log_in("a@b.c").await, app.log_in("a@b.c").await);
    let make =
        |name: &str| app.call("POST", "/api/v1/tags").json(&format!(r#"{{"name":"{name}"}}"#));
    assert_eq!(app.call("GET", "/api/v1/tags").cookie(&session).send().await.status, 200);
    assert_eq!(make("a").cookie(&session).send().await.status, 403);
    assert_eq!(
        make("a").cookie(&session).header("X-CSRF-Token", &other.csrf).send().await.status,
        403
    );
    assert_eq!(
        make("a").session(&session).header("Origin", "http://evil.example").send().await.status,
        403
    );
    assert_eq!(make("a").session(&session).header("Origin", "null").send().await.status, 403);
    assert_eq!(
        make("a")
            .session(&session)
            .header("Origin", &format!("http://{}", app.address))
            .send()
            .await
            .status,
        201
    );
    assert_eq!(app.call("POST", "/api/logout").cookie(&session).send().await.status, 403);
    assert_eq!(
        app.call("GET", "/api/me").cookie(&session).send().await.text("csrfToken"),
        session.csrf
    );
}

#[tokio::test]
async fn another_sites_page_cannot_sign_anybody_in() {
    let app = TestApp::start().await;
    app.user("a@b.c", UserRole::Editor).await;
    let body = format!(r#"{{"email":"a@b.c","password":"{PASSWORD}"}}"#);
    let foreign = app
        .call("POST", "/api/login")
        .json(&body)
        .header("Origin", "http://evil.example")
        .send()
        .await;
    assert_eq!(foreign.status, 403);
    let form = app.call("POST", "/api/login").header("Content-Type", "text/plain").send().await;
    assert_eq!(form.status, 400);
}

#[tokio::test]
async fn a_session_ends_when_it_is_logged_out_or_the_password_changes() {
    let app = TestApp::start().await;
    app.user("a@b.c", UserRole::Viewer).await;
    let (first, second, third) =
        (app.log_in("a@b.c").await, app.log_in("a@b.c").await, app.log_in("a@b.c").await);
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
async fn somebody_changes_their_name_and_stays_signed_in() {
    let app = TestApp::start().await;
    app.user("a@b.c", UserRole::Viewer).await;
    let session = app.log_in("a@b.c").await;
    let names = r#"{"firstName":"Ada","lastName":"Lovelace"}"#;
    let changed = app.call("POST", "/api/me/name").session(&session).json(names).send().await;
    assert_eq!((changed.status, changed.text("csrfToken")), (200, session.csrf.clone()));
    let me = app.call("GET", "/api/me").cookie(&session).send().await;
    assert_eq!((me.text("firstName"), me.text("lastName")), ("Ada".into(), "Lovelace".into()));
    let without_token = app.call("POST", "/api/me/name").cookie(&session).json(names).send().await;
    assert_eq!(without_token.status, 403);
    let long = format!(r#"{{"firstName":"{}","lastName":""}}"#, "x".repeat(33));
    assert_eq!(
        app.call("POST", "/api/me/name").session(&session).json(&long).send().await.status,
        400
    );
}

#[tokio::test]
async fn an_email_address_changes_only_with_the_password() {
    let app = TestApp::start().await;
    app.user("a@b.c", UserRole::Viewer).await;
    app.user("taken@b.c", UserRole::Viewer).await;
    let session = app.log_in("a@b.c").await;
    let change = |email: &str, password: &str| {
        let body = format!(r#"{{"currentPassword":"{password}","email":"{email}"}}"#);
        app.call("POST", "/api/me/email").session(&session).json(&body).send()
    };
    assert_eq!(change("new@b.c", "wrong").await.status, 403);
    let taken = change("Taken@b.c", PASSWORD).await;
    assert_eq!((taken.status, taken.text("code").as_str()), (409, "NAME_TAKEN"));
    assert_eq!(change("no address", PASSWORD).await.status, 400);
    let changed = change("New@B.c", PASSWORD).await;
    assert_eq!((changed.status, changed.text("email").as_str()), (200, "new@b.c"));
    // The session goes on, the old address signs nobody in any more.
    assert_eq!(app.call("GET", "/api/me").cookie(&session).send().await.text("email"), "new@b.c");
    let with = |email: &str| format!(r#"{{"email":"{email}","password":"{PASSWORD}"}}"#);
    let old = app.call("POST", "/api/login").json(&with("a@b.c")).send().await;
    assert_eq!(old.status, 401);
    app.log_in("new@b.c").await;
}

#[tokio::test]
async fn guessing_the_password_of_an_open_session_is_slowed_down() {
    let app = TestApp::start().await;
    app.user("a@b.c", UserRole::Viewer).await;
    let session = app.log_in("a@b.c").await;
    let guess = r#"{"currentPassword":"wrong","email":"new@b.c"}"#;
    let mut answers = Vec::new();
    for _ in 0..7 {
        let reply = app.call("POST", "/api/me/email").session(&session).json(guess).send().await;
        answers.push(reply.status);
    }
    assert!(answers.contains(&429), "{answers:?}");
    // The password form shares the count.
    let change = r#"{"currentPassword":"wrong","password":"another one"}"#;
    let other = app.call("POST", "/api/me/password").session(&session).json(change).send().await;
    assert_eq!(other.status, 429);
}

#[tokio::test]
async fn an_unknown_person_and_a_wrong_password_look_the_same() {
    let app = TestApp::start().await;
    for name in ["a", "b", "c", "d"] {
        app.user(&format!("{name}@b.c"), UserRole::Editor).await;
    }
    app.log_in("b@b.c").await;
    let try_it = |email: String| {
        let app = &app;
        async move {
            let began = Instant::now();
            let reply = app
                .call("POST", "/api/login")
                .json(&format!(r#"{{"email":"{email}","password":"wrong"}}"#))
                .send()
                .await;
            (reply.status, reply.body, began.elapsed())
        }
    };
    let (mut known, mut unknown) = (Duration::MAX, Duration::MAX);
    for index in 0..12 {
        let (status, body, took) = try_it(format!("{}@b.c", ["a", "c", "d"][index / 4])).await;
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
    app.user("a@b.c", UserRole::Editor).await;
    for email in ["a@b.c", "nobody@b.c"] {
        let wrong = || {
            app.call("POST", "/api/login")
                .json(&format!(r#"{{"email":"{email}","password":"wrong"}}"#))
        };
        // On a machine that takes a second for a hash, a few more are allowed: each has to wait
        // twice as long as the one before.
        let mut n_tried = 0;
        let refused = loop {
            let reply = wrong().send().await;
            if reply.status != 401 {
                break reply;
            }
            n_tried += 1;
            assert!(n_tried < 20, "nobody is slowed down");
        };
        assert!(
            refused.status == 429 && n_tried >= 5,
            "{} after {n_tried}: {}",
            refused.status,
            refused.body
        );
        assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
        let right = format!(r#"{{"email":"{email}","password":"{PASSWORD}"}}"#);
        assert_eq!(app.call("POST", "/api/login").json(&right).send().await.status, 429);
    }
    let many = (0..20).map(|_| {
        app.call("POST", "/api/login").json(r#"{"email":"c@b.c","password":"wrong"}"#).send()
    });
    let replies = futures::future::join_all(many).await;
    assert!(
        replies.iter().filter(|reply| reply.status == 401).count() < 10,
        "many at once slip through"
    );
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
    assert!(rows[1].get("error").unwrap().as_str().unwrap().contains("already"));
    let link = rows[0]
        .get("user")
        .and_then(|user| user.get("inviteAcceptUrl"))
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned();
    let token = link.split_once('#').unwrap().1;
    let accept = |token: &str, password: &str| {
        app.call("POST", "/api/invitation")
            .json(&format!(r#"{{"token":"{token}","password":"{password}","firstName":"N"}}"#))
    };
    assert_eq!(accept("wrong", PASSWORD).send().await.status, 401);
    assert_eq!(accept(token, "short").send().await.status, 400);
    let accepted = accept(token, PASSWORD).send().await;
    assert_eq!((accepted.status, accepted.text("role")), (200, "editor".to_owned()));
    assert_eq!(accept(token, PASSWORD).send().await.status, 401);
    app.log_in("new@b.c").await;
}

/// A server behind a proxy that tells whose requests it passes on.
async fn behind_a_proxy() -> TestApp {
    let admission = AdmissionLimits {
        trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
        ..AdmissionLimits::default()
    };
    TestApp::start_with(TestOptions { admission, remote_setup: true, ..TestOptions::default() })
        .await
}

const STRANGER: &str = "203.0.113.7";
const ELSEWHERE: &str = "198.51.100.9";

#[tokio::test]
async fn issue_14_14_wrong_passwords_of_a_stranger_do_not_lock_the_owner_out() {
    let app = behind_a_proxy().await;
    app.user("a@b.c", UserRole::Owner).await;
    let log_in = |from: &str, password: &str, cookie: &str| {
        let body = format!(r#"{{"email":"a@b.c","password":"{password}"}}"#);
        app.call("POST", "/api/login")
            .json(&body)
            .header("X-Forwarded-For", from)
            .header("Cookie", cookie)
            .send()
    };
    let known = log_in(STRANGER, PASSWORD, "a=b").await;
    let device = device_of(&known);
    for _ in 0..5 {
        assert_eq!(log_in(STRANGER, "wrong", "a=b").await.status, 401);
    }
    assert_eq!(log_in(STRANGER, PASSWORD, "a=b").await.status, 429, "whoever guesses waits");
    assert_eq!(
        log_in(ELSEWHERE, PASSWORD, "a=b").await.status,
        200,
        "the owner at another address does not"
    );
    assert_eq!(
        log_in(STRANGER, PASSWORD, &device).await.status,
        200,
        "nor on a device that is known, at the stranger's address"
    );
    assert_eq!(
        log_in(STRANGER, PASSWORD, &format!("{device}x")).await.status,
        429,
        "a device that somebody made up is not known"
    );
    assert_eq!(
        app.call("GET", "/api/me")
            .cookie(&Session::of(&known))
            .header("X-Forwarded-For", STRANGER)
            .send()
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn issue_14_14_wrong_links_of_a_stranger_do_not_spoil_those_of_others() {
    let app = behind_a_proxy().await;
    let key = app.owner_key().await;
    let call = |path: &str, from: &str, body: &str| {
        app.call("POST", path).json(body).header("X-Forwarded-For", from).send()
    };
    let with =
        |token: &str| format!(r#"{{"token":"{token}","email":"o@b.c","password":"{PASSWORD}"}}"#);
    let accepting = |token: &str| format!(r#"{{"token":"{token}","password":"{PASSWORD}"}}"#);
    let made =
        app.call("POST", "/api/v1/users").key(&key).json(r#"[{"email":"new@b.c"}]"#).send().await;
    let link =
        made.body.split_once("/invitation#").unwrap().1.split_once('"').unwrap().0.to_owned();
    for _ in 0..40 {
        assert!(matches!(
            call("/api/invitation", STRANGER, &accepting("wrong")).await.status,
            401 | 429
        ));
        assert!(matches!(call("/api/setup", STRANGER, &with("wrong")).await.status, 401 | 429));
    }
    assert_eq!(call("/api/setup", ELSEWHERE, &with(&app.setup_token)).await.status, 200);
    assert_eq!(call("/api/invitation", ELSEWHERE, &accepting(&link)).await.status, 200);
}

#[tokio::test]
async fn issue_14_00_only_this_machine_is_told_that_nobody_owns_the_instance() {
    let app = behind_a_proxy().await;
    let needed = async |from: &str| {
        app.call("GET", "/api/setup").header("X-Forwarded-For", from).send().await.body
    };
    assert!(needed(STRANGER).await.contains("false"));
    assert!(app.call("GET", "/api/setup").send().await.body.contains("true"));
}

#[tokio::test]
async fn issue_14_00_the_first_owner_is_made_on_this_machine_unless_it_is_allowed_elsewhere() {
    let admission = || AdmissionLimits {
        trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
        ..AdmissionLimits::default()
    };
    for named in [true, false] {
        let admission = if named { admission() } else { AdmissionLimits::default() };
        let app = TestApp::start_with(TestOptions { admission, ..TestOptions::default() }).await;
        let set_up = |token: &str| {
            let body = format!(r#"{{"token":"{token}","email":"o@b.c","password":"{PASSWORD}"}}"#);
            app.call("POST", "/api/setup").json(&body)
        };
        for (name, value) in [
            ("X-Forwarded-For", STRANGER),
            ("X-Forwarded-For", "127.0.0.1"),
            ("Forwarded", "for=127.0.0.1"),
            ("Via", "1.1 p"),
        ] {
            for token in ["wrong", &app.setup_token] {
                let refused = set_up(token).header(name, value).send().await;
                assert_eq!(
                    (refused.status, refused.text("code").as_str()),
                    (403, "ACCESS_FORBIDDEN"),
                    "{name}: {value}"
                );
                assert!(refused.text("hint").contains("HEDDLE_REMOTE_SETUP=1"));
            }
        }
        assert_eq!(set_up("wrong").send().await.status, 401, "the token is needed here too");
        assert_eq!(set_up(&app.setup_token).send().await.status, 200);
    }
    let app = TestApp::start_with(TestOptions {
        admission: admission(),
        remote_setup: true,
        ..TestOptions::default()
    })
    .await;
    let body =
        format!(r#"{{"token":"{}","email":"o@b.c","password":"{PASSWORD}"}}"#, app.setup_token);
    assert_eq!(
        app.call("POST", "/api/setup")
            .json(&body)
            .header("X-Forwarded-For", STRANGER)
            .send()
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn issue_14_14_a_reset_forgets_devices_and_ends_what_was_under_way() {
    let app = behind_a_proxy().await;
    let user = app.user("a@b.c", UserRole::Owner).await;
    let log_in = |password: &str, cookie: &str| {
        let body = format!(r#"{{"email":"a@b.c","password":"{password}"}}"#);
        app.call("POST", "/api/login")
            .json(&body)
            .header("X-Forwarded-For", STRANGER)
            .header("Cookie", cookie)
            .send()
    };
    let device = device_of(&log_in(PASSWORD, "a=b").await);
    let hash = heddle_server::passwords::hash("another one".to_owned()).await.unwrap();
    assert!(store::UserStore::set_password(&app.store, &user.id, &hash).await.unwrap());
    // The first wait is short: a machine that stands still may let it pass.
    for _ in 0..5 {
        let mut began = Instant::now();
        for _ in 0..5 {
            began = Instant::now();
            assert!(matches!(log_in(PASSWORD, &device).await.status, 401 | 429));
        }
        if log_in("another one", &device).await.status == 429 {
            return;
        }
        assert!(began.elapsed() >= Duration::from_secs(1), "the device is a stranger's now");
    }
    panic!("no wrong password was followed by the right one at once");
}

#[tokio::test]
async fn issue_14_13_a_session_over_https_has_the_protected_name_alone() {
    let app = TestApp::start_with(TestOptions {
        base_url: Some("https://heddle.example.com"),
        ..TestOptions::default()
    })
    .await;
    app.user("a@b.c", UserRole::Editor).await;
    let session = app.log_in("a@b.c").await;
    let (name, token) = session.cookie.split_once('=').unwrap();
    assert_eq!(name, "__Host-heddle_session");
    let me = |cookies: String| app.call("GET", "/api/me").header("Cookie", &cookies).send();
    assert_eq!(me(session.cookie.clone()).await.status, 200);
    assert_eq!(
        me(format!("heddle_session={token}")).await.status,
        401,
        "the plain name is nobody's session here"
    );
    assert_eq!(me(format!("heddle_session=tossed; {}", session.cookie)).await.status, 200);
    assert_eq!(
        me(format!("{}; {}", session.cookie, session.cookie)).await.status,
        401,
        "two are one too many"
    );
    assert_eq!(me(format!("={}", session.cookie)).await.status, 401);
}

/// The cookie by which a browser is known.
fn device_of(reply: &Reply) -> String {
    let cookies = reply.head.lines().filter_map(|line| line.strip_prefix("set-cookie: "));
    cookies
        .filter_map(|cookie| cookie.split(';').next())
        .find(|cookie| cookie.contains("heddle_device="))
        .unwrap()
        .to_owned()
}
