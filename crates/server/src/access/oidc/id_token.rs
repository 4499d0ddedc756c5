//! ID tokens: who the provider says somebody is, with its signature.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use jsonwebtoken::jwk::{Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::Deserialize;

/// Signatures that only the provider can make. With the others whoever knows the client's secret, or
/// the provider's public key taken for one, could sign.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];
/// How far the clocks of provider and server may be apart.
const LEEWAY_SECONDS: u64 = 60;

/// What a token has to fit.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client_id: &'a str,
    pub(super) nonce: &'a str,
}

/// What an ID token or the provider's user information says.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct TokenClaims {
    pub(super) sub: String,
    nonce: Option<String>,
    azp: Option<String>,
    pub(super) email: Option<String>,
    #[serde(default)]
    pub(super) email_verified: Verified,
    pub(super) given_name: Option<String>,
    pub(super) family_name: Option<String>,
    pub(super) name: Option<String>,
}

/// Some providers write it as a text.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(untagged)]
pub(super) enum Verified {
    Is(bool),
    Text(String),
    #[default]
    Unsaid,
}

impl Verified {
    pub(super) fn is_true(&self) -> bool {
        match self {
            Verified::Is(is) => *is,
            Verified::Text(text) => text == "true",
            Verified::Unsaid => false,
        }
    }
}

/// Why a token is refused.
#[derive(Debug, thiserror::Error)]
pub(super) enum TokenError {
    /// Its key is not among those that are known; there may be newer ones.
    #[error("the ID token is signed with a key that the provider does not publish")]
    Key,
    #[error("the ID token is not valid: {0}")]
    Invalid(String),
}

pub(super) fn verify(
    token: &str,
    keys: &JwkSet,
    expected: &Expected<'_>,
) -> Result<TokenClaims, TokenError> {
    let invalid = |error: jsonwebtoken::errors::Error| TokenError::Invalid(error.to_string());
    let header = decode_header(token).map_err(invalid)?;
    if !ALGORITHMS.contains(&header.alg) {
        let reason = format!("the algorithm {:?} is not accepted", header.alg);
        return Err(TokenError::Invalid(reason));
    }
    let mut rules = Validation::new(header.alg);
    rules.leeway = LEEWAY_SECONDS;
    rules.validate_nbf = true;
    rules.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    rules.set_issuer(&[expected.issuer]);
    rules.set_audience(&[expected.client_id]);
    let candidates: Vec<&Jwk> = keys
        .keys
        .iter()
        .filter(|key| key.common.public_key_use != Some(PublicKeyUse::Encryption))
        .filter(|key| header.kid.is_none() || key.common.key_id == header.kid)
        .collect();
    let mut outcome = Err(TokenError::Key);
    for key in candidates {
        let Ok(key) = DecodingKey::from_jwk(key) else { continue };
        match decode::<TokenClaims>(token, &key, &rules) {
            Ok(token) => return check(token.claims, expected),
            Err(error) => outcome = Err(invalid(error)),
        }
    }
    outcome
}

fn check(claims: TokenClaims, expected: &Expected<'_>) -> Result<TokenClaims, TokenError> {
    let refused = |reason: &str| Err(TokenError::Invalid(reason.to_owned()));
    let nonce = claims.nonce.as_deref().unwrap_or_default();
    if verify_slices_are_equal(nonce.as_bytes(), expected.nonce.as_bytes()).is_err() {
        return refused("it answers another question");
    }
    if claims.azp.as_deref().is_some_and(|party| party != expected.client_id) {
        return refused("it is for another client");
    }
    if claims.sub.is_empty() || claims.sub.len() > 255 {
        return refused("its subject is empty or too long");
    }
    Ok(claims)
}
