//! GitHub.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("githubApi", "GitHub")
        .fields([
            Field::secret("accessToken", "Access token").required(),
            Field::destination("server", "Server"),
        ])
        .header("Authorization", "token {accessToken}")
        .base_url("{server|https://api.github.com}")
        .hosts(&[
            "api.github.com",
            "uploads.github.com",
            "raw.githubusercontent.com",
            "codeload.github.com",
            "{server}",
        ])
        .test_get("/user")
        .help_url("https://github.com/settings/tokens")
}
