//! Discord bot.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("discordBotApi", "Discord bot")
        .fields([Field::secret("botToken", "Bot token").required()])
        .header("Authorization", "Bot {botToken}")
        .base_url("https://discord.com")
        .hosts(&["discord.com", "discordapp.com"])
        .test_get("/api/v10/users/@me")
        .help_url("https://discord.com/developers/applications")
}
