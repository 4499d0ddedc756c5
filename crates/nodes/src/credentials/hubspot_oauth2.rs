//! HubSpot (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("hubspotOAuth2Api", "HubSpot (OAuth2)")
        .oauth2(
            "https://app.hubspot.com/oauth/authorize",
            "https://api.hubapi.com/oauth/v1/token",
            &["hubspot"],
        )
        .base_url("https://api.hubapi.com")
        .hosts(&["api.hubapi.com", "api.hubspot.com"])
        .help_url("https://developers.hubspot.com")
}
