//! WhatsApp Business.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("whatsAppApi", "WhatsApp Business")
        .fields([Field::secret("accessToken", "Access token").required()])
        .header("Authorization", "Bearer {accessToken}")
        .base_url("https://graph.facebook.com")
        .hosts(&["graph.facebook.com"])
}
