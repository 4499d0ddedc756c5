//! GitLab (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("gitlabOAuth2Api", "GitLab (OAuth2)")
        .fields([Field::destination("server", "Server")])
        .oauth2(
            "{server|https://gitlab.com}/oauth/authorize",
            "{server|https://gitlab.com}/oauth/token",
            &["gitlab"],
        )
        .base_url("{server|https://gitlab.com}")
        .hosts(&["gitlab.com", "{server}"])
        .help_url("https://gitlab.com/-/user_settings/applications")
}
