//! Calendly.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("calendlyApi", "Calendly")
        .fields([Field::secret("apiKey", "API key").required()])
        .bearer_key()
        .base_url("https://api.calendly.com")
        .hosts(&["api.calendly.com"])
        .test_get("/users/me")
}
