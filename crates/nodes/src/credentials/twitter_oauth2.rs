//! X (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("twitterOAuth2Api", "X (OAuth2)")
        .oauth2(
            "https://twitter.com/i/oauth2/authorize",
            "https://api.twitter.com/2/oauth2/token",
            &["twitter"],
        )
        .base_url("https://api.twitter.com")
        .hosts(&["api.twitter.com", "api.x.com", "upload.twitter.com"])
        .help_url("https://developer.x.com")
}
