//! Mailchimp.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("mailchimpApi", "Mailchimp")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("Authorization", "apikey {apiKey}")
        .hosts(&["*.api.mailchimp.com"])
}
