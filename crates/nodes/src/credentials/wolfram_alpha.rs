//! Wolfram|Alpha.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("wolframAlphaApi", "Wolfram|Alpha")
        .fields([Field::secret("appId", "App ID").required()])
        .base_url("https://www.wolframalpha.com")
        .hosts(&["www.wolframalpha.com", "api.wolframalpha.com"])
}
