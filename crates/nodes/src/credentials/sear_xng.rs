//! SearXNG.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("searXngApi", "SearXNG")
        .fields([Field::destination("apiUrl", "API URL").required()])
        .base_url("{apiUrl}")
        .hosts(&["{apiUrl}"])
}
