//! Ghost.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("ghostContentApi", "Ghost")
        .fields([Field::secret("apiKey", "API key").required(), Field::destination("url", "URL")])
        .query("key", "{apiKey}")
        .base_url("{url}")
        .hosts(&["{url}"])
}
