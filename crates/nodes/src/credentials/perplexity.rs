//! Perplexity.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("perplexityApi", "Perplexity")
        .group(CredentialGroup::Models)
        .fields([Field::secret("apiKey", "API key").required()])
        .bearer_key()
        .base_url("https://api.perplexity.ai")
        .hosts(&["api.perplexity.ai"])
        .help_url("https://www.perplexity.ai/settings/api")
}
