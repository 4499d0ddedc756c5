//! lemlist.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("lemlistApi", "lemlist")
        .fields([Field::secret("apiKey", "API key").required()])
        .basic("", "{apiKey}")
        .base_url("https://api.lemlist.com")
        .hosts(&["api.lemlist.com"])
}
