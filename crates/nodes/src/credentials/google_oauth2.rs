//! Google (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("googleOAuth2Api", "Google (OAuth2)")
        .oauth2(
            "https://accounts.google.com/o/oauth2/v2/auth",
            "https://oauth2.googleapis.com/token",
            &["google", "gmail", "youTube", "gSuite"],
        )
        .hosts(&["*.googleapis.com", "docs.google.com", "drive.google.com"])
        .help_url("https://console.cloud.google.com/apis/credentials")
}
