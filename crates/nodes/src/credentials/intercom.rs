//! Intercom.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("intercomApi", "Intercom")
        .fields([Field::secret("apiKey", "API key").required()])
        .bearer_key()
        .base_url("https://api.intercom.io")
        .hosts(&["api.intercom.io", "*.intercom.io"])
        .test_get("/me")
}
