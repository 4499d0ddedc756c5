//! Qdrant.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("qdrantApi", "Qdrant")
        .group(CredentialGroup::Servers)
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::destination("qdrantUrl", "Qdrant URL"),
        ])
        .header("api-key", "{apiKey}")
        .base_url("{qdrantUrl}")
        .hosts(&["{qdrantUrl}"])
        .test_get("/collections")
}
