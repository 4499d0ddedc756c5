//! n8n or Heddle.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("n8nApi", "n8n or Heddle")
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::destination("baseUrl", "Base URL"),
        ])
        .header("X-N8N-API-KEY", "{apiKey}")
        .base_url("{baseUrl}")
        .hosts(&["{baseUrl}"])
        .test_get("/workflows?limit=1")
}
