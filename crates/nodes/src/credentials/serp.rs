//! SerpApi.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("serpApi", "SerpApi")
        .fields([Field::secret("apiKey", "API key").required()])
        .query("api_key", "{apiKey}")
        .base_url("https://serpapi.com")
        .hosts(&["serpapi.com"])
        .help_url("https://serpapi.com/manage-api-key")
}
