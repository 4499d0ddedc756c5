//! Hunter.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("hunterApi", "Hunter")
        .fields([Field::secret("apiKey", "API key").required()])
        .query("api_key", "{apiKey}")
        .base_url("https://api.hunter.io")
        .hosts(&["api.hunter.io"])
}
