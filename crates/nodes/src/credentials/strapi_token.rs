//! Strapi.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("strapiTokenApi", "Strapi")
        .fields([
            Field::secret("apiToken", "API token").required(),
            Field::destination("url", "URL"),
        ])
        .header("Authorization", "Bearer {apiToken}")
        .base_url("{url}")
        .hosts(&["{url}"])
        .test_get("/api/users/me")
}
