//! PagerDuty.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("pagerDutyApi", "PagerDuty")
        .fields([Field::secret("apiToken", "API token").required()])
        .header("Authorization", "Token token={apiToken}")
        .base_url("https://api.pagerduty.com")
        .hosts(&["api.pagerduty.com", "api.eu.pagerduty.com", "events.pagerduty.com"])
}
