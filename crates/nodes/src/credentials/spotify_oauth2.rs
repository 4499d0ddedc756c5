//! Spotify (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("spotifyOAuth2Api", "Spotify (OAuth2)")
        .oauth2(
            "https://accounts.spotify.com/authorize",
            "https://accounts.spotify.com/api/token",
            &["spotify"],
        )
        .base_url("https://api.spotify.com")
        .hosts(&["api.spotify.com"])
        .help_url("https://developer.spotify.com/dashboard")
}
