//! Groq.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("groqApi", "Groq")
        .group(CredentialGroup::Models)
        .fields([Field::secret("apiKey", "API key").required(), Field::destination("url", "URL")])
        .bearer_key()
        .base_url("https://api.groq.com")
        .hosts(&["api.groq.com", "{url}"])
        .test_get("/openai/v1/models")
        .models("/openai/v1/models")
        .provider("groq", "@n8n/n8n-nodes-langchain.lmChatGroq")
        .env("GROQ_API_KEY", "apiKey")
        .help_url("https://console.groq.com/keys")
}
