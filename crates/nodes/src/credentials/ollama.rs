//! Ollama.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("ollamaApi", "Ollama")
        .group(CredentialGroup::Models)
        .fields([
            Field::destination("baseUrl", "Base URL")
                .hint(
                    "Private addresses must be allowed with HEDDLE_EGRESS_ALLOW when Heddle \
                     starts.",
                )
                .placeholder("http://localhost:11434"),
            Field::secret("apiKey", "API key")
                .hint("Only for servers behind a gateway that requires one."),
        ])
        .bearer_key()
        .base_url("{baseUrl|http://localhost:11434}")
        .hosts(&["{baseUrl}", "http://localhost:11434"])
        .test_get("/api/tags")
        .models("/api/tags")
        .provider("ollama", "ollama-model")
        .env("OLLAMA_HOST", "baseUrl")
}
