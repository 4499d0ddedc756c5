//! DigitalOcean.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("digitalOceanApi", "DigitalOcean")
        .fields([Field::secret("accessToken", "Access token").required()])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("https://api.digitalocean.com")
        .hosts(&["api.digitalocean.com"])
        .test_get("/v2/account")
}
