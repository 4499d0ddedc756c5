//! Weaviate.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("weaviateApi", "Weaviate")
        .group(CredentialGroup::Servers)
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::destination("weaviate_cloud_endpoint", "Cloud endpoint"),
            Field::destination("custom_connection_http_host", "Host of a custom connection"),
        ])
        .bearer_key()
        .base_url("{weaviate_cloud_endpoint}")
        .hosts(&["{weaviate_cloud_endpoint}", "{custom_connection_http_host}"])
        .test_get("/v1/meta")
}
