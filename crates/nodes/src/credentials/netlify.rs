//! Netlify.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("netlifyApi", "Netlify")
        .fields([Field::secret("accessToken", "Access token").required()])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("https://api.netlify.com")
        .hosts(&["api.netlify.com"])
        .test_get("/api/v1/user")
}
