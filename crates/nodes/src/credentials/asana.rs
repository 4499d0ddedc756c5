//! Asana.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("asanaApi", "Asana")
        .fields([Field::secret("accessToken", "Access token").required()])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("https://app.asana.com")
        .hosts(&["app.asana.com"])
        .test_get("/api/1.0/users/me")
}
