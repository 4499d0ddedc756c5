//! Notion.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("notionApi", "Notion")
        .fields([Field::secret("apiKey", "API key").required()])
        .bearer_key()
        .header("Notion-Version", "2022-02-22")
        .base_url("https://api.notion.com")
        .hosts(&["api.notion.com"])
        .test_get("/v1/users/me")
        .help_url("https://www.notion.so/my-integrations")
}
