//! Signing in with an OpenID Connect provider, and what somebody without an account there tries.

use super::two_factor::enabled;
use crate::app::{PASSWORD, Reply, Session, TestApp, TestOptions};
use crate::oidc_provider::{CLIENT_ID, FakeProvider, TokenPlan};
use heddle_server::{AdmissionLimits, KnownProvider, OidcProvider};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use store::identities::IdentityStore as _;
use store::users::{UserRole, UserStore as _};

type TokenChange = fn(&mut TokenPlan);

/// Behind a proxy, so that each call can come from an address of its own.
async fn app_with(provider: &FakeProvider, new_users: Option<UserRole>) -> TestApp {
    app_for(provider.settings(new_users)).await
}

async fn app_for(settings: OidcProvider) -> TestApp {
    let trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    let admission = AdmissionLimits { trusted_proxies, ..AdmissionLimits::default() };
    TestApp::start_with(TestOptions { admission, oidc: Some(settings), ..TestOptions::default() })
        .await
}

/// On the way to the provider: what the browser keeps and what the provider is asked.
struct Visit {
    cookie: String,
    state: String,
    nonce: String,
    challenge: String,
}

impl Visit {
    fn of(reply: &Reply, url: &str) -> Self {
        let query = url.split_once('?').unwrap().1;
        let value = |name: &str| {
            let pair = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")));
            pair.unwrap_or_else(|| panic!("no {name} in {url}")).to_owned()
        };
        assert_eq!(value("code_challenge_method"), "S256");
        assert_eq!(value("client_id"), CLIENT_ID);
        let cookie = reply.header("set-cookie").unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
        Self {
            cookie: cookie.split(';').next().unwrap().to_owned(),
            state: value("state"),
            nonce: value("nonce"),
            challenge: value("code_challenge"),
        }
    }
}

fn address() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("198.51.{}.{}", number / 250, number % 250 + 1)
}

async fn leave(app: &TestApp) -> Visit {
    let from = address();
    let reply = app.call("GET", "/api/oidc/sign-in").header("X-Forwarded-For", &from).send().await;
    assert_eq!(reply.status, 303, "{}", reply.body);
    let url = reply.header("location").unwrap().to_owned();
    Visit::of(&reply, &url)
}

async fn come_back(app: &TestApp, cookie: &str, query: &str) -> Reply {
    let call = app.call("GET", &format!("/api/oidc/callback?{query}"));
    call.header("X-Forwarded-For", &address()).header("Cookie", cookie).send().await
}

/// All the way, with a token as the provider would sign it but for what the test changes.
async fn sign_in(
    app: &TestApp,
    provider: &FakeProvider,
    plan: impl FnOnce(&mut TokenPlan),
) -> Reply {
    let visit = leave(app).await;
    provider.answer(&visit.nonce, &visit.challenge, plan);
    come_back(app, &visit.cookie, &format!("code=good&state={}", visit.state)).await
}

fn place(reply: &Reply) -> &str {
    assert_eq!(reply.status, 303, "{}", reply.body);
    reply.header("location").unwrap()
}

/// Whose session the reply has begun.
async fn who(app: &TestApp, reply: &Reply) -> Option<String> {
    let lines = reply.head.lines().filter_map(|line| line.split_once(": "));
    let cookies = lines.filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    let cookies: Vec<&str> = cookies.map(|(_, value)| value.split(';').next().unwrap()).collect();
    let cookies = cookies.into_iter().filter(|cookie| !cookie.ends_with('='));
    let cookie = cookies.collect::<Vec<_>>().join("; ");
    let me = app.call("GET", "/api/me").header("Cookie", &cookie).send().await;
    (me.status == 200).then(|| me.text("email"))
}

#[tokio::test]
async fn somebody_with_an_account_signs_in_by_an_address_that_the_provider_has_verified() {
    let provider = FakeProvider::start();
    let app = app_with(&provider, None).await;
    app.user("ann@b.c", UserRole::Editor).await;
    let reply = sign_in(&app, &provider, |token| token.set("email", "Ann@B.c".into())).await;
    assert_eq!((place(&reply), who(&app, &reply).await), ("/", Some("ann@b.c".into())));
    // From now on the provider's name for them counts, whatever their address is there.
    let reply = sign_in(&app, &provider, |token| {
        token.set("email", "other@b.c".into());
        token.set("email_verified", false.into());
    })
    .await;
    assert_eq!(who(&app, &reply).await, Some("ann@b.c".into()));
    let exchanged = provider.requests_to("/token");
    assert!(exchanged[0].header("authorization").unwrap().starts_with("Basic "));
    assert!(!exchanged[0].text().contains("client_secret"), "the secret goes one way only");
}

#[tokio::test]
async fn a_token_that_was_not_made_for_this_sign_in_opens_nothing() {
    let provider = FakeProvider::start();
    let app = app_with(&provider, Some(UserRole::Admin)).await;
    app.user("ann@b.c", UserRole::Owner).await;
    let cases: &[(&str, TokenChange)] = &[
        ("of another sign-in", |token| token.set("nonce", "other".into())),
        ("without its nonce", |token| token.unset("nonce")),
        ("for another client", |token| token.set("aud", "other".into())),
        ("used by another client", |token| token.set("azp", "other".into())),
        ("without an audience", |token| token.unset("aud")),
        ("of another provider", |token| token.set("iss", "https://evil.example".into())),
        ("expired", |token| token.set("exp", 1_600_000_000.into())),
        ("without an end", |token| token.unset("exp")),
        ("not valid yet", |token| token.set("nbf", 4_000_000_000_u64.into())),
        ("without a subject", |token| token.set("sub", "".into())),
        ("with no signature", TokenPlan::sign_with_nothing),
        ("signed with the client's secret", TokenPlan::sign_with_the_secret),
        ("signed with the published key as a secret", TokenPlan::sign_with_the_published_key),
        ("signed with another key of the same name", TokenPlan::sign_with_another_key),
        ("changed after it was signed", TokenPlan::change_after_signing),
        ("not a token", |token| token.replace_with("a.b.c")),
        ("empty", |token| token.replace_with("")),
        ("with a key of its own", TokenPlan::bring_the_key),
    ];
    for (what, plan) in cases {
        let reply = sign_in(&app, &provider, plan).await;
        let found = (place(&reply), who(&app, &reply).await);
        assert_eq!(found, ("/signin?oidc=unavailable", None), "a token {what}");
    }
    let fine = sign_in(&app, &provider, |_| {}).await;
    assert_eq!(place(&fine), "/", "the plan itself is fine");
}

/// A provider that changes its key is asked for the new one, but not by every token that names one.
#[tokio::test]
async fn a_new_key_of_the_provider_counts_and_the_former_one_no_longer() {
    let provider = FakeProvider::start();
    let app = app_with(&provider, Some(UserRole::Viewer)).await;
    let fetched = || provider.requests_to("/keys").len();
    assert_eq!(place(&sign_in(&app, &provider, |_| {}).await), "/");
    provider.change_key("key-2");
    for _ in 0..3 {
        assert_eq!(place(&sign_in(&app, &provider, |_| {}).await), "/signin?oidc=unavailable");
    }
    assert_eq!(fetched(), 1, "what was just fetched is not fetched again");

    let known = KnownProvider::refreshed_after(Duration::ZERO);
    let eager = app_for(OidcProvider { known, ..provider.settings(Some(UserRole::Viewer)) });
    let eager = eager.await;
    assert_eq!(place(&sign_in(&eager, &provider, |_| {}).await), "/");
    assert_eq!(fetched(), 2);
    let visit = leave(&eager).await;
    provider.answer(&visit.nonce, &visit.challenge, |_| {});
    provider.change_key("key-3");
    let query = format!("code=good&state={}", visit.state);
    let late = come_back(&eager, &visit.cookie, &query).await;
    assert_eq!(place(&late), "/", "signed with the key that is still known here");
    assert_eq!(place(&sign_in(&eager, &provider, |_| {}).await), "/");
    assert_eq!(fetched(), 3);
    let visit = leave(&eager).await;
    provider.change_key("key-2");
    provider.answer(&visit.nonce, &visit.challenge, |_| {});
    provider.change_key("key-3");
    let query = format!("code=good&state={}", visit.state);
    let former = come_back(&eager, &visit.cookie, &query).await;
    assert_eq!(place(&former), "/signin?oidc=unavailable");
}

#[tokio::test]
async fn an_answer_counts_in_the_browser_that_asked_and_nowhere_else() {
    let provider = FakeProvider::start();
    let app = app_with(&provider, Some(UserRole::Viewer)).await;
    let (mine, theirs) = (leave(&app).await, leave(&app).await);
    provider.answer(&mine.nonce, &mine.challenge, |_| {});
    let answers = [
        (String::new(), format!("code=good&state={}", mine.state)),
        (theirs.cookie.clone(), format!("code=good&state={}", mine.state)),
        (mine.cookie.clone(), "code=good".to_owned()),
        (mine.cookie.clone(), "code=good&state=".to_owned()),
        (mine.cookie.replace('.', ".x"), format!("code=good&state={}", mine.state)),
        (format!("{0}; {0}", mine.cookie), format!("code=good&state={}", mine.state)),
    ];
    for (cookie, query) in answers {
        let reply = come_back(&app, &cookie, &query).await;
        assert_eq!(place(&reply), "/signin?oidc=expired", "{cookie} {query}");
        assert_eq!(who(&app, &reply).await, None);
    }
    let extra = format!("error=denied&session_state=1&scope=openid&state={}", mine.state);
    assert_eq!(place(&come_back(&app, &mine.cookie, &extra).await), "/signin?oidc=denied");
    let from_another = format!("code=good&state={}&iss=https://evil.example", mine.state);
    let denied = format!("error=access_denied&state={}", mine.state);
    for query in [from_another, denied] {
        let reply = come_back(&app, &mine.cookie, &query).await;
        assert_eq!(place(&reply), "/signin?oidc=denied", "{query}");
    }
    assert!(provider.requests_to("/token").is_empty(), "no code was given away");
    // The code of somebody else's sign-in does not fit what this one has kept.
    provider.answer(&theirs.nonce, &mine.challenge, |_| {});
    let query = format!("code=good&state={}", theirs.state);
    let reply = come_back(&app, &theirs.cookie, &query).await;
    assert_eq!(place(&reply), "/signin?oidc=unavailable");
    provider.answer(&mine.nonce, &mine.challenge, |_| {});
    let query = format!("code=good&state={}", mine.state);
    assert_eq!(place(&come_back(&app, &mine.cookie, &query).await), "/");
}

#[tokio::test]
async fn who_is_let_in_is_decided_here() {
    let provider = FakeProvider::start();
    let app = app_with(&provider, None).await;
    app.user("ann@b.c", UserRole::Owner).await;
    let unverified: [TokenChange; 4] = [
        |token| token.set("email_verified", false.into()),
        |token| token.unset("email_verified"),
        |token| token.set("email_verified", "yes".into()),
        |token| token.unset("email"),
    ];
    for plan in unverified {
        let reply = sign_in(&app, &provider, plan).await;
        assert_eq!(place(&reply), "/signin?oidc=unverified");
        assert_eq!(who(&app, &reply).await, None);
    }
    let stranger = |token: &mut TokenPlan| token.set("email", "eve@b.c".into());
    assert_eq!(place(&sign_in(&app, &provider, stranger).await), "/signin?oidc=unknown");
    // An id is not an address.
    let ann = app.store.user("ann@b.c").await.unwrap().unwrap();
    let id = ann.id.to_string();
    let reply = sign_in(&app, &provider, |token| token.set("email", id.into())).await;
    assert_eq!(place(&reply), "/signin?oidc=unverified");

    let open = app_with(&provider, Some(UserRole::Viewer)).await;
    let reply = sign_in(&open, &provider, |token| {
        token.set("email", "new@b.c".into());
        token.set("given_name", "N".repeat(99).into());
    })
    .await;
    assert_eq!(who(&open, &reply).await, Some("new@b.c".into()));
    let user = open.store.user("new@b.c").await.unwrap().unwrap();
    assert_eq!((user.role, user.first_name.len()), (UserRole::Viewer, 32));
    let body = r#"{"email":"new@b.c","password":"guess"}"#;
    assert_eq!(open.call("POST", "/api/login").json(body).send().await.status, 401);
}

#[tokio::test]
async fn an_account_with_an_authenticator_app_is_connected_by_whoever_is_signed_in_to_it() {
    let provider = FakeProvider::start();
    let app = app_with(&provider, None).await;
    app.user("b@b.c", UserRole::Editor).await;
    let (session, phone, _) = enabled(&app).await;
    let theirs = |token: &mut TokenPlan| token.set("email", "a@b.c".into());
    assert_eq!(place(&sign_in(&app, &provider, theirs).await), "/signin?oidc=not-connected");

    let connect = |session: &Session, body: String| {
        let call = app.call("POST", "/api/me/oidc/connect");
        call.session(session).json(&body).send()
    };
    let missing = connect(&session, format!(r#"{{"currentPassword":"{PASSWORD}"}}"#)).await;
    assert_eq!(missing.status, 403, "{}", missing.body);
    let guessed = connect(&session, r#"{"currentPassword":"guess"}"#.into()).await;
    assert_eq!(guessed.status, 403, "{}", guessed.body);
    let both = format!(r#"{{"currentPassword":"{PASSWORD}","code":"{}"}}"#, phone.code(1));
    let foreign = app.call("POST", "/api/me/oidc/connect").cookie(&session).json(&both);
    assert_eq!(foreign.send().await.status, 403, "without the token against other sites");
    let reply = connect(&session, both).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let visit = Visit::of(&reply, &reply.text("url"));
    provider.answer(&visit.nonce, &visit.challenge, theirs);
    let query = format!("code=good&state={}", visit.state);
    let back = come_back(&app, &visit.cookie, &query).await;
    assert_eq!((place(&back), who(&app, &back).await), ("/settings/personal?oidc=connected", None));
    assert_eq!(who(&app, &sign_in(&app, &provider, theirs).await).await, Some("a@b.c".into()));

    // The same person at the provider cannot be two people here.
    let other = app.log_in("b@b.c").await;
    let reply = connect(&other, format!(r#"{{"currentPassword":"{PASSWORD}"}}"#)).await;
    let visit = Visit::of(&reply, &reply.text("url"));
    provider.answer(&visit.nonce, &visit.challenge, theirs);
    let query = format!("code=good&state={}", visit.state);
    assert_eq!(
        place(&come_back(&app, &visit.cookie, &query).await),
        "/settings/personal?oidc=taken"
    );
    let state = app.call("GET", "/api/me/oidc").cookie(&other).send().await;
    assert_eq!(state.json().get("isConnected"), Some(&false.into()));

    let ended = app.call("DELETE", "/api/me/oidc").session(&session).send().await;
    assert_eq!(ended.status, 204, "{}", ended.body);
    assert_eq!(place(&sign_in(&app, &provider, theirs).await), "/signin?oidc=not-connected");
}

/// A password that was changed meanwhile ends the way that began before.
#[tokio::test]
async fn a_connection_that_was_begun_with_a_former_password_is_not_made() {
    let provider = FakeProvider::start();
    let app = app_with(&provider, None).await;
    let user = app.user("a@b.c", UserRole::Editor).await;
    let session = app.log_in("a@b.c").await;
    let body = format!(r#"{{"currentPassword":"{PASSWORD}"}}"#);
    let reply = app.call("POST", "/api/me/oidc/connect").session(&session).json(&body).send().await;
    let visit = Visit::of(&reply, &reply.text("url"));
    let body = format!(r#"{{"currentPassword":"{PASSWORD}","password":"another long one 7"}}"#);
    let changed = app.call("POST", "/api/me/password").session(&session).json(&body).send().await;
    assert!(changed.status < 300, "{}", changed.body);
    provider.answer(&visit.nonce, &visit.challenge, |token| token.set("email", "x@b.c".into()));
    let query = format!("code=good&state={}", visit.state);
    let back = come_back(&app, &visit.cookie, &query).await;
    assert_eq!(place(&back), "/settings/personal?oidc=expired");
    assert!(app.store.identities_of(&user.id).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_provider_that_cannot_be_used_leaves_the_password() {
    let provider = FakeProvider::start();
    let app = app_with(&provider, None).await;
    app.user("ann@b.c", UserRole::Editor).await;
    let start = || async {
        app.call("GET", "/api/oidc/sign-in").header("X-Forwarded-For", &address()).send().await
    };
    let wrong = [
        r#"{"issuer":"https://evil.example","authorization_endpoint":"http://x/","token_endpoint":"http://x/","jwks_uri":"http://x/"}"#,
        r#"{"issuer":7}"#,
        "[]",
        "<html>",
        "",
    ];
    for document in wrong {
        provider.describe_itself_as(Some(document));
        assert_eq!(place(&start().await), "/signin?oidc=unavailable", "{document}");
    }
    provider.describe_itself_as(None);
    assert!(place(&start().await).starts_with(&provider.url("/authorize?")));
    let setup = app.call("GET", "/api/setup").send().await;
    assert_eq!(setup.text("oidcName"), "Example ID");
    app.log_in("ann@b.c").await;
}

/// Some providers say who somebody is only when they are asked with the access token.
#[tokio::test]
async fn user_information_counts_for_the_person_of_the_token() {
    let provider = FakeProvider::start();
    let app = app_with(&provider, None).await;
    app.user("ann@b.c", UserRole::Editor).await;
    let asked = |told: &str| {
        let told = told.to_owned();
        |token: &mut TokenPlan| {
            token.unset("email");
            token.tell_when_asked(told);
        }
    };
    let other = asked(r#"{"sub":"somebody-else","email":"ann@b.c","email_verified":true}"#);
    let reply = sign_in(&app, &provider, other).await;
    assert_eq!((place(&reply), who(&app, &reply).await), ("/signin?oidc=unavailable", None));
    let same = asked(r#"{"sub":"subject-1","email":"ann@b.c","email_verified":"true"}"#);
    let reply = sign_in(&app, &provider, same).await;
    assert_eq!(who(&app, &reply).await, Some("ann@b.c".into()));
    let asked = provider.requests_to("/userinfo");
    assert_eq!(asked[0].header("authorization"), Some("Bearer access"));
}

#[tokio::test]
async fn without_a_provider_nobody_is_sent_anywhere() {
    let app = TestApp::start().await;
    for path in ["/api/oidc/sign-in", "/api/oidc/callback?code=a&state=b"] {
        let reply = app.call("GET", path).send().await;
        assert_eq!((reply.status, reply.text("code").as_str()), (404, "NOT_FOUND"), "{path}");
    }
}
