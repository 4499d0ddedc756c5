//! Username and password.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("httpBasicAuth", "Username and password", CredentialGroup::Generic)
        .fields([Field::plain("user", "User"), Field::secret("password", "Password")])
}
