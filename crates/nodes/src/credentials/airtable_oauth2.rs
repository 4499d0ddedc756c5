//! Airtable (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("airtableOAuth2Api", "Airtable (OAuth2)")
        .oauth2(
            "https://airtable.com/oauth2/v1/authorize",
            "https://airtable.com/oauth2/v1/token",
            &["airtable"],
        )
        .base_url("https://api.airtable.com")
        .hosts(&["api.airtable.com", "content.airtable.com"])
        .help_url("https://airtable.com/create/oauth")
}
