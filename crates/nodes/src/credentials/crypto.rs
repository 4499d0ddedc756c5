//! Signing keys.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("crypto", "Signing keys", CredentialGroup::Generic).fields([
        Field::secret("hmacSecret", "Hmac secret"),
        Field::secret("signPrivateKey", "Sign private key").long(),
    ])
}
