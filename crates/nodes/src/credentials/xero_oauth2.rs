//! Xero (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("xeroOAuth2Api", "Xero (OAuth2)")
        .oauth2(
            "https://login.xero.com/identity/connect/authorize",
            "https://identity.xero.com/connect/token",
            &["xero"],
        )
        .base_url("https://api.xero.com")
        .hosts(&["api.xero.com", "identity.xero.com"])
        .help_url("https://developer.xero.com/app/manage")
}
