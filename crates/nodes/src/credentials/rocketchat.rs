//! Rocket.Chat.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("rocketchatApi", "Rocket.Chat")
        .fields([
            Field::secret("authKey", "Auth key").required(),
            Field::plain("userId", "User ID").required(),
            Field::destination("domain", "Domain"),
            Field::destination("subdomain", "Subdomain"),
        ])
        .header("X-Auth-Token", "{authKey}")
        .header("X-User-Id", "{userId}")
        .base_url("{domain}")
        .hosts(&["{domain}", "{subdomain}.rocket.chat"])
}
