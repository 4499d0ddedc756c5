//! Sentry (self-hosted).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("sentryIoServerApi", "Sentry (self-hosted)")
        .fields([Field::secret("token", "Token").required(), Field::destination("url", "URL")])
        .header("Authorization", "Bearer {token}")
        .base_url("{url}")
        .hosts(&["{url}"])
}
