//! HubSpot.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("hubspotAppToken", "HubSpot")
        .fields([Field::secret("appToken", "App token").required()])
        .header("Authorization", "Bearer {appToken}")
        .base_url("https://api.hubapi.com")
        .hosts(&["api.hubapi.com", "api.hubspot.com"])
        .test_get("/account-info/v3/details")
}
