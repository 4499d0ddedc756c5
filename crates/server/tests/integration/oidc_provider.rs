//! An OpenID Connect provider that signs what a test wants, right or wrong.

use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use heddle_server::{KnownProvider, OidcProvider};
use providers::http::{EgressPolicy, GuardedHttp};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use store::users::UserRole;
use testkit::{FakeHttp, FakeRequest, FakeResponse};

pub(crate) const CLIENT_ID: &str = "heddle";
const CLIENT_SECRET: &str = "the secret of the client";

pub(crate) struct FakeProvider {
    fake: FakeHttp,
    answers: Arc<Mutex<Answers>>,
    key: Mutex<NamedKey>,
}

struct NamedKey {
    id: String,
    pair: EcdsaKeyPair,
}

#[derive(Default)]
struct Answers {
    /// In place of its description of itself.
    description: Option<String>,
    keys: String,
    token: String,
    user_information: Option<String>,
    /// What the verifier of the code has to fit.
    challenge: String,
}

/// The ID token that the provider gives next.
pub(crate) struct TokenPlan {
    claims: Value,
    signature: Signature,
    user_information: Option<String>,
}

enum Signature {
    Right,
    Nothing,
    Secret(Vec<u8>),
    AnotherKey,
    /// The header names the key.
    KeyWithin,
    ChangedAfter,
    Instead(String),
}

impl FakeProvider {
    pub(crate) fn start() -> Self {
        let key = NamedKey::new("key-1");
        let answers = Arc::new(Mutex::new(Answers { keys: key.set(), ..Answers::default() }));
        let told = answers.clone();
        let fake = FakeHttp::start(move |request| respond(request, &told.lock().unwrap()));
        Self { fake, answers, key: Mutex::new(key) }
    }

    /// Signs with another key from now on, and publishes no other.
    pub(crate) fn change_key(&self, id: &str) {
        let key = NamedKey::new(id);
        self.answers.lock().unwrap().keys = key.set();
        *self.key.lock().unwrap() = key;
    }

    pub(crate) fn settings(&self, new_users: Option<UserRole>) -> OidcProvider {
        let policy = EgressPolicy::parse(&self.fake.address.to_string()).unwrap();
        OidcProvider {
            issuer: self.url(""),
            client_id: CLIENT_ID.into(),
            client_secret: Some(CLIENT_SECRET.into()),
            name: "Example ID".into(),
            new_users,
            http: Arc::new(GuardedHttp::new(policy)),
            known: KnownProvider::default(),
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        self.fake.url(path)
    }

    pub(crate) fn requests_to(&self, path: &str) -> Vec<FakeRequest> {
        self.fake.requests().into_iter().filter(|request| request.path == path).collect()
    }

    pub(crate) fn describe_itself_as(&self, document: Option<&str>) {
        self.answers.lock().unwrap().description = document.map(str::to_owned);
    }

    /// What it answers for the next code.
    pub(crate) fn answer(&self, nonce: &str, challenge: &str, change: impl FnOnce(&mut TokenPlan)) {
        let mut plan = TokenPlan {
            claims: json!({
                "iss": self.url(""), "aud": CLIENT_ID, "sub": "subject-1", "nonce": nonce,
                "exp": 4_000_000_000_u64, "iat": 1_700_000_000, "email": "ann@b.c",
                "email_verified": true,
            }),
            signature: Signature::Right,
            user_information: None,
        };
        change(&mut plan);
        let mut answers = self.answers.lock().unwrap();
        answers.token = plan.token(&self.key.lock().unwrap());
        answers.user_information = plan.user_information;
        answers.challenge = challenge.to_owned();
    }
}

impl TokenPlan {
    pub(crate) fn set(&mut self, claim: &str, value: Value) {
        self.claims[claim] = value;
    }

    pub(crate) fn unset(&mut self, claim: &str) {
        self.claims.as_object_mut().unwrap().remove(claim);
    }

    pub(crate) fn tell_when_asked(&mut self, user_information: String) {
        self.user_information = Some(user_information);
    }

    pub(crate) fn sign_with_nothing(&mut self) {
        self.signature = Signature::Nothing;
    }

    pub(crate) fn sign_with_the_secret(&mut self) {
        self.signature = Signature::Secret(CLIENT_SECRET.into());
    }

    pub(crate) fn sign_with_the_published_key(&mut self) {
        self.signature = Signature::Secret(Vec::new());
    }

    pub(crate) fn sign_with_another_key(&mut self) {
        self.signature = Signature::AnotherKey;
    }

    pub(crate) fn bring_the_key(&mut self) {
        self.signature = Signature::KeyWithin;
    }

    pub(crate) fn change_after_signing(&mut self) {
        self.signature = Signature::ChangedAfter;
    }

    pub(crate) fn replace_with(&mut self, token: &str) {
        self.signature = Signature::Instead(token.to_owned());
    }

    fn token(&self, NamedKey { id, pair: key }: &NamedKey) -> String {
        let header = |header: Value| URL_SAFE_NO_PAD.encode(header.to_string());
        let payload = URL_SAFE_NO_PAD.encode(self.claims.to_string());
        let fresh = || EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        let signed = |header: String, key: &EcdsaKeyPair| {
            let text = format!("{header}.{payload}");
            let signature = key.sign(&SystemRandom::new(), text.as_bytes()).unwrap();
            format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
        };
        let usual = || header(json!({ "alg": "ES256", "kid": id, "typ": "JWT" }));
        match &self.signature {
            Signature::Right => signed(usual(), key),
            Signature::AnotherKey => signed(usual(), &fresh()),
            Signature::KeyWithin => {
                let own = fresh();
                signed(header(json!({ "alg": "ES256", "jwk": jwk(id, &own), "kid": id })), &own)
            }
            Signature::Nothing => {
                format!("{}.{payload}.", header(json!({ "alg": "none", "kid": id })))
            }
            Signature::Secret(secret) => {
                let public = key.public_key().as_ref();
                let secret = if secret.is_empty() { public } else { secret };
                let header = header(json!({ "alg": "HS256", "kid": id }));
                let text = format!("{header}.{payload}");
                let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
                let signature = URL_SAFE_NO_PAD.encode(hmac::sign(&key, text.as_bytes()));
                format!("{text}.{signature}")
            }
            Signature::ChangedAfter => {
                let token = signed(usual(), key);
                let signature = token.rsplit_once('.').unwrap().1;
                let mut claims = self.claims.clone();
                claims["sub"] = "subject-2".into();
                let payload = URL_SAFE_NO_PAD.encode(claims.to_string());
                format!("{}.{payload}.{signature}", usual())
            }
            Signature::Instead(token) => token.clone(),
        }
    }
}

impl NamedKey {
    fn new(id: &str) -> Self {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        Self { id: id.to_owned(), pair }
    }

    /// What the provider publishes.
    fn set(&self) -> String {
        json!({ "keys": [jwk(&self.id, &self.pair)] }).to_string()
    }
}

fn jwk(id: &str, key: &EcdsaKeyPair) -> Value {
    // An uncompressed point: a byte that says so, and two numbers.
    let point = key.public_key().as_ref();
    let [x, y] = [&point[1..33], &point[33..65]].map(|number| URL_SAFE_NO_PAD.encode(number));
    json!({ "kty": "EC", "crv": "P-256", "kid": id, "use": "sig", "x": x, "y": y })
}

fn respond(request: &FakeRequest, answers: &Answers) -> FakeResponse {
    let issuer = format!("http://{}", request.header("host").unwrap());
    match (request.method.as_str(), request.path.as_str()) {
        ("GET", "/.well-known/openid-configuration") => {
            let usual = json!({
                "issuer": issuer,
                "authorization_endpoint": format!("{issuer}/authorize"),
                "token_endpoint": format!("{issuer}/token"),
                "jwks_uri": format!("{issuer}/keys"),
                "userinfo_endpoint": format!("{issuer}/userinfo"),
            });
            let usual = usual.to_string();
            json_text(200, answers.description.as_deref().unwrap_or(&usual))
        }
        ("GET", "/keys") => json_text(200, &answers.keys),
        ("POST", "/token") => {
            let body = String::from_utf8_lossy(&request.body);
            let value = |name: &str| {
                body.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")))
            };
            let verifier = value("code_verifier").unwrap_or_default();
            let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
            if value("code") != Some("good") || challenge != answers.challenge {
                return json_text(400, r#"{"error":"invalid_grant"}"#);
            }
            let token = json!({
                "access_token": "access", "token_type": "Bearer", "id_token": answers.token,
            });
            json_text(200, &token.to_string())
        }
        ("GET", "/userinfo") => match &answers.user_information {
            Some(told) => json_text(200, told),
            None => json_text(200, r#"{"sub":"subject-1"}"#),
        },
        _ => json_text(404, "{}"),
    }
}

fn json_text(status: u16, body: &str) -> FakeResponse {
    FakeResponse::new(status, "application/json", body)
}
