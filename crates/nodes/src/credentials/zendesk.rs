//! Zendesk.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("zendeskApi", "Zendesk")
        .fields([
            Field::plain("email", "Email").required(),
            Field::secret("apiToken", "API token").required(),
            Field::destination("subdomain", "Subdomain"),
        ])
        .basic("{email}/token", "{apiToken}")
        .base_url("https://{subdomain}.zendesk.com")
        .hosts(&["{subdomain}.zendesk.com"])
        .test_get("/api/v2/users/me.json")
}
