//! Slack.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("slackApi", "Slack")
        .fields([Field::secret("accessToken", "Access token").required()])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("https://slack.com")
        .hosts(&["slack.com", "files.slack.com"])
        .help_url("https://api.slack.com/apps")
}
