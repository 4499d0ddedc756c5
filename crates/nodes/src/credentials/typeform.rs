//! Typeform.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("typeformApi", "Typeform")
        .fields([Field::secret("accessToken", "Access token").required()])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("https://api.typeform.com")
        .hosts(&["api.typeform.com", "api.eu.typeform.com"])
        .test_get("/me")
}
