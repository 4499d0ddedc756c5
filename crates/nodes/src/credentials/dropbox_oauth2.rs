//! Dropbox (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("dropboxOAuth2Api", "Dropbox (OAuth2)")
        .oauth2(
            "https://www.dropbox.com/oauth2/authorize",
            "https://api.dropboxapi.com/oauth2/token",
            &["dropbox"],
        )
        .hosts(&["*.dropboxapi.com"])
        .help_url("https://www.dropbox.com/developers/apps")
}
