//! Google service accounts: a signed statement is exchanged for a token that is good for an hour.

use super::super::draft::{DraftBody, RequestDraft, text_of};
use super::super::failure::RequestFailure;
use super::AuthSession;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use node_api::hosts::{HostAllowlist, HostPattern, SecretBinding};
use node_api::prelude::*;
use std::sync::Arc;

const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";

#[derive(Clone, Debug, Default)]
pub(super) struct ServiceAccount {
    email: String,
    subject: String,
    private_key: String,
    scopes: String,
}

#[derive(serde::Serialize)]
struct Claims<'a> {
    iss: &'a str,
    sub: &'a str,
    scope: &'a str,
    aud: &'a str,
    iat: i64,
    exp: i64,
}

impl ServiceAccount {
    pub(super) fn read(fields: &Object) -> Result<Self, NodeError> {
        let text = |name: &str| fields.get(name).map(text_of).unwrap_or_default().trim().to_owned();
        let delegated = text("delegatedEmail");
        let impersonates =
            fields.get("inpersonate").or(fields.get("impersonate")).is_some_and(Value::is_truthy);
        let scopes = text("scopes")
            .split([',', ' ', '\n'])
            .filter(|scope| !scope.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        if scopes.is_empty() {
            return Err(NodeError::credential(
                "The Google service account credential has no scopes",
            )
            .hint(
                "Turn on 'Set up for use in HTTP Request node' in the credential and enter its \
                     scopes.",
            ));
        }
        let email = text("email");
        let subject = if impersonates && !delegated.is_empty() { delegated } else { email.clone() };
        // Keys that were pasted out of JSON have their line ends spelled out.
        Ok(Self { email, subject, private_key: text("privateKey").replace("\\n", "\n"), scopes })
    }

    pub(super) async fn send(
        &self,
        ctx: &Ctx<'_>,
        session: &AuthSession,
        mut draft: RequestDraft,
    ) -> Result<HttpResponse, RequestFailure> {
        let token = self.token(ctx, session).await?;
        draft.set_secret_header("authorization", format!("Bearer {token}"));
        Ok(ctx.host().http().send(draft.into_request()).await?)
    }

    async fn token(&self, ctx: &Ctx<'_>, session: &AuthSession) -> Result<String, RequestFailure> {
        let mut tokens = session.tokens.lock().await;
        if let Some(token) = tokens.get("googleApi") {
            return Ok(token.clone());
        }
        let mut request = RequestDraft::new("POST", TOKEN_URL);
        request.set_header("accept", "application/json");
        request.body = DraftBody::Form(Object::from_iter([
            ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer".to_owned()),
            ("assertion", self.assertion(ctx.host().now_ms() / 1000)?),
        ]));
        let hosts = HostAllowlist::Only(HostPattern::of_url(TOKEN_URL).into_iter().collect());
        request.bound =
            Some(Arc::new(SecretBinding { kind: "googleApi".into(), hosts, in_body: true }));
        let response = ctx.host().http().send(request.into_request()).await?;
        let answer =
            model::json::parse(&String::from_utf8_lossy(&response.body)).unwrap_or_default();
        let token = answer
            .get("access_token")
            .map(text_of)
            .filter(|token| response.is_success() && !token.is_empty());
        let token = token.ok_or_else(|| {
            let reason = answer
                .get("error_description")
                .or(answer.get("error"))
                .map(text_of)
                .unwrap_or_default();
            NodeError::credential("Google rejected the service account")
                .describe(reason)
                .hint("Check the email, key and scopes of the credential.")
        })?;
        tokens.insert("googleApi".into(), token.clone());
        Ok(token)
    }

    fn assertion(&self, now: i64) -> Result<String, NodeError> {
        let claims = Claims {
            iss: &self.email,
            sub: &self.subject,
            scope: &self.scopes,
            aud: TOKEN_URL,
            iat: now,
            exp: now + 3600,
        };
        let unusable = || {
            NodeError::credential("The private key of the service account is not valid")
                .hint("Paste the key with its BEGIN and END lines.")
        };
        let key = EncodingKey::from_rsa_pem(self.private_key.as_bytes()).map_err(|_| unusable())?;
        encode(&Header::new(Algorithm::RS256), &claims, &key).map_err(|_| unusable())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_needs_scopes_and_a_key() {
        assert!(ServiceAccount::read(json!({ "email": "a@b.c" }).as_object().unwrap()).is_err());
        let fields = json!({ "email": "a@b.c", "privateKey": "no key", "scopes": "one, two", "inpersonate": true, "delegatedEmail": "d@b.c" });
        let account = ServiceAccount::read(fields.as_object().unwrap()).unwrap();
        assert_eq!((account.scopes.as_str(), account.subject.as_str()), ("one two", "d@b.c"));
        let error = account.assertion(0).unwrap_err();
        assert_eq!(error.code(), Code::NODE_CREDENTIAL);
        assert!(!error.to_string().contains("no key"));
    }

    #[test]
    fn the_statement_is_signed_with_the_accounts_key() {
        use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
        use aws_lc_rs::rsa::{KeyPair, KeySize};
        use aws_lc_rs::signature::KeyPair as _;
        use base64::Engine as _;
        use base64::engine::general_purpose::STANDARD;

        let pair = KeyPair::generate(KeySize::Rsa2048).unwrap();
        let der: Pkcs8V1Der<'_> = pair.as_der().unwrap();
        let pem = format!(
            "-----BEGIN PRIVATE KEY-----\\n{}\\n-----END PRIVATE KEY-----\\n",
            STANDARD.encode(der.as_ref())
        );
        let fields = Object::from_iter([
            ("email", "a@b.c".to_owned()),
            ("privateKey", pem),
            ("scopes", "s".to_owned()),
        ]);
        let token = ServiceAccount::read(&fields).unwrap().assertion(1_700_000_000).unwrap();
        let key = jsonwebtoken::DecodingKey::from_rsa_der(pair.public_key().as_ref());
        let mut rules = jsonwebtoken::Validation::new(Algorithm::RS256);
        rules.set_audience(&[TOKEN_URL]);
        rules.validate_exp = false;
        let claims =
            jsonwebtoken::decode::<serde_json::Value>(&token, &key, &rules).unwrap().claims;
        assert_eq!(
            (claims["iss"].as_str(), claims["scope"].as_str(), claims["exp"].as_i64()),
            (Some("a@b.c"), Some("s"), Some(1_700_003_600))
        );
    }
}
