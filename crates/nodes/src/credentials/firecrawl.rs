//! Firecrawl.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("firecrawlApi", "Firecrawl")
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::destination("baseUrl", "Base URL"),
        ])
        .bearer_key()
        .base_url("{baseUrl|https://api.firecrawl.dev}")
        .hosts(&["api.firecrawl.dev", "{baseUrl}"])
}
