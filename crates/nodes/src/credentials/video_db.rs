//! VideoDB.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("videoDBApi", "VideoDB")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("x-access-token", "{apiKey}")
        .base_url("https://api.videodb.io")
        .hosts(&["api.videodb.io"])
}
