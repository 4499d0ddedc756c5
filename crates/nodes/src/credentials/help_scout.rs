//! Help Scout.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("helpScoutApi", "Help Scout")
        .fields([Field::secret("apiKey", "API key").required()])
        .bearer_key()
        .base_url("https://api.helpscout.net")
        .hosts(&["api.helpscout.net"])
}
