//! Brevo (Sendinblue).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("sendInBlueApi", "Brevo (Sendinblue)")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("api-key", "{apiKey}")
        .base_url("https://api.brevo.com")
        .hosts(&["api.brevo.com", "api.sendinblue.com"])
        .test_get("/v3/account")
}
