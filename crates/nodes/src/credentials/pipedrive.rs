//! Pipedrive.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("pipedriveApi", "Pipedrive")
        .fields([Field::secret("apiToken", "API token").required()])
        .query("api_token", "{apiToken}")
        .base_url("https://api.pipedrive.com")
        .hosts(&["api.pipedrive.com", "*.pipedrive.com"])
        .test_get("/v1/users/me")
}
