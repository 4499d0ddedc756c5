//! Mailgun.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("mailgunApi", "Mailgun")
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::destination("apiDomain", "API domain"),
        ])
        .basic("api", "{apiKey}")
        .base_url("https://{apiDomain|api.mailgun.net}")
        .hosts(&["api.mailgun.net", "api.eu.mailgun.net", "{apiDomain}"])
        .test_get("/v3/domains")
}
