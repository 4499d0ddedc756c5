//! Asana (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("asanaOAuth2Api", "Asana (OAuth2)")
        .oauth2(
            "https://app.asana.com/-/oauth_authorize",
            "https://app.asana.com/-/oauth_token",
            &["asana"],
        )
        .base_url("https://app.asana.com")
        .hosts(&["app.asana.com"])
        .help_url("https://app.asana.com/0/my-apps")
}
