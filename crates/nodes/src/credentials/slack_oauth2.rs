//! Slack (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("slackOAuth2Api", "Slack (OAuth2)")
        .oauth2(
            "https://slack.com/oauth/v2/authorize",
            "https://slack.com/api/oauth.v2.access",
            &["slack"],
        )
        .base_url("https://slack.com")
        .hosts(&["slack.com", "files.slack.com"])
        .help_url("https://api.slack.com/apps")
}
