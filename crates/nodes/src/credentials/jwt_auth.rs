//! JWT.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("jwtAuth", "JWT", CredentialGroup::Generic).fields([
        Field::plain("keyType", "Key type").choices(&["passphrase", "pemKey"]),
        Field::secret("secret", "Secret"),
        Field::secret("privateKey", "Private key").long(),
        Field::plain("publicKey", "Public key").long(),
        Field::plain("algorithm", "Algorithm").choices(&[
            "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "ES256", "ES384", "PS256",
            "PS384", "PS512",
        ]),
    ])
}
