//! Baserow.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("baserowTokenApi", "Baserow")
        .fields([Field::secret("token", "Token").required(), Field::destination("host", "Host")])
        .header("Authorization", "Token {token}")
        .base_url("{host|https://api.baserow.io}")
        .hosts(&["api.baserow.io", "{host}"])
}
