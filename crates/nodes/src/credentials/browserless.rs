//! Browserless.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("browserlessApi", "Browserless")
        .fields([Field::secret("token", "Token").required(), Field::destination("url", "URL")])
        .query("token", "{token}")
        .hosts(&["*.browserless.io", "{url}"])
}
