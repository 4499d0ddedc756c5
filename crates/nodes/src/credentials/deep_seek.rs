//! DeepSeek.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("deepSeekApi", "DeepSeek")
        .group(CredentialGroup::Models)
        .fields([Field::secret("apiKey", "API key").required(), Field::destination("url", "URL")])
        .bearer_key()
        .base_url("{url|https://api.deepseek.com}")
        .hosts(&["api.deepseek.com", "{url}"])
        .test_get("/models")
        .models("/models")
        .provider("deepseek", "@n8n/n8n-nodes-langchain.lmChatDeepSeek")
        .env("DEEPSEEK_API_KEY", "apiKey")
        .help_url("https://platform.deepseek.com/api_keys")
}
