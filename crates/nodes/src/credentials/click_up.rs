//! ClickUp.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("clickUpApi", "ClickUp")
        .fields([Field::secret("accessToken", "Access token").required()])
        .header("Authorization", "{accessToken}")
        .base_url("https://api.clickup.com")
        .hosts(&["api.clickup.com"])
        .test_get("/api/v2/user")
}
