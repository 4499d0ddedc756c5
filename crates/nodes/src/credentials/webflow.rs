//! Webflow.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("webflowApi", "Webflow")
        .fields([Field::secret("accessToken", "Access token").required()])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("https://api.webflow.com")
        .hosts(&["api.webflow.com"])
}
