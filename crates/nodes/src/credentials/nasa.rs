//! NASA.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("nasaApi", "NASA")
        .fields([Field::secret("api_key", "API key").required()])
        .query("api_key", "{api_key}")
        .base_url("https://api.nasa.gov")
        .hosts(&["api.nasa.gov"])
}
