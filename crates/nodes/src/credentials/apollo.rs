//! Apollo.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("apolloApi", "Apollo")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("X-Api-Key", "{apiKey}")
        .base_url("https://api.apollo.io")
        .hosts(&["api.apollo.io"])
}
