//! Klaviyo.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("klaviyoApi", "Klaviyo")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("Authorization", "Klaviyo-API-Key {apiKey}")
        .base_url("https://a.klaviyo.com")
        .hosts(&["a.klaviyo.com"])
}
