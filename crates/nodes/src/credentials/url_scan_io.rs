//! urlscan.io.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("urlScanIoApi", "urlscan.io")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("API-KEY", "{apiKey}")
        .base_url("https://urlscan.io")
        .hosts(&["urlscan.io"])
}
