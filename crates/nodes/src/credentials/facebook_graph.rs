//! Facebook Graph.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("facebookGraphApi", "Facebook Graph")
        .fields([Field::secret("accessToken", "Access token").required()])
        .query("access_token", "{accessToken}")
        .base_url("https://graph.facebook.com")
        .hosts(&["graph.facebook.com", "graph-video.facebook.com"])
}
