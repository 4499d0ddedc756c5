//! The provider: where its endpoints are, and what it says of somebody.

use super::CALLBACK;
use super::flow::Flow;
use super::id_token::{self, Expected, TokenClaims, TokenError};
use crate::wire;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use form_urlencoded::Serializer;
use jsonwebtoken::jwk::JwkSet;
use node_api::http::{Http, HttpBody, HttpRequest};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::users::UserRole;

/// The settings of one provider, and the way there.
pub struct OidcProvider {
    /// Exactly as its tokens name it.
    pub issuer: String,
    pub client_id: String,
    /// None for a public client.
    pub client_secret: Option<String>,
    /// What the button at the sign-in says.
    pub name: String,
    /// The role of people who were not here before; without one they are refused.
    pub new_users: Option<UserRole>,
    pub http: Arc<dyn Http>,
    pub known: KnownProvider,
}

/// What the provider has said about itself, and when.
pub struct KnownProvider {
    told: Mutex<Option<(Instant, Arc<Discovered>)>>,
    refresh_after: Duration,
}

struct Discovered {
    endpoints: Endpoints,
    keys: JwkSet,
}

#[derive(Clone, Deserialize)]
struct Endpoints {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    id_token: String,
    access_token: Option<String>,
}

/// What is known of somebody after all checks.
pub(super) struct Claims {
    pub(super) subject: String,
    /// Only if the provider vouches for it.
    pub(super) verified_email: Option<String>,
    pub(super) first_name: String,
    pub(super) last_name: String,
}

/// Endpoints and keys are asked for again after this time.
const KNOWN_FOR: Duration = Duration::from_secs(60 * 60);
/// Tokens with an unknown key do not make us ask more often than this.
const REFRESH_AFTER: Duration = Duration::from_secs(30);
const TIMEOUT_MS: u64 = 10_000;
/// Documents of providers have a few kilobytes.
const MAX_DOCUMENT_BYTES: usize = 1 << 20;
const SCOPES: &str = "openid email profile";
const MAX_NAME_CHARS: usize = 32;
const MAX_EMAIL_CHARS: usize = 320;

#[derive(Debug, thiserror::Error)]
pub(super) enum ProviderError {
    #[error("{url} did not answer: {reason}")]
    Unreachable { url: String, reason: String },
    #[error("{url} answered with the status {status}")]
    Status { url: String, status: u16 },
    #[error("the answer of {url} cannot be read: {reason}")]
    Answer { url: String, reason: String },
    #[error("the provider calls itself '{told}', but HEDDLE_OIDC_ISSUER is '{expected}'")]
    Issuer { told: String, expected: String },
    #[error("the endpoint {url} is not encrypted, but the issuer is")]
    Downgrade { url: String },
    #[error(transparent)]
    Token(#[from] TokenError),
    #[error("the user information is about somebody else")]
    Subject,
}

impl Default for KnownProvider {
    fn default() -> Self {
        Self::refreshed_after(REFRESH_AFTER)
    }
}

impl KnownProvider {
    /// With another time after which an unknown key makes us ask again.
    pub fn refreshed_after(refresh_after: Duration) -> Self {
        Self { told: Mutex::default(), refresh_after }
    }
}

impl OidcProvider {
    pub(super) fn issuer(&self) -> &str {
        &self.issuer
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn new_users(&self) -> Option<UserRole> {
        self.new_users
    }

    pub(super) async fn authorization_url(
        &self,
        flow: &Flow,
        base_url: &str,
    ) -> Result<String, ProviderError> {
        let endpoint = self.discovered(KNOWN_FOR).await?.endpoints.authorization_endpoint.clone();
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, flow.verifier.as_bytes()).as_ref());
        let query = Serializer::new(String::new())
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.client_id)
            .append_pair("redirect_uri", &format!("{base_url}{CALLBACK}"))
            .append_pair("scope", SCOPES)
            .append_pair("state", &flow.state)
            .append_pair("nonce", &flow.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256")
            .finish();
        let separator = if endpoint.contains('?') { '&' } else { '?' };
        Ok(format!("{endpoint}{separator}{query}"))
    }

    /// Exchanges a code for what the provider says of somebody.
    pub(super) async fn claims(
        &self,
        flow: &Flow,
        code: &str,
        base_url: &str,
    ) -> Result<Claims, ProviderError> {
        let discovered = self.discovered(KNOWN_FOR).await?;
        let request = self.exchange(&discovered.endpoints, flow, code, base_url);
        let TokenAnswer { id_token, access_token } = self.answer(request).await?;
        let expected =
            Expected { issuer: &self.issuer, client_id: &self.client_id, nonce: &flow.nonce };
        let token = match id_token::verify(&id_token, &discovered.keys, &expected) {
            // Providers change their keys now and then.
            Err(TokenError::Key) => {
                let newer = self.discovered(self.known.refresh_after).await?;
                id_token::verify(&id_token, &newer.keys, &expected)?
            }
            other => other?,
        };
        let told = match (&token.email, &discovered.endpoints.userinfo_endpoint, access_token) {
            (None, Some(endpoint), Some(access)) => {
                let mut request = self.request("GET", endpoint);
                request.set_header("authorization", format!("Bearer {access}"));
                let told: TokenClaims = self.answer(request).await?;
                if told.sub != token.sub {
                    return Err(ProviderError::Subject);
                }
                told
            }
            _ => token,
        };
        Ok(Claims::of(told))
    }

    fn exchange(
        &self,
        endpoints: &Endpoints,
        flow: &Flow,
        code: &str,
        base_url: &str,
    ) -> HttpRequest {
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", &format!("{base_url}{CALLBACK}"))
            .append_pair("code_verifier", &flow.verifier);
        let mut request = self.request("POST", &endpoints.token_endpoint);
        let methods = &endpoints.token_endpoint_auth_methods_supported;
        let is_posted =
            !methods.is_empty() && !methods.iter().any(|method| method == "client_secret_basic");
        match &self.client_secret {
            Some(secret) if !is_posted => {
                let [id, secret] = [&self.client_id, secret].map(|text| {
                    form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>()
                });
                let pair = STANDARD.encode(format!("{id}:{secret}"));
                request.set_header("authorization", format!("Basic {pair}"));
            }
            Some(secret) => {
                form.append_pair("client_id", &self.client_id).append_pair("client_secret", secret);
            }
            None => {
                form.append_pair("client_id", &self.client_id);
            }
        }
        request.set_header("content-type", "application/x-www-form-urlencoded");
        request.body = HttpBody::Bytes(form.finish().into());
        request
    }

    /// What the provider says about itself, as it was at most `age` ago.
    async fn discovered(&self, age: Duration) -> Result<Arc<Discovered>, ProviderError> {
        let known = self.known.told.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((asked, known)) = known
            && asked.elapsed() < age
        {
            return Ok(known);
        }
        let place =
            format!("{}/.well-known/openid-configuration", self.issuer.trim_end_matches('/'));
        let endpoints: Endpoints = self.answer(self.request("GET", &place)).await?;
        if endpoints.issuer != self.issuer {
            let (told, expected) = (endpoints.issuer, self.issuer.clone());
            return Err(ProviderError::Issuer { told, expected });
        }
        let of_endpoints = [
            Some(&endpoints.authorization_endpoint),
            Some(&endpoints.token_endpoint),
            Some(&endpoints.jwks_uri),
            endpoints.userinfo_endpoint.as_ref(),
        ];
        let is_secure = |url: &str| url.starts_with("https://");
        if is_secure(&self.issuer)
            && let Some(url) = of_endpoints.into_iter().flatten().find(|url| !is_secure(url))
        {
            return Err(ProviderError::Downgrade { url: url.clone() });
        }
        let keys = self.answer(self.request("GET", &endpoints.jwks_uri)).await?;
        let discovered = Arc::new(Discovered { endpoints, keys });
        *self.known.told.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((Instant::now(), discovered.clone()));
        Ok(discovered)
    }

    fn request(&self, method: &str, url: &str) -> HttpRequest {
        HttpRequest {
            timeout_ms: TIMEOUT_MS,
            connect_timeout_ms: TIMEOUT_MS,
            // A secret goes to the endpoint that the provider has named, and nowhere else.
            follow_redirects: false,
            max_response_bytes: MAX_DOCUMENT_BYTES,
            headers: vec![("accept".into(), "application/json".into())],
            ..HttpRequest::new(method, url)
        }
    }

    async fn answer<T: DeserializeOwned>(&self, request: HttpRequest) -> Result<T, ProviderError> {
        let url = request.url.clone();
        let answer = match self.http.send(request).await {
            Ok(answer) => answer,
            Err(error) => {
                return Err(ProviderError::Unreachable { url, reason: error.to_string() });
            }
        };
        if !answer.is_success() {
            return Err(ProviderError::Status { url, status: answer.status });
        }
        let unreadable = |reason: String| ProviderError::Answer { url, reason };
        let parsed = str::from_utf8(&answer.body)
            .map_err(|error| error.to_string())
            .and_then(|text| model::json::parse(text).map_err(|error| error.to_string()))
            .and_then(|value| wire::read::read(&value).map_err(|error| error.to_string()));
        parsed.map_err(unreadable)
    }
}

impl Claims {
    fn of(told: TokenClaims) -> Self {
        let is_verified = told.email_verified.is_true();
        let email = told.email.filter(|email| {
            is_verified && email.contains('@') && email.chars().count() <= MAX_EMAIL_CHARS
        });
        let cut = |name: Option<String>| -> String {
            name.unwrap_or_default().trim().chars().take(MAX_NAME_CHARS).collect()
        };
        let (first_name, last_name) = match (told.given_name, told.family_name) {
            (None, None) => (cut(told.name), String::new()),
            (first, last) => (cut(first), cut(last)),
        };
        Self {
            subject: told.sub,
            verified_email: email.map(|email| email.to_lowercase()),
            first_name,
            last_name,
        }
    }
}
