//! Todoist.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("todoistApi", "Todoist")
        .fields([Field::secret("apiKey", "API key").required()])
        .bearer_key()
        .base_url("https://api.todoist.com")
        .hosts(&["api.todoist.com"])
        .test_get("/api/v1/projects?limit=1")
}
