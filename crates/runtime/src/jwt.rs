//! Checks the tokens that callers of webhooks bring.

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use model::{Object, Value};

/// Whether a token was signed with the key of a `jwtAuth` credential and has not expired.
pub(crate) fn is_valid(token: &str, credential: &Object) -> bool {
    let text = |key: &str| credential.get(key).and_then(Value::as_str).unwrap_or_default();
    let Ok(algorithm) = text("algorithm").parse::<Algorithm>() else { return false };
    let key = match text("keyType") {
        "pemKey" => {
            let pem = text("publicKey").replace("\\n", "\n");
            match algorithm {
                Algorithm::ES256 | Algorithm::ES384 => DecodingKey::from_ec_pem(pem.as_bytes()),
                Algorithm::EdDSA => DecodingKey::from_ed_pem(pem.as_bytes()),
                _ => DecodingKey::from_rsa_pem(pem.as_bytes()),
            }
        }
        _ => Ok(DecodingKey::from_secret(text("secret").as_bytes())),
    };
    let Ok(key) = key else { return false };
    let mut rules = Validation::new(algorithm);
    rules.required_spec_claims.clear();
    rules.validate_aud = false;
    rules.validate_nbf = true;
    rules.leeway = 0;
    jsonwebtoken::decode::<serde_json::Value>(token, &key, &rules).is_ok()
}
