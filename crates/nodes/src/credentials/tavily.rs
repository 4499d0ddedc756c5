//! Tavily.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("tavilyApi", "Tavily")
        .fields([Field::secret("apiKey", "API key").required()])
        .bearer_key()
        .base_url("https://api.tavily.com")
        .hosts(&["api.tavily.com"])
        .help_url("https://app.tavily.com/home")
}
