//! Two-factor authentication: codes of an authenticator app at sign-in.

use crate::app::{PASSWORD, Reply, Session, TestApp, TestOptions};
use heddle_server::AdmissionLimits;
use model::Value;
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use store::second_factors::SecondFactorStore as _;
use store::users::{UserRole, UserStore as _};
use totp_rs::{Builder, Secret, Totp};

/// An authenticator app.
pub(super) struct Authenticator(Totp);

impl Authenticator {
    fn of(setup: &Reply) -> Self {
        let secret = Secret::try_from_base32(setup.text("secret")).unwrap();
        assert!(setup.text("url").starts_with("otpauth://totp/Heddle:a%40b.c?secret="));
        Self(Builder::new().with_secret(secret).build().unwrap())
    }

    /// The code of now, or of so many steps later; those beside now count too.
    pub(super) fn code(&self, later: u64) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        self.0.generate(now + later * 30).to_string()
    }

    /// A code that is none of this minute.
    fn wrong_code(&self) -> String {
        let right: Vec<String> = [0, 1, 2].map(|later| self.code(later)).into();
        ["000000", "111111", "222222", "333333"]
            .into_iter()
            .find(|code| !right.iter().any(|right| right == code))
            .unwrap()
            .into()
    }
}

async fn sign_in(app: &TestApp, code: Option<&str>) -> Reply {
    let code = code.map(|code| format!(r#","code":"{code}""#)).unwrap_or_default();
    let body = format!(r#"{{"email":"a@b.c","password":"{PASSWORD}"{code}}}"#);
    app.call("POST", "/api/login").json(&body).send().await
}

async fn post(app: &TestApp, session: &Session, path: &str, body: &str) -> Reply {
    app.call("POST", &format!("/api/me/two-factor{path}")).session(session).json(body).send().await
}

async fn begin(app: &TestApp, session: &Session) -> Reply {
    post(app, session, "", &format!(r#"{{"currentPassword":"{PASSWORD}"}}"#)).await
}

fn with_code(code: &str) -> String {
    format!(r#"{{"currentPassword":"{PASSWORD}","code":"{code}"}}"#)
}

/// The session that a reply has begun, with the cookie that makes the browser known.
async fn session_of(app: &TestApp, reply: &Reply) -> Session {
    let lines = reply.head.lines().filter_map(|line| line.split_once(": "));
    let cookies = lines.filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    let cookies: Vec<&str> = cookies.map(|(_, value)| value.split(';').next().unwrap()).collect();
    let cookie = cookies.join("; ");
    let me = app.call("GET", "/api/me").header("Cookie", &cookie).send().await;
    assert_eq!(me.status, 200, "{}", me.body);
    Session { cookie, csrf: me.text("csrfToken") }
}

/// Behind a proxy that says where calls come from.
async fn behind_a_proxy() -> TestApp {
    let trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    let admission = AdmissionLimits { trusted_proxies, ..AdmissionLimits::default() };
    TestApp::start_with(TestOptions { admission, ..TestOptions::default() }).await
}

/// Somebody with an app: the session that has set it up, the app and the recovery codes.
pub(super) async fn enabled(app: &TestApp) -> (Session, Authenticator, Vec<String>) {
    app.user("a@b.c", UserRole::Editor).await;
    let session = app.log_in("a@b.c").await;
    let phone = Authenticator::of(&begin(app, &session).await);
    let body = format!(r#"{{"code":"{}"}}"#, phone.code(0));
    let reply = post(app, &session, "/enable", &body).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let codes = reply.json().get("recoveryCodes").unwrap().as_array().unwrap().to_vec();
    let codes = codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect();
    (session_of(app, &reply).await, phone, codes)
}

#[tokio::test]
async fn a_password_is_not_enough_once_an_app_is_set_up_and_a_code_counts_once() {
    let app = TestApp::start().await;
    app.user("a@b.c", UserRole::Editor).await;
    let (session, other) = (app.log_in("a@b.c").await, app.log_in("a@b.c").await);
    let wrong = post(&app, &session, "", r#"{"currentPassword":"guess"}"#).await;
    assert_eq!(wrong.status, 403, "{}", wrong.body);
    let former = Authenticator::of(&begin(&app, &session).await);
    let phone = Authenticator::of(&begin(&app, &session).await);
    assert_eq!(sign_in(&app, None).await.status, 200, "not enabled yet");
    let enable = |code: String| {
        let body = format!(r#"{{"code":"{code}"}}"#);
        let (app, session) = (&app, &session);
        async move { post(app, session, "/enable", &body).await }
    };
    assert_eq!(enable(former.code(0)).await.status, 403, "the secret before");
    let first = phone.code(0);
    let reply = enable(first.clone()).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let me = |session: &Session| app.call("GET", "/api/me").cookie(session).send();
    assert_eq!(me(&other).await.status, 401, "a session that began without the app");
    let session = session_of(&app, &reply).await;
    assert_eq!(me(&session).await.status, 200);
    assert_eq!(begin(&app, &session).await.status, 403, "a second app beside the first");

    let missing = sign_in(&app, None).await;
    assert_eq!((missing.status, missing.text("code").as_str()), (401, "ACCESS_CODE"));
    let unknown = format!(r#"{{"email":"a@b.c","password":"guess","code":"{}"}}"#, phone.code(1));
    let unknown = app.call("POST", "/api/login").json(&unknown).send().await;
    assert_eq!(unknown.text("code"), "ACCESS_DENIED", "the code says nothing without the password");
    assert_eq!(sign_in(&app, Some(&first)).await.text("code"), "ACCESS_CODE", "used at set-up");
    let next = phone.code(1);
    assert_eq!(sign_in(&app, Some(&next)).await.status, 200);
    assert_eq!(sign_in(&app, Some(&next)).await.text("code"), "ACCESS_CODE", "used at sign-in");
    assert_eq!(sign_in(&app, Some(&first)).await.text("code"), "ACCESS_CODE", "an older one");
}

#[tokio::test]
async fn recovery_codes_work_once_and_are_replaced_together() {
    let app = TestApp::start().await;
    let (session, phone, codes) = enabled(&app).await;
    let left = || async {
        let state = app.call("GET", "/api/me/two-factor").cookie(&session).send().await;
        (
            state.json().get("isEnabled") == Some(&Value::from(true)),
            state.json().get("recoveryCodesLeft").cloned(),
        )
    };
    assert_eq!((codes.len(), left().await), (10, (true, Some(10.into()))));
    let written = codes[0].to_uppercase().replace('-', " ");
    assert_eq!(sign_in(&app, Some(&written)).await.status, 200);
    assert_eq!(sign_in(&app, Some(&codes[0])).await.text("code"), "ACCESS_CODE");
    assert_eq!(left().await, (true, Some(9.into())));
    let renewed = post(&app, &session, "/recovery-codes", &with_code(&phone.code(1))).await;
    assert_eq!((renewed.status, left().await), (200, (true, Some(10.into()))));
    assert_eq!(sign_in(&app, Some(&codes[1])).await.text("code"), "ACCESS_CODE", "of before");
    let new = renewed.json().get("recoveryCodes").unwrap().at(0).unwrap().to_js_string();
    let off = post(&app, &session, "/disable", &with_code("wrong")).await;
    assert_eq!(off.status, 403, "{}", off.body);
    assert_eq!(post(&app, &session, "/disable", &with_code(&new)).await.status, 204);
    assert_eq!((sign_in(&app, None).await.status, left().await), (200, (false, Some(0.into()))));
}

/// The count is of the account, whatever the address, and outlives the server.
#[tokio::test]
async fn whoever_knows_the_password_cannot_try_all_codes() {
    let app = behind_a_proxy().await;
    let (session, phone, _) = enabled(&app).await;
    let wrong = phone.wrong_code();
    let from = |address: &str, code: &str| {
        let body = format!(r#"{{"email":"a@b.c","password":"{PASSWORD}","code":"{code}"}}"#);
        app.call("POST", "/api/login").header("X-Forwarded-For", address).json(&body).send()
    };
    for n in 0..5 {
        let reply = from(&format!("203.0.113.{n}"), &wrong).await;
        assert_eq!(reply.text("code"), "ACCESS_CODE", "{n}");
    }
    let refused = from("203.0.113.77", &phone.code(1)).await;
    assert_eq!((refused.status, refused.text("code").as_str()), (429, "ACCESS_ATTEMPTS"));
    assert!(refused.header("retry-after").is_some());
    // A browser that has signed in before waits for nobody.
    let body = format!(r#"{{"email":"a@b.c","password":"{PASSWORD}","code":"{}"}}"#, phone.code(1));
    let known = app.call("POST", "/api/login").cookie(&session).json(&body).send().await;
    assert_eq!(known.status, 200, "{}", known.body);
    let user = app.store.user("a@b.c").await.unwrap().unwrap();
    let kept = app.store.second_factor(&user.id).await.unwrap().unwrap();
    assert_eq!(kept.attempts, 0, "the right code has ended the count");
}

#[tokio::test]
async fn codes_that_are_tried_at_once_count_one_by_one() {
    let app = behind_a_proxy().await;
    let (_, phone, _) = enabled(&app).await;
    let wrong = phone.wrong_code();
    let body = format!(r#"{{"email":"a@b.c","password":"{PASSWORD}","code":"{wrong}"}}"#);
    let tries = (0..40).map(|n| {
        let address = format!("198.51.100.{n}");
        app.call("POST", "/api/login").header("X-Forwarded-For", &address).json(&body).send()
    });
    let started = Instant::now();
    let replies = futures::future::join_all(tries).await;
    let looked_at = replies.iter().filter(|reply| reply.text("code") == "ACCESS_CODE").count();
    // On a slow machine the first waits, of one second, two and so on, end in the meantime.
    let waits = (started.elapsed().as_secs() + 1).ilog2() as usize;
    assert!((1..=5 + waits).contains(&looked_at), "{looked_at} codes were looked at");
}

#[tokio::test]
async fn a_link_for_a_password_does_not_replace_the_app() {
    let app = TestApp::start().await;
    let owner = app.owner_key().await;
    let (_, phone, _) = enabled(&app).await;
    let link = app.call("POST", "/api/v1/users/a@b.c/password-reset").key(&owner).send().await;
    let token = link.text("link").split_once('#').unwrap().1.to_owned();
    let body = format!(r#"{{"token":"{token}","password":"{PASSWORD}"}}"#);
    let accepted = app.call("POST", "/api/invitation").json(&body).send().await;
    assert_eq!((accepted.status, accepted.header("set-cookie")), (204, None));
    assert_eq!(sign_in(&app, None).await.text("code"), "ACCESS_CODE");
    assert_eq!(sign_in(&app, Some(&phone.code(1))).await.status, 200);
}

#[tokio::test]
async fn a_lost_app_is_removed_by_whoever_may_and_by_nobody_below() {
    let app = TestApp::start().await;
    let owner = app.owner_key().await;
    app.user("admin@b.c", UserRole::Admin).await;
    let admin = app.key("admin@b.c", &["*"]).await;
    let other = app.key("admin@b.c", &["user:resetPassword"]).await;
    enabled(&app).await;
    let remove = |user: &str, key: &str| {
        app.call("DELETE", &format!("/api/v1/users/{user}/two-factor")).key(key).send()
    };
    let listed = app.call("GET", "/api/v1/users/a@b.c").key(&owner).send().await;
    assert_eq!(listed.json().get("mfaEnabled"), Some(&Value::from(true)));
    assert_eq!(remove("owner@localhost", &admin).await.status, 403, "somebody above");
    assert_eq!(remove("admin@b.c", &admin).await.status, 403, "one's own, without a code");
    assert_eq!(remove("a@b.c", &other).await.status, 403, "a key for something else");
    assert_eq!(sign_in(&app, None).await.text("code"), "ACCESS_CODE");
    assert_eq!(remove("a@b.c", &admin).await.status, 204);
    assert_eq!(sign_in(&app, None).await.status, 200);
}
