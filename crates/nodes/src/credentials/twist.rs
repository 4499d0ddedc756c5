//! Twist.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("twistApi", "Twist")
        .fields([Field::secret("accessToken", "Access token").required()])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("https://api.twist.com")
        .hosts(&["api.twist.com"])
}
