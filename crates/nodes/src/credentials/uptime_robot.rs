//! UptimeRobot.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("uptimeRobotApi", "UptimeRobot")
        .fields([Field::secret("apiKey", "API key").required()])
        .base_url("https://api.uptimerobot.com")
        .hosts(&["api.uptimerobot.com"])
}
