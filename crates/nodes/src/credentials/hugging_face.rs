//! Hugging Face.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("huggingFaceApi", "Hugging Face")
        .group(CredentialGroup::Models)
        .fields([Field::secret("apiKey", "API key").required()])
        .bearer_key()
        .base_url("https://huggingface.co")
        .hosts(&["huggingface.co", "*.huggingface.co"])
        .test_get("/api/whoami-v2")
        .help_url("https://huggingface.co/settings/tokens")
}
