//! Signs requests: reads a credential and puts it where the service expects it.

mod certificates;
mod digest;
mod google;
mod oauth1;
mod oauth2;
mod predefined;

use super::draft::{DraftBody, RequestDraft, text_of};
use super::failure::RequestFailure;
use super::secrets::Secrets;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use google::ServiceAccount;
use node_api::Credential;
use node_api::credential::{CredentialAuth, RequestUse};
use node_api::hosts::SecretBinding;
use node_api::http::TlsCertificates;
use node_api::prelude::*;
use oauth2::OAuth2;
use std::collections::HashMap;
use std::sync::Arc;

/// How a request is signed, and what of it must never be shown.
#[derive(Clone, Debug, Default)]
pub(super) struct HttpCredentials {
    auth: HttpAuth,
    certificates: Option<Arc<TlsCertificates>>,
    /// Which hosts the credential may be sent to; the client compares every hop with them.
    bound: Option<Arc<SecretBinding>>,
    secrets: Secrets,
}

#[derive(Clone, Debug, Default)]
enum HttpAuth {
    #[default]
    None,
    /// Always the same additions to a request.
    Fixed(CredentialPlacement),
    Digest {
        user: String,
        password: String,
    },
    OAuth1(oauth1::OAuth1),
    OAuth2(Box<OAuth2>),
    Google(Box<ServiceAccount>),
}

/// What a credential adds to a request.
#[derive(Clone, Debug, Default, PartialEq)]
struct CredentialPlacement {
    headers: Vec<(String, String)>,
    query: Object,
    body: Object,
}

/// What the requests of one node run share: tokens that were refreshed on the way.
#[derive(Default)]
pub(super) struct AuthSession {
    tokens: futures::lock::Mutex<HashMap<Str, String>>,
}

impl HttpCredentials {
    /// One of the kinds that fit any service.
    pub(super) fn generic(ctx: &Ctx<'_>, kind: &str, item: usize) -> Result<Self, NodeError> {
        let fields = open_credential(ctx, kind, item)?;
        let mut secrets = Secrets::default();
        secrets.add_credential(&fields);
        let text = |name: &str| fields.get(name).map(text_of).unwrap_or_default();
        let auth = match kind {
            "httpBasicAuth" => {
                let value = basic(&text("user"), &text("password"));
                secrets.add(value.trim_start_matches("Basic "));
                HttpAuth::Fixed(CredentialPlacement::header("authorization", value))
            }
            "httpBearerAuth" => HttpAuth::Fixed(CredentialPlacement::header(
                "authorization",
                format!("Bearer {}", text("token")),
            )),
            "httpHeaderAuth" => {
                secrets.add_header(&text("name"), &text("value"));
                HttpAuth::Fixed(CredentialPlacement::header(&text("name"), text("value")))
            }
            "httpQueryAuth" => {
                secrets.add(&text("value"));
                HttpAuth::Fixed(CredentialPlacement {
                    query: Object::from_iter([(text("name"), text("value"))]),
                    ..CredentialPlacement::default()
                })
            }
            "httpCustomAuth" => {
                let placement = CredentialPlacement::custom(fields.get("json"))?;
                placement.headers.iter().for_each(|(name, value)| secrets.add_header(name, value));
                secrets.add_fields(&placement.query);
                secrets.add_fields(&placement.body);
                HttpAuth::Fixed(placement)
            }
            "httpDigestAuth" => HttpAuth::Digest { user: text("user"), password: text("password") },
            "oAuth1Api" => HttpAuth::OAuth1(oauth1::OAuth1::read(&fields)),
            "oAuth2Api" => HttpAuth::OAuth2(Box::new(OAuth2::read(&fields))),
            "httpSslAuth" => return Self::default().with_client_certificate(ctx, item),
            other => return Err(unknown(other)),
        };
        Ok(Self { auth, certificates: None, bound: Some(fields.binding()), secrets })
    }

    /// The same with the certificates of the credential `httpSslAuth`.
    pub(super) fn with_client_certificate(
        mut self,
        ctx: &Ctx<'_>,
        item: usize,
    ) -> Result<Self, NodeError> {
        let fields = open_credential(ctx, "httpSslAuth", item)?;
        self.secrets.add_credential(&fields);
        // Both go along with the request, so that both have to allow where it goes.
        self.bound = Some(match self.bound.take() {
            Some(signs) => Arc::new(signs.and(&fields.binding())),
            None => fields.binding(),
        });
        self.certificates =
            Some(Arc::new(certificates::read(&fields).map_err(|error| error.on_item(item))?));
        Ok(self)
    }

    /// A credential of one service, where the table knows how to use it.
    pub(super) fn predefined(ctx: &Ctx<'_>, kind: &str, item: usize) -> Result<Self, NodeError> {
        if kind.starts_with("http") || matches!(kind, "oAuth1Api" | "oAuth2Api") {
            return Self::generic(ctx, kind, item);
        }
        let fields = open_credential(ctx, kind, item)?;
        let mut secrets = Secrets::default();
        secrets.add_credential(&fields);
        let auth = match &fields.spec().auth {
            CredentialAuth::Request(placements) => {
                let placement = predefined::placement(&fields, placements)?;
                placement.headers.iter().for_each(|(name, value)| secrets.add_header(name, value));
                HttpAuth::Fixed(placement)
            }
            CredentialAuth::GoogleServiceAccount => {
                HttpAuth::Google(Box::new(ServiceAccount::read(&fields)?))
            }
            CredentialAuth::OAuth2(_) => HttpAuth::OAuth2(Box::new(OAuth2::read(&fields))),
            CredentialAuth::None if kind.contains("OAuth1") => {
                HttpAuth::OAuth1(oauth1::OAuth1::read(&fields))
            }
            CredentialAuth::None
                if kind.contains("OAuth2") || fields.contains_key("oauthTokenData") =>
            {
                HttpAuth::OAuth2(Box::new(OAuth2::read(&fields)))
            }
            CredentialAuth::None => return Err(unknown(kind)),
        };
        Ok(Self { auth, certificates: None, bound: Some(fields.binding()), secrets })
    }

    /// Whether requests are signed at all.
    pub(super) fn signs(&self) -> bool {
        !matches!(self.auth, HttpAuth::None) || self.certificates.is_some()
    }

    /// All that must not be seen, tokens fetched on the way included.
    pub(super) async fn secrets(&self, session: &AuthSession) -> Secrets {
        let mut secrets = self.secrets.clone();
        session.tokens.lock().await.values().for_each(|token| secrets.add(token));
        secrets
    }

    /// Signs and sends a request, answering a challenge or refreshing a token where that is needed.
    pub(super) async fn send(
        &self,
        ctx: &Ctx<'_>,
        session: &AuthSession,
        mut draft: RequestDraft,
    ) -> Result<HttpResponse, RequestFailure> {
        if let Some(bound) = &self.bound
            && self.signs()
        {
            if draft.host_is_models && bound.hosts.is_any() {
                return Err(HttpError::Bound {
                    kind: bound.kind.clone(),
                    host: url::Url::parse(&draft.url)
                        .ok()
                        .and_then(|url| url.host_str().map(str::to_owned))
                        .unwrap_or_default(),
                    reason:
                        "the host was chosen by a model, and the credential has no allowed hosts"
                            .into(),
                }
                .into());
            }
            let in_body =
                matches!(&self.auth, HttpAuth::Fixed(placement) if !placement.body.is_empty());
            draft.bound = Some(if in_body {
                Arc::new(SecretBinding { in_body, ..(**bound).clone() })
            } else {
                bound.clone()
            });
        }
        // Nothing is signed, also not with what the node has opened for another item.
        if self.bound.is_none() {
            draft.bound = Some(SecretBinding::deny_all());
        }
        draft.certificates = self.certificates.clone();
        match &self.auth {
            HttpAuth::None => {}
            HttpAuth::Fixed(placement) => placement.apply(&mut draft),
            HttpAuth::Digest { user, password } => {
                let first = ctx.host().http().send(draft.clone().into_request()).await?;
                let mut cnonce = [0; 8];
                ctx.host().fill_random(&mut cnonce);
                let answer = digest::authorization_header(
                    &first,
                    &draft,
                    user,
                    password,
                    &hex::encode(cnonce),
                );
                let Some(answer) = answer else { return Ok(first) };
                drop(first);
                draft.set_secret_header("authorization", answer);
            }
            HttpAuth::OAuth1(oauth) => {
                let mut nonce = [0; 16];
                ctx.host().fill_random(&mut nonce);
                let header = oauth.header(&draft, &hex::encode(nonce), ctx.host().now_ms() / 1000);
                draft.set_secret_header("authorization", header);
            }
            HttpAuth::OAuth2(oauth) => return oauth.send(ctx, session, draft).await,
            HttpAuth::Google(account) => return account.send(ctx, session, draft).await,
        }
        Ok(ctx.host().http().send(draft.into_request()).await?)
    }
}

impl CredentialPlacement {
    fn header(name: &str, value: impl Into<String>) -> Self {
        Self { headers: vec![(name.to_owned(), value.into())], ..Self::default() }
    }

    /// The headers, query and body that a person wrote down as JSON.
    fn custom(json: Option<&Value>) -> Result<Self, NodeError> {
        let invalid = || NodeError::credential("Invalid Custom Auth JSON");
        let value = match json {
            Some(Value::String(text)) if !text.trim().is_empty() => {
                model::json::parse(text).map_err(|_| invalid())?
            }
            Some(value @ Value::Object(_)) => value.clone(),
            _ => Value::empty_object(),
        };
        let part =
            |name: &str| value.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
        let headers = part("headers")
            .iter()
            .map(|(name, value)| (name.to_string(), text_of(value)))
            .collect();
        Ok(Self { headers, query: part("qs"), body: part("body") })
    }

    fn apply(&self, draft: &mut RequestDraft) {
        for (name, value) in &self.headers {
            draft.set_secret_header(name, value.as_str());
        }
        draft.query.extend(self.query.clone());
        if !self.body.is_empty() {
            match &mut draft.body {
                DraftBody::None => draft.body = DraftBody::Json(Value::object(self.body.clone())),
                DraftBody::Json(value) => value.make_object().extend(self.body.clone()),
                DraftBody::Form(fields) => fields.extend(self.body.clone()),
                DraftBody::Multipart(parts) => parts.extend(super::draft::form_parts(&self.body)),
                DraftBody::Raw { .. } => {}
            }
        }
    }
}

/// The credential that is chosen for the node, if requests may be signed with it.
fn open_credential(ctx: &Ctx<'_>, kind: &str, item: usize) -> Result<Credential, NodeError> {
    let credential = ctx.host().credential(kind, item).map_err(|error| error.on_item(item))?;
    match credential.request_use() {
        RequestUse::Allowed => Ok(credential),
        RequestUse::Forbidden => Err(NodeError::credential(
            "This credential is configured to prevent use within an HTTP Request node",
        )
        .on_item(item)),
    }
}

fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

fn unknown(kind: &str) -> NodeError {
    NodeError::credential(format!(
        "Credentials of type '{kind}' are not supported by this node yet"
    ))
    .hint("Use 'Generic Credential Type' with header, query or OAuth2 authentication instead.")
    .with("credentialType", kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn custom_credentials_reach_headers_query_and_body() {
        let placement = CredentialPlacement::custom(Some(&json!(
            r#"{ "headers": { "X-Key": "k" }, "qs": { "q": 1 }, "body": { "b": true } }"#
        )))
        .unwrap();
        let mut draft = RequestDraft::new("POST", "https://x.test/");
        draft.body = DraftBody::Json(json!({ "a": 1 }));
        placement.apply(&mut draft);
        assert_eq!(draft.header("x-key"), Some("k"));
        assert_eq!(draft.full_url(), "https://x.test/?q=1");
        assert!(
            matches!(&draft.body, DraftBody::Json(body) if *body == json!({ "a": 1, "b": true }))
        );
        assert!(CredentialPlacement::custom(Some(&json!("{ not json"))).is_err());
    }

    #[test]
    fn an_unknown_type_is_named() {
        let error = unknown("strangeApi");
        assert!(error.message().contains("strangeApi"));
        assert_eq!(error.code(), Code::NODE_CREDENTIAL);
    }
}
