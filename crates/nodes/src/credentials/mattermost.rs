//! Mattermost.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("mattermostApi", "Mattermost")
        .fields([
            Field::secret("accessToken", "Access token").required(),
            Field::destination("baseUrl", "Base URL"),
        ])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("{baseUrl}")
        .hosts(&["{baseUrl}"])
        .test_get("/api/v4/users/me")
}
