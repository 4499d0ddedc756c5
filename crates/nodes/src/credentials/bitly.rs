//! Bitly.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("bitlyApi", "Bitly")
        .fields([Field::secret("accessToken", "Access token").required()])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("https://api-ssl.bitly.com")
        .hosts(&["api-ssl.bitly.com"])
}
