//! Cloudflare.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("cloudflareApi", "Cloudflare")
        .fields([Field::secret("apiToken", "API token").required()])
        .header("Authorization", "Bearer {apiToken}")
        .base_url("https://api.cloudflare.com")
        .hosts(&["api.cloudflare.com"])
        .test_get("/client/v4/user/tokens/verify")
}
