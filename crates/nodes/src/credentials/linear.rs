//! Linear.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("linearApi", "Linear")
        .fields([Field::secret("apiKey", "API key").required()])
        .header("Authorization", "{apiKey}")
        .base_url("https://api.linear.app")
        .hosts(&["api.linear.app"])
        .help_url("https://linear.app/settings/api")
}
