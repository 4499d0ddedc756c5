//! GitLab.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("gitlabApi", "GitLab")
        .fields([
            Field::secret("accessToken", "Access token").required(),
            Field::destination("server", "Server"),
        ])
        .header("Private-Token", "{accessToken}")
        .base_url("{server|https://gitlab.com}")
        .hosts(&["gitlab.com", "{server}"])
        .test_get("/api/v4/personal_access_tokens/self")
        .help_url("https://gitlab.com/-/user_settings/personal_access_tokens")
}
