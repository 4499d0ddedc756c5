//! Notion (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("notionOAuth2Api", "Notion (OAuth2)")
        .oauth2(
            "https://api.notion.com/v1/oauth/authorize",
            "https://api.notion.com/v1/oauth/token",
            &["notion"],
        )
        .base_url("https://api.notion.com")
        .hosts(&["api.notion.com"])
        .help_url("https://www.notion.so/my-integrations")
}
