//! OAuth 1.0a (RFC 5849): signs each request with the consumer's and the token's secret.

use super::super::draft::{DraftBody, RequestDraft, text_of};
use super::super::query::{self, ArrayFormat, escape};
use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use node_api::prelude::*;

#[derive(Clone, Debug, Default)]
pub(super) struct OAuth1 {
    consumer_key: String,
    consumer_secret: String,
    token: String,
    token_secret: String,
    method: String,
}

impl OAuth1 {
    pub(super) fn read(fields: &Object) -> Self {
        let text = |name: &str| fields.get(name).map(text_of).unwrap_or_default();
        let token = |name: &str| {
            fields
                .get("oauthTokenData")
                .and_then(|data| data.get(name))
                .map(text_of)
                .unwrap_or_default()
        };
        let method = fields.get("signatureMethod").map(text_of).filter(|method| !method.is_empty());
        Self {
            consumer_key: text("consumerKey"),
            consumer_secret: text("consumerSecret"),
            token: token("oauth_token"),
            token_secret: token("oauth_token_secret"),
            method: method.unwrap_or_else(|| "HMAC-SHA1".into()),
        }
    }

    pub(super) fn header(&self, draft: &RequestDraft, nonce: &str, seconds: i64) -> String {
        let seconds = seconds.to_string();
        let mut protocol = vec![
            ("oauth_consumer_key", self.consumer_key.as_str()),
            ("oauth_nonce", nonce),
            ("oauth_signature_method", self.method.as_str()),
            ("oauth_timestamp", &seconds),
            ("oauth_version", "1.0"),
        ];
        if !self.token.is_empty() {
            protocol.push(("oauth_token", &self.token));
        }
        let signature = self.sign(&self.base_string(draft, &protocol));
        protocol.push(("oauth_signature", &signature));
        protocol.sort_unstable();
        let fields: Vec<String> =
            protocol.iter().map(|(name, value)| format!(r#"{name}="{}""#, escape(value))).collect();
        format!("OAuth {}", fields.join(", "))
    }

    fn base_string(&self, draft: &RequestDraft, protocol: &[(&str, &str)]) -> String {
        let mut pairs: Vec<(String, String)> =
            protocol.iter().map(|(name, value)| (escape(name), escape(value))).collect();
        let mut place = draft.full_url();
        if let Ok(mut url) = url::Url::parse(&place) {
            pairs.extend(url.query_pairs().map(|(name, value)| (escape(&name), escape(&value))));
            url.set_query(None);
            url.set_fragment(None);
            place = url.into();
        }
        if let DraftBody::Form(fields) = &draft.body {
            pairs.extend(
                query::pairs(fields, ArrayFormat::Indices)
                    .iter()
                    .map(|(name, value)| (escape(name), escape(value))),
            );
        }
        pairs.sort_unstable();
        let parameters: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!(
            "{}&{}&{}",
            draft.method.to_uppercase(),
            escape(&place),
            escape(&parameters.join("&"))
        )
    }

    fn sign(&self, base: &str) -> String {
        let key = format!("{}&{}", escape(&self.consumer_secret), escape(&self.token_secret));
        let algorithm = match self.method.as_str() {
            "PLAINTEXT" => return key,
            "HMAC-SHA256" => hmac::HMAC_SHA256,
            "HMAC-SHA512" => hmac::HMAC_SHA512,
            _ => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        };
        STANDARD.encode(hmac::sign(&hmac::Key::new(algorithm, key.as_bytes()), base.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The example that Twitter's documentation works through step by step.
    #[test]
    fn a_published_example_comes_out() {
        let oauth = OAuth1 {
            consumer_key: "xvz1evFS4wEEPTGEFPHBog".into(),
            consumer_secret: "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw".into(),
            token: "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb".into(),
            token_secret: "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE".into(),
            method: "HMAC-SHA1".into(),
        };
        let mut draft = RequestDraft::new(
            "POST",
            "https://api.twitter.com/1.1/statuses/update.json?include_entities=true",
        );
        draft.body = DraftBody::Form(Object::from_iter([(
            "status",
            "Hello Ladies + Gentlemen, a signed OAuth request!",
        )]));
        let header =
            oauth.header(&draft, "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg", 1_318_622_958);
        assert!(header.starts_with("OAuth oauth_consumer_key="), "{header}");
        assert!(
            header.contains(r#"oauth_signature="hCtSmYh%2BiHYCEqBWrE7C7hYmtUk%3D""#),
            "{header}"
        );
    }
}
