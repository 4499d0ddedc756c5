//! Zoom (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("zoomOAuth2Api", "Zoom (OAuth2)")
        .oauth2("https://zoom.us/oauth/authorize", "https://zoom.us/oauth/token", &["zoom"])
        .base_url("https://api.zoom.us")
        .hosts(&["api.zoom.us", "zoom.us"])
        .help_url("https://marketplace.zoom.us")
}
