//! Google Gemini.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("googlePalmApi", "Google Gemini")
        .group(CredentialGroup::Models)
        .fields([Field::destination("host", "Host"), Field::secret("apiKey", "API key").required()])
        .query("key", "{apiKey}")
        .base_url("{host|https://generativelanguage.googleapis.com}")
        .hosts(&["generativelanguage.googleapis.com", "{host}"])
        .test_get("/v1beta/models")
        .models("/v1beta/models?pageSize=1000")
        .provider("gemini", "gemini-model")
        .env("GEMINI_API_KEY", "apiKey")
        .env("GOOGLE_API_KEY", "apiKey")
        .help_url("https://aistudio.google.com/apikey")
}
