//! Trello.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("trelloApi", "Trello")
        .fields([
            Field::secret("apiKey", "API key").required(),
            Field::secret("apiToken", "API token").required(),
        ])
        .query("key", "{apiKey}")
        .query("token", "{apiToken}")
        .base_url("https://api.trello.com")
        .hosts(&["api.trello.com", "trello.com"])
}
