//! HubSpot (API key).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("hubspotApi", "HubSpot (API key)")
        .fields([Field::secret("apiKey", "API key").required()])
        .query("hapikey", "{apiKey}")
        .base_url("https://api.hubapi.com")
        .hosts(&["api.hubapi.com", "api.hubspot.com"])
}
