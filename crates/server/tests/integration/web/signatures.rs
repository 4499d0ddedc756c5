//! Calls whose signature is missing, forged or stale.

use super::wire::{echo, send};
use crate::app::{TestApp, TestOptions};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use engine::CredentialSource;
use model::Object;
use node_api::NodeError;
use serde_json::{Value, json};
use std::sync::Arc;

const SECRET: &str = "a secret of thirty-two characters";

struct FixedCredentials;

impl CredentialSource for FixedCredentials {
    fn get(&self, _stands_for: &str, kind: &str, _id: &str) -> Result<Object, NodeError> {
        Ok(match kind {
            "jwtAuth" => Object::from_iter([
                ("keyType", "passphrase"),
                ("secret", SECRET),
                ("algorithm", "HS256"),
            ]),
            "httpBasicAuth" => Object::from_iter([("user", "ada"), ("password", "looms")]),
            _ => Object::from_iter([("name", "X-Secret"), ("value", "looms")]),
        })
    }
}

fn token(header: &Value, claims: &Value, secret: &str) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(header), part(claims));
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, secret.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(aws_lc_rs::hmac::sign(&key, signed.as_bytes())))
}

fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

async fn app() -> TestApp {
    let app = TestApp::start_with(TestOptions {
        credentials: Some(Arc::new(FixedCredentials)),
        ..TestOptions::default()
    })
    .await;
    for kind in ["jwtAuth", "basicAuth", "headerAuth"] {
        echo(&app, kind, json!({ "authentication": kind })).await;
    }
    app
}

#[tokio::test]
async fn a_token_counts_only_with_our_signature_and_in_its_time() {
    let app = app().await;
    let status = async |authorization: &str| {
        send(&app, "POST", "/webhook/jwtAuth", &[("Authorization", authorization)], b"")
            .await
            .status
    };
    let hs256 = json!({ "alg": "HS256", "typ": "JWT" });
    let good = token(&hs256, &json!({ "sub": "ada", "exp": now() + 60 }), SECRET);
    assert_eq!(status(&format!("Bearer {good}")).await, 200);
    assert_eq!(
        status(&format!("Bearer {}", token(&hs256, &json!({}), SECRET))).await,
        200,
        "a token need not expire"
    );
    assert_eq!(send(&app, "POST", "/webhook/jwtAuth", &[], b"").await.status, 401);
    let (head, _) = good.rsplit_once('.').unwrap();
    let none = |name: &str| {
        format!(
            "{}.{}.",
            URL_SAFE_NO_PAD.encode(json!({ "alg": name }).to_string()),
            URL_SAFE_NO_PAD.encode("{}")
        )
    };
    for wrong in [
        token(&hs256, &json!({ "exp": now() - 30 }), SECRET),
        token(&hs256, &json!({ "exp": now() + 60, "nbf": now() + 30 }), SECRET),
        token(&hs256, &json!({ "exp": now() + 60 }), "another secret"),
        token(&json!({ "alg": "HS512" }), &json!({}), SECRET),
        token(&json!({ "alg": "RS256" }), &json!({}), SECRET),
        none("none"),
        none("None"),
        format!("{head}."),
        head.to_owned(),
        format!("{good}x"),
        String::new(),
        "x".repeat(8000),
    ] {
        assert!(matches!(status(&format!("Bearer {wrong}")).await, 401 | 403), "{wrong}");
    }
    assert_eq!(status(&good).await, 401, "the scheme belongs to it");
}

#[tokio::test]
async fn passwords_and_secrets_are_compared_whole() {
    let app = app().await;
    let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
    for (given, wanted) in [
        (basic("ada:looms"), 200),
        (basic("ada:loom"), 403),
        (basic("ada:loomsx"), 403),
        (basic("ada"), 403),
        (basic(":"), 403),
        ("Basic ???".to_owned(), 401),
        ("Bearer x".to_owned(), 401),
    ] {
        assert_eq!(
            send(&app, "POST", "/webhook/basicAuth", &[("Authorization", &given)], b"")
                .await
                .status,
            wanted,
            "{given}"
        );
    }
    let challenge = send(&app, "POST", "/webhook/basicAuth", &[], b"").await;
    assert_eq!(
        (challenge.status, challenge.header("www-authenticate")),
        (401, Some("Basic realm=\"Webhook\""))
    );
    for (headers, wanted) in [
        (&[("X-Secret", "looms")][..], 200),
        (&[("X-Secret", "")], 403),
        (&[], 403),
        (&[("X-Secret", "looms"), ("X-Secret", "looms")], 403),
    ] {
        assert_eq!(
            send(&app, "POST", "/webhook/headerAuth", headers, b"").await.status,
            wanted,
            "{headers:?}"
        );
    }
}

/// Credentials that somebody has made without a secret in them.
struct Empty(&'static str);

impl CredentialSource for Empty {
    fn get(&self, _stands_for: &str, kind: &str, _id: &str) -> Result<Object, NodeError> {
        let secret = self.0;
        Ok(match kind {
            "jwtAuth" => Object::from_iter([
                ("keyType", "passphrase"),
                ("secret", secret),
                ("algorithm", "HS256"),
            ]),
            "httpBasicAuth" => Object::from_iter([("user", secret), ("password", secret)]),
            _ => Object::from_iter([("name", "X-Secret"), ("value", secret)]),
        })
    }
}

#[tokio::test]
async fn issue_14_16_a_credential_without_a_secret_lets_nobody_in() {
    for secret in ["", " ", "\t\n", "\0", "\0\0\0", "\u{200b}", "\u{feff} \u{2060}", "\u{ad}\u{7f}"]
    {
        let app = TestApp::start_with(TestOptions {
            credentials: Some(Arc::new(Empty(secret))),
            ..TestOptions::default()
        })
        .await;
        for kind in ["jwtAuth", "basicAuth", "headerAuth"] {
            echo(&app, kind, json!({ "authentication": kind })).await;
        }
        let signed = token(&json!({ "alg": "HS256" }), &json!({}), secret);
        let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
        for (path, name, value) in [
            ("jwtAuth", "Authorization", format!("Bearer {signed}")),
            ("basicAuth", "Authorization", basic(":")),
            ("basicAuth", "Authorization", basic(&format!("{secret}:{secret}"))),
            ("basicAuth", "Authorization", basic("")),
            ("basicAuth", "X-Nothing", String::new()),
            (
                "headerAuth",
                "X-Secret",
                secret
                    .trim_matches(|letter: char| letter.is_whitespace() || letter.is_control())
                    .to_owned(),
            ),
            ("headerAuth", "X-Nothing", String::new()),
        ] {
            let reply =
                send(&app, "POST", &format!("/webhook/{path}"), &[(name, &value)], b"{}").await;
            assert_eq!(reply.status, 500, "{path} with {name}: {value}: {}", reply.body);
            assert!(reply.body.contains("No authentication data defined"), "{}", reply.body);
        }
    }
}

#[tokio::test]
async fn the_body_of_a_call_that_is_not_taken_is_not_read() {
    let app = app().await;
    let reply = send(
        &app,
        "POST",
        "/webhook/basicAuth",
        &[("Content-Type", "application/json")],
        b"{ broken",
    )
    .await;
    assert_eq!(reply.status, 401, "{}", reply.body);
}
