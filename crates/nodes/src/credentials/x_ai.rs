//! xAI.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("xAiApi", "xAI")
        .group(CredentialGroup::Models)
        .fields([Field::secret("apiKey", "API key").required(), Field::destination("url", "URL")])
        .bearer_key()
        .base_url("{url|https://api.x.ai/v1}")
        .hosts(&["api.x.ai", "*.api.x.ai", "{url}"])
        .test_get("/models")
        .models("/models")
        .provider("xai", "@n8n/n8n-nodes-langchain.lmChatXAiGrok")
        .env("XAI_API_KEY", "apiKey")
        .help_url("https://console.x.ai")
}
