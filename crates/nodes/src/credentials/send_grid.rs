//! SendGrid.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("sendGridApi", "SendGrid")
        .fields([Field::secret("apiKey", "API key").required()])
        .bearer_key()
        .base_url("https://api.sendgrid.com")
        .hosts(&["api.sendgrid.com", "api.eu.sendgrid.com"])
        .test_get("/v3/scopes")
        .help_url("https://app.sendgrid.com/settings/api_keys")
}
