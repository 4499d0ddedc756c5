//! DeepL.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("deepLApi", "DeepL")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("Authorization", "DeepL-Auth-Key {apiKey}")
        .base_url("https://api.deepl.com")
        .hosts(&["api.deepl.com", "api-free.deepl.com"])
}
