//! LinkedIn (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("linkedInOAuth2Api", "LinkedIn (OAuth2)")
        .oauth2(
            "https://www.linkedin.com/oauth/v2/authorization",
            "https://www.linkedin.com/oauth/v2/accessToken",
            &["linkedIn"],
        )
        .base_url("https://api.linkedin.com")
        .hosts(&["api.linkedin.com", "www.linkedin.com"])
        .help_url("https://www.linkedin.com/developers/apps")
}
