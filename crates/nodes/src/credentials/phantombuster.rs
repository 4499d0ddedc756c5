//! PhantomBuster.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("phantombusterApi", "PhantomBuster")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("X-Phantombuster-Key", "{apiKey}")
        .base_url("https://api.phantombuster.com")
        .hosts(&["api.phantombuster.com"])
}
