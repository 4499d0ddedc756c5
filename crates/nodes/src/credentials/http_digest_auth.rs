//! Digest.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("httpDigestAuth", "Digest", CredentialGroup::Generic)
        .fields([Field::plain("user", "User"), Field::secret("password", "Password")])
}
