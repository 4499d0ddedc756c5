//! Apify.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("apifyApi", "Apify")
        .fields([Field::secret("apiKey", "API key").required()])
        .bearer_key()
        .base_url("https://api.apify.com")
        .hosts(&["api.apify.com"])
}
