//! Elasticsearch.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("elasticsearchApi", "Elasticsearch")
        .group(CredentialGroup::Servers)
        .fields([
            Field::plain("username", "Username").required(),
            Field::secret("password", "Password").required(),
            Field::destination("baseUrl", "Base URL"),
        ])
        .basic("{username}", "{password}")
        .base_url("{baseUrl}")
        .hosts(&["{baseUrl}"])
        .test_get("/_security/_authenticate")
}
