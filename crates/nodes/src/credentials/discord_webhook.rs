//! Discord webhook.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("discordWebhookApi", "Discord webhook")
        .fields([Field::secret("webhookUri", "Webhook URI").required()])
        .base_url("https://discord.com")
        .hosts(&["discord.com", "discordapp.com"])
}
