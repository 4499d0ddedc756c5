//! Mistral.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("mistralCloudApi", "Mistral")
        .group(CredentialGroup::Models)
        .fields([Field::secret("apiKey", "API key").required(), Field::destination("url", "URL")])
        .bearer_key()
        .base_url("https://api.mistral.ai")
        .hosts(&["api.mistral.ai", "codestral.mistral.ai", "{url}"])
        .test_get("/v1/models")
        .models("/v1/models")
        .provider("mistral", "@n8n/n8n-nodes-langchain.lmChatMistralCloud")
        .env("MISTRAL_API_KEY", "apiKey")
        .help_url("https://console.mistral.ai/api-keys")
}
