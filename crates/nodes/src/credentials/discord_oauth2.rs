//! Discord (OAuth2).

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("discordOAuth2Api", "Discord (OAuth2)")
        .oauth2(
            "https://discord.com/api/oauth2/authorize",
            "https://discord.com/api/oauth2/token",
            &["discord"],
        )
        .base_url("https://discord.com")
        .hosts(&["discord.com", "discordapp.com"])
        .help_url("https://discord.com/developers/applications")
}
