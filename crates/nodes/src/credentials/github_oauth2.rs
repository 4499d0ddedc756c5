//! GitHub (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("githubOAuth2Api", "GitHub (OAuth2)")
        .fields([Field::destination("server", "Server")])
        .oauth2(
            "https://github.com/login/oauth/authorize",
            "https://github.com/login/oauth/access_token",
            &["github"],
        )
        .base_url("{server|https://api.github.com}")
        .hosts(&[
            "api.github.com",
            "uploads.github.com",
            "raw.githubusercontent.com",
            "codeload.github.com",
            "{server}",
        ])
        .help_url("https://github.com/settings/developers")
}
