//! Airtable (API key).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("airtableApi", "Airtable (API key)")
        .fields([Field::secret("apiKey", "API key").required()])
        .query("api_key", "{apiKey}")
        .base_url("https://api.airtable.com")
        .hosts(&["api.airtable.com"])
}
