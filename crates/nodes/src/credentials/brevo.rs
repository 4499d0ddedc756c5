//! Brevo.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("brevoApi", "Brevo")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("api-key", "{apiKey}")
        .base_url("https://api.brevo.com")
        .hosts(&["api.brevo.com", "api.sendinblue.com"])
}
