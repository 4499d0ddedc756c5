//! NewsAPI.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("newsApi", "NewsAPI")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("X-Api-Key", "{apiKey}")
        .base_url("https://newsapi.org")
        .hosts(&["newsapi.org"])
}
