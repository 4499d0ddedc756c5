//! OpenAI.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("openAiApi", "OpenAI")
        .group(CredentialGroup::Models)
        .alias("openaiApi")
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::plain("organizationId", "Organization ID")
                .hint("Only if the key belongs to several organizations.")
                .advanced(),
            Field::destination("url", "URL")
                .hint("For OpenAI-compatible servers. Leave empty to use OpenAI.")
                .placeholder("https://api.openai.com/v1"),
            Field::plain("header", "Header").flag().advanced(),
            Field::destination("headerName", "Header name").advanced(),
            Field::secret("headerValue", "Header value").advanced(),
        ])
        .bearer_key()
        .header("OpenAI-Organization", "{organizationId}")
        .base_url("{url|https://api.openai.com/v1}")
        .hosts(&["api.openai.com", "{url}"])
        .test_get("/models")
        .models("/models")
        .provider("openai", "openai-model")
        .env("OPENAI_API_KEY", "apiKey")
        .env("OPENAI_BASE_URL", "url")
        .help_url("https://platform.openai.com/api-keys")
}
