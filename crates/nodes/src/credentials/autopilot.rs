//! Autopilot.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("autopilotApi", "Autopilot")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("autopilotapikey", "{apiKey}")
        .base_url("https://api2.autopilothq.com")
        .hosts(&["api2.autopilothq.com"])
}
