//! Anthropic.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("anthropicApi", "Anthropic")
        .group(CredentialGroup::Models)
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::destination("url", "URL"),
            Field::plain("version", "Version"),
            Field::plain("header", "Header").flag().advanced(),
            Field::destination("headerName", "Header name").advanced(),
            Field::secret("headerValue", "Header value").advanced(),
        ])
        .header("x-api-key", "{apiKey}")
        .header("anthropic-version", "2023-06-01")
        .base_url("{url|https://api.anthropic.com}")
        .hosts(&["api.anthropic.com", "{url}"])
        .test_get("/v1/models")
        .models("/v1/models?limit=1000")
        .provider("anthropic", "anthropic-model")
        .env("ANTHROPIC_API_KEY", "apiKey")
        .env("ANTHROPIC_BASE_URL", "url")
        .help_url("https://console.anthropic.com/settings/keys")
}
