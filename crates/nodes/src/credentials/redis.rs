//! Redis.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("redis", "Redis", CredentialGroup::Servers)
        .alias("redisConnection")
        .fields([
            Field::secret("password", "Password"),
            Field::plain("user", "User"),
            Field::destination("host", "Host").placeholder("localhost"),
            Field::destination("port", "Port").number().placeholder("6379"),
            Field::plain("database", "Database").number(),
            Field::destination("ssl", "SSL").flag(),
            Field::destination("disableTlsVerification", "Disable TLS verification")
                .flag()
                .advanced(),
        ])
        .test_node("n8n-nodes-base.redis", 1.0, r#"{"operation":"info"}"#)
}
