//! Cohere.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("cohereApi", "Cohere")
        .group(CredentialGroup::Models)
        .fields([Field::secret("apiKey", "API key").required(), Field::destination("url", "URL")])
        .bearer_key()
        .base_url("{url|https://api.cohere.com}")
        .hosts(&["api.cohere.com", "api.cohere.ai", "{url}"])
        .test_get("/v1/models?page_size=1")
        .models("/v1/models?page_size=1000")
        .help_url("https://dashboard.cohere.com/api-keys")
}
