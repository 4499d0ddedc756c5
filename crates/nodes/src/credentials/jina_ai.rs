//! Jina AI.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("jinaAiApi", "Jina AI")
        .group(CredentialGroup::Models)
        .fields([Field::secret("apiKey", "API key").required()])
        .bearer_key()
        .hosts(&["*.jina.ai"])
}
