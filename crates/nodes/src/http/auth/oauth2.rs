//! OAuth 2 with a stored token, which is refreshed once when the service no longer takes it.

use super::super::draft::{DraftBody, RequestDraft, text_of};
use super::super::failure::RequestFailure;
use super::{AuthSession, basic};
use node_api::Credential;
use node_api::credential::{CredentialAuth, template};
use node_api::hosts::{HostAllowlist, HostPattern, SecretBinding};
use node_api::prelude::*;
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub(super) struct OAuth2 {
    kind: Str,
    access_token: String,
    refresh_token: String,
    token_url: String,
    client_id: String,
    client_secret: String,
    scope: String,
    grant: String,
    client_in_body: bool,
}

impl OAuth2 {
    pub(super) fn read(fields: &Credential) -> Self {
        let kind = fields.kind();
        let text = |name: &str| fields.get(name).map(text_of).unwrap_or_default();
        // Older stores keep the token data as JSON text.
        let data = match fields.get("oauthTokenData") {
            Some(Value::String(text)) => model::json::parse(text).unwrap_or_default(),
            Some(value) => value.clone(),
            None => Value::Undefined,
        };
        let token = |name: &str| data.get(name).map(text_of).unwrap_or_default();
        let token_url = Some(text("accessTokenUrl"))
            .filter(|url| !url.is_empty())
            .unwrap_or_else(|| known_token_url(fields));
        let user_token =
            data.get("authed_user").and_then(|user| user.get("access_token")).map(text_of);
        Self {
            kind: kind.into(),
            access_token: user_token
                .filter(|_| kind == "slackOAuth2Api")
                .unwrap_or_else(|| token("access_token")),
            refresh_token: token("refresh_token"),
            token_url,
            client_id: text("clientId"),
            client_secret: text("clientSecret"),
            scope: text("scope"),
            grant: text("grantType"),
            client_in_body: text("authentication") == "body",
        }
    }

    pub(super) async fn send(
        &self,
        ctx: &Ctx<'_>,
        session: &AuthSession,
        draft: RequestDraft,
    ) -> Result<HttpResponse, RequestFailure> {
        let known = session.tokens.lock().await.get(&self.kind).cloned();
        let token = match known
            .or_else(|| Some(self.access_token.clone()).filter(|token| !token.is_empty()))
        {
            Some(token) => token,
            None => self.refresh(ctx, session, "").await?,
        };
        let response = ctx.host().http().send(signed(draft.clone(), &token).into_request()).await?;
        let can_renew = !self.refresh_token.is_empty() || self.grant == "clientCredentials";
        if response.status != 401 || !can_renew || self.token_url.is_empty() {
            return Ok(response);
        }
        drop(response);
        let token = self.refresh(ctx, session, &token).await?;
        Ok(ctx.host().http().send(signed(draft, &token).into_request()).await?)
    }

    /// A token other than the one that was refused. Requests that run side by side share one
    /// refresh.
    async fn refresh(
        &self,
        ctx: &Ctx<'_>,
        session: &AuthSession,
        refused: &str,
    ) -> Result<String, RequestFailure> {
        let mut tokens = session.tokens.lock().await;
        if let Some(token) = tokens.get(&self.kind).filter(|token| *token != refused) {
            return Ok(token.clone());
        }
        if self.token_url.is_empty()
            || (self.refresh_token.is_empty() && self.grant != "clientCredentials")
        {
            let message = "Unable to sign without access token";
            return Err(NodeError::credential(message)
                .hint("Reconnect the account in the credential.")
                .into());
        }
        let response = ctx.host().http().send(self.token_request().into_request()).await?;
        let text = String::from_utf8_lossy(&response.body);
        let answer = model::json::parse(&text)
            .unwrap_or_else(|_| Value::object(super::super::query::parse_form(&text)));
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
            let message = "The access token could not be refreshed";
            let error =
                NodeError::credential(message).hint("Reconnect the account in the credential.");
            if reason.is_empty() {
                error.describe(format!("The token endpoint responded with {}", response.status))
            } else {
                error.describe(reason)
            }
        })?;
        tokens.insert(self.kind.clone(), token.clone());
        Ok(token)
    }

    fn token_request(&self) -> RequestDraft {
        let mut draft = RequestDraft::new("POST", &self.token_url);
        let mut form = Object::new();
        if self.refresh_token.is_empty() {
            form.insert("grant_type", "client_credentials");
            if !self.scope.is_empty() {
                form.insert("scope", self.scope.as_str());
            }
        } else {
            form.insert("refresh_token", self.refresh_token.as_str());
            form.insert("grant_type", "refresh_token");
        }
        if self.client_in_body {
            form.insert("client_id", self.client_id.as_str());
            form.insert("client_secret", self.client_secret.as_str());
        } else {
            draft.set_secret_header("authorization", basic(&self.client_id, &self.client_secret));
        }
        draft.set_header("accept", "application/json");
        draft.body = DraftBody::Form(form);
        // The address is the owner's; a redirect from there to another host gets neither the
        // client's secret nor the token.
        let hosts = HostAllowlist::Only(HostPattern::of_url(&self.token_url).into_iter().collect());
        draft.bound =
            Some(Arc::new(SecretBinding { kind: self.kind.clone(), hosts, in_body: true }));
        draft
    }
}

fn signed(mut draft: RequestDraft, token: &str) -> RequestDraft {
    draft.set_secret_header("authorization", format!("Bearer {token}"));
    draft
}

/// The token endpoint of the service, for credentials that do not carry one.
fn known_token_url(credential: &Credential) -> String {
    let CredentialAuth::OAuth2(endpoints) = &credential.spec().auth else { return String::new() };
    template::fill(&endpoints.token_url, |name| credential.get(name).map(text_of))
        .unwrap_or_default()
}
