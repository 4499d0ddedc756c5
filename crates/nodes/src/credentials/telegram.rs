//! Telegram.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("telegramApi", "Telegram")
        .fields([
            Field::secret("accessToken", "Access token").required(),
            Field::destination("baseUrl", "Base URL"),
        ])
        .base_url("{baseUrl|https://api.telegram.org}")
        .hosts(&["api.telegram.org", "{baseUrl}"])
        .test_get("/bot{accessToken}/getMe")
        .help_url("https://t.me/BotFather")
}
