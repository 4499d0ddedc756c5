//! monday.com.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("mondayComApi", "monday.com")
        .fields([Field::secret("apiToken", "API token").required()])
        .header("Authorization", "Bearer {apiToken}")
        .base_url("https://api.monday.com")
        .hosts(&["api.monday.com"])
}
