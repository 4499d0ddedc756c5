//! Checks the tokens that callers of webhooks bring.

use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use model::{Object, Value};
use node_api::credential::is_blank;

/// Whether a `jwtAuth` credential has something to check tokens with. A token that is signed with
/// nothing is signed by everybody.
pub(crate) fn has_key(credential: &Object) -> bool {
    let name = if text(credential, "keyType") == "pemKey" { "publicKey" } else { "secret" };
    !is_blank(text(credential, name))
}

fn text<'c>(credential: &'c Object, name: &str) -> &'c str {
    credential.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Whether a token was signed with the key of a `jwtAuth` credential and has not expired.
pub(crate) fn is_valid(token: &str, credential: &Object) -> bool {
    let text = |name: &str| text(credential, name);
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn a_key_that_is_empty_missing_or_no_text_is_none() {
        let has_key = |credential: Value| has_key(credential.as_object().unwrap());
        assert!(
            has_key(json!({ "secret": "s" }))
                && has_key(json!({ "keyType": "pemKey", "publicKey": "-----" }))
        );
        for credential in [
            json!({}),
            json!({ "secret": "" }),
            json!({ "secret": " " }),
            json!({ "secret": "\u{0}" }),
            json!({ "secret": "\u{200b}\u{feff}" }),
            json!({ "secret": 7 }),
            json!({ "secret": Value::Null }),
            json!({ "keyType": "pemKey", "secret": "s" }),
            json!({ "keyType": "pemKey", "secret": "s", "publicKey": "\n" }),
            json!({ "keyType": "other", "publicKey": "s" }),
        ] {
            assert!(!has_key(credential.clone()), "{credential:?}");
        }
    }
}
