//! Directus.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("directusApi", "Directus")
        .fields([
            Field::secret("accessToken", "Access token").required(),
            Field::destination("url", "URL"),
        ])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("{url}")
        .hosts(&["{url}"])
        .test_get("/users/me")
}
