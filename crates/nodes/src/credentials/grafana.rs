//! Grafana.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("grafanaApi", "Grafana")
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::destination("baseUrl", "Base URL"),
        ])
        .bearer_key()
        .base_url("{baseUrl}")
        .hosts(&["{baseUrl}"])
        .test_get("/api/folders")
}
