//! Bearer token.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("httpBearerAuth", "Bearer token", CredentialGroup::Generic)
        .fields([Field::secret("token", "Token").required()])
}
