//! Sentry.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("sentryIoApi", "Sentry")
        .fields([Field::secret("token", "Token").required()])
        .header("Authorization", "Bearer {token}")
        .base_url("https://sentry.io")
        .hosts(&["sentry.io", "*.sentry.io"])
}
