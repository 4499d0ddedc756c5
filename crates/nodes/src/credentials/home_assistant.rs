//! Home Assistant.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("homeAssistantApi", "Home Assistant")
        .fields([
            Field::secret("accessToken", "Access token").required(),
            Field::destination("host", "Host"),
        ])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("{host}")
        .hosts(&["{host}"])
        .test_get("/api/")
}
