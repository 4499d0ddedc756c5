//! OpenRouter.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("openRouterApi", "OpenRouter")
        .group(CredentialGroup::Models)
        .fields([Field::secret("apiKey", "API key").required(), Field::destination("url", "URL")])
        .bearer_key()
        .base_url("{url|https://openrouter.ai/api/v1}")
        .hosts(&["openrouter.ai", "{url}"])
        .test_get("/key")
        .models("/models")
        .provider("openrouter", "@n8n/n8n-nodes-langchain.lmChatOpenRouter")
        .env("OPENROUTER_API_KEY", "apiKey")
        .help_url("https://openrouter.ai/keys")
}
