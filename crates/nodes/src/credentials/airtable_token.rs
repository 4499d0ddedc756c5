//! Airtable.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("airtableTokenApi", "Airtable")
        .fields([Field::secret("accessToken", "Access token").required()])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("https://api.airtable.com")
        .hosts(&["api.airtable.com", "content.airtable.com"])
        .test_get("/v0/meta/whoami")
        .help_url("https://airtable.com/create/tokens")
}
