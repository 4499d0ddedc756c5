//! Freshdesk.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("freshdeskApi", "Freshdesk")
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::destination("domain", "Domain"),
        ])
        .basic("{apiKey}", "X")
        .base_url("https://{domain}.freshdesk.com")
        .hosts(&["{domain}.freshdesk.com"])
}
